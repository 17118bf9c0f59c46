// Statements about the speaker: "I …", "we …". They are kept unless their verb is a thought, a request, a passing
// state or an event of the day. Each form of the verb has its own rules.
import type { VerbPhrase } from "./clauses";
import { judgeAction, judgePerfect } from "./first-person-actions";
import { judgeState } from "./first-person-states";
import { PASSING_TIME } from "./lasting-words";
import { isAnaphoric, isPreference } from "./preference-rules";

export type StatementKind = "fact" | "preference";

/** Returns the kind of a lasting statement in the first person, or null. `clause` has the whole clause, with its time. */
export function judgeFirstPerson(phrase: VerbPhrase, clause: string): StatementKind | null {
  const { auxiliaries, verb, rest, hedged } = phrase;
  // Decisions have rules of their own.
  if (/^(?:decided?|chosen|agreed?)$/.test(verb)) return null;
  if (verb === "" || hedged || OUTCRY.test(`${verb} ${rest}`)) return null;
  if (ASKING.test(rest)) return null;
  if (isCounterfactual(phrase) || ABOUT_CONVERSATION.test(clause)) return null;
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

/** "I would have become an astronaut". */
function isCounterfactual({ auxiliaries }: VerbPhrase): boolean {
  const [modal, ...others] = auxiliaries;
  return /^(?:would|could|should|might)$/.test(modal ?? "") && others.includes("have");
}

/** The assistant's words, or the text at hand: "I'm using your suggestion", "I don't want emojis in this one". */
const ABOUT_CONVERSATION =
  /\b(?:your(?! (?:repl(?:y|ies)|answers|responses|explanations|messages|emails|notes|records|country|community))|yours|(?:from|with|than|like|to) you|(?:in|for|on|to|of|with) (?:this|that|these|those) (?:one|case|email|text|paragraph|sentence|letter|draft|version|story|essay|article|function|file|code|example|list|table|chart|image|exercise|question|task|recipe|message|reply|poem|post|slide|section)s?)\b/i;

/** "I'm writing a letter and need a good opening line". */
const ASKING =
  /\b(?:and|so|but) (?:need|want|would like) (?:help|some|ideas|advice|your|(?:a|an|the) (?:\w+ ){0,3}(?:line|idea|name|title|word|way|tip|sentence|example|list|summary|opinion|recipe|answer)|to (?:merge|sort|convert|know|find|make|get|turn|change|put|print|show|see|check|compare|remove|add|replace|extract|filter))\b/;

/** Exclamations and figures of speech. */
const OUTCRY =
  /^(?:believe (?:it|this|that)|wait|help (?:it|but|feeling|thinking)|hear you|see what|take (?:it|that) back|stand corrected|rest my case|beg |call it a day|give up|swear(?! by\b)|dare say|kid you|mean|owe you|told you|ha(?:ve|d) (?:no (?:idea|clue)|a feeling)|make a (?:good|great) team|got no (?:idea|clue)|care less|follow *$|die|feel you|get (?:it|that|this|the (?:idea|point|picture|gist)|what|why|how|you|your|where))\b/;
