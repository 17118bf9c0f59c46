// Statements about the speaker: "I …", "we …". They are kept unless their verb is a thought, a request, a passing
// state or an event of the day. Each form of the verb has its own rules.
import type { VerbPhrase } from "./clauses";
import { judgeAction, judgePerfect } from "./first-person-actions";
import { judgeState } from "./first-person-states";
import { isAnaphoric, isPreference } from "./likings";
import { PASSING_TIME } from "./times";

export type StatementKind = "fact" | "preference";

/** Returns the kind of a lasting statement in the first person, or null. `clause` has the whole clause, with its time. */
export function judgeFirstPerson(phrase: VerbPhrase, clause: string): StatementKind | null {
  const { auxiliaries, verb, rest, hedged } = phrase;
  // Decisions have rules of their own.
  if (/^(?:decided?|chosen|agreed?)$/.test(verb)) return null;
  if (verb === "" || hedged || OUTCRY.test(`${verb} ${rest}`)) return null;
  if (isPreference(phrase)) return PASSING_TIME.test(clause) || isAnaphoric(phrase) ? null : "preference";
  const last = auxiliaries.at(-1);
  const keeps =
    last === "am" || last === "are" || last === "is" || last === "was" || last === "were" || last === "be"
      ? judgeState(phrase, clause)
      : last === "been"
        ? judgeState(phrase, clause, { perfect: true })
        : last === "have" || last === "had" || last === "has"
          ? judgePerfect(phrase, clause)
          : judgeAction(phrase, clause);
  return keeps ? "fact" : null;
}

/** Exclamations and figures of speech. */
const OUTCRY =
  /^(?:believe (?:it|this|that)|wait|help (?:it|but|feeling|thinking)|hear you|see what|take (?:it|that) back|stand corrected|rest my case|beg |call it a day|give up|swear(?! by\b)|dare say|kid you|mean|owe you|told you|have no (?:idea|clue)|got no (?:idea|clue)|care less|die|feel you|get (?:it|that|this|the (?:idea|point|picture|gist)|what|why|how|you|your|where))\b/;
