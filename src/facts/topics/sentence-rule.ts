// A sentence form: a pattern for a whole clause, and the fact that its groups make.
import type { ValueKind } from "./attribute-nouns";
import { parseValue } from "./fact-values";
import { resolveSubject, USER, WE } from "./noun-phrases";

export type Fact = { subject: string; attribute: string; value: string };
export type FormGroups = Readonly<Record<string, string | undefined>>;
export type SentenceForm = { pattern: RegExp; toFact: (groups: FormGroups) => Fact | null };

/** Parts of patterns: the subject, the value, and auxiliaries. */
export const SUBJECT = "(?<s>[^,;:]{1,70}?)";
export const VALUE = "(?<v>.{1,100})";
export const HAVE = "(?: has| have)?";
export const BE = "(?:am|is|are)";

export function defineForm(pattern: string, toFact: SentenceForm["toFact"]): SentenceForm {
  return { pattern: new RegExp(`^${pattern}$`, "iu"), toFact };
}

/** Returns the fact of the first form that gives one. */
export function findFact(forms: readonly SentenceForm[], clause: string): Fact | null {
  for (const { pattern, toFact } of forms) {
    const groups = pattern.exec(clause)?.groups;
    const fact = groups === undefined ? null : toFact(groups);
    if (fact !== null) return fact;
  }
  return null;
}

export function makeFact(
  subject: string | null,
  attribute: string | null,
  value: string | null,
): Fact | null {
  return subject === null || attribute === null || value === null ? null : { subject, attribute, value };
}

/** Makes the fact of a form that always states the same attribute. */
export function stateAttribute(attribute: string, kind: ValueKind): SentenceForm["toFact"] {
  return ({ s = "", v = "" }) => makeFact(resolveSubject(s), attribute, parseValue(kind, v));
}

export function isThing(subject: string): boolean {
  return subject !== USER && subject !== WE && !/^user's /.test(subject);
}

/** The date and the reason of a move or a new job. */
export const CHANGE_TAIL =
  /,? (?:(?:in|on|this|early|late) (?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|for (?:work|(?:a|her|his|my|their) (?:new )?(?:job|role)|love|family reasons|school|university)|with (?:my|his|her|their|our) .{1,30}|to (?:be|live|work|join|study) .{1,40}|and (?:i |we |she |he |they )?(?:start|started|love|loves|am|is|are) .{1,40})$/i;
