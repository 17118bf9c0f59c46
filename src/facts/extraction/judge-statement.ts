// Judges a user's plain statement clause by clause. A sentence is kept if one of its clauses states something lasting;
// a question or request beside the statement does not hide it: "I'm allergic to nuts, what can I cook?".
import { parseVerbPhrase, splitClauses, stripLead } from "./clauses";
import { parseCorrection } from "./corrections";
import { judgeFirstPerson, type StatementKind } from "./first-person";
import { DATED, PASSING_TIME, SCHEDULED } from "./lasting-words";
import { CONDITIONAL, matchesAny, QUESTION, REQUEST } from "./not-asserted";
import { judgeThirdPerson } from "./third-person";

/** The part of a sentence to remember, by offsets. */
type StatementSpan = { kind: StatementKind; from: number; to: number };

export function judgeStatement(prose: string): StatementSpan | null {
  if (CLEFT.test(prose)) return { kind: "preference", from: 0, to: prose.length };
  const question = findQuestionStart(prose);
  if (question === 0) return null;
  const to = question ?? prose.length;
  const { from, corrects } = parseCorrection(prose.slice(0, to));
  const said = prose.slice(from, to).replace(/ +/g, " ");
  if (matchesAny(CONDITIONAL, said)) return null;
  if (corrects === "value") return { kind: "fact", from, to };
  const kinds = splitClauses(said).flatMap(
    (clause) => judgeClause(clause.trim(), corrects === "statement") ?? [],
  );
  const [kind] = kinds;
  return kind === undefined ? null : { kind, from, to };
}

function judgeClause(clause: string, isCorrection: boolean): StatementKind | null {
  const stripped = stripLead(clause);
  if (PREFERRED.test(clause)) return "preference";
  if (QUESTION.test(stripped) || (matchesAny(REQUEST, stripped) && !isGoal(stripped, clause))) return null;
  const phrase = parseVerbPhrase(stripped);
  if (phrase !== null) return judgeFirstPerson(phrase, clause);
  if (IDENTIFIED.test(stripped)) return "fact";
  const kind = judgeThirdPerson(stripped) ?? (isElliptic(stripped) ? "fact" : null);
  return kind ?? (isCorrection && DEFINITE.test(stripped) ? "fact" : null);
}

/** Preferences without a verb of liking: "window seat, always", "tea over coffee any day". */
const PREFERRED =
  /^(?!(?:it|this|that|you)\b)[\p{L}' -]{3,60}(?:, always|, every time|, never [\p{L} ]{2,30}|,? (?:over|rather than|instead of) .{2,60} (?:any day|any ?time|every time|all day long)(?: for me)?|\b(?<!come|go|went|came|been|gone|read|scroll|walk|walked|drove) all the way)[.!]*$|\bthat's how (?:i|we) (?:like|prefer|learn|work)\b|^i could live (?:on|off) (?!my\b|a\b|the\b|this\b|that\b)\w|^i could .{3,80} (?:all day(?: long)?|forever|every (?:single )?day|for hours)[.!]*$/iu;

/** A wish for one's life, not for the turn: "I'd like to be fluent in two years". */
function isGoal(stripped: string, clause: string): boolean {
  return (
    /^(?:i|we)(?:'d| would) (?:really )?(?:like|love) to (?:be|become|learn|run|live|move|visit|have|own|start|retire|travel|speak|publish|climb|open|work|go|buy|study|build|stop|teach|spend)\b/i.test(
      stripped,
    ) &&
    (DATED.test(clause) ||
      /\b(?:one day|some ?day|eventually|in the long (?:run|term)|long-term|at some point)\b/i.test(clause))
  );
}

/** A corrected value is lasting whatever it is about: "the contract is for eighteen months, not twelve". */
const DEFINITE =
  /^(?:(?:the|his|her|their|its|(?:in|on|for) the) (?!(?:above|first|second|third|last|next|other|link|code|error|tests?|output|file|page|button|paragraph|sentence|screen)\b)|it's |it is |it was |that's |they're |she's |he's |(?!(?:This|That|These|Those|You|What|Thanks|Please|Nothing|Everything|Good|Great|No|Yes)\b)\p{Lu}\p{L}+ ).*(?:\d|\b(?:not|rather than|instead|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|eighteen|twenty|thirty|forty|fifty|(?:mon|tues|wednes|thurs|fri|satur|sun)day|called|named|spell?ed|spelt)\b| \p{Lu}\p{L}+|\b(?:is|does|lives|works|has|runs|owns|leads|handles)\b)/u;

/** "It's my stepdad who cooks", "it's been eight years since we left", "the name's Bart". */
const IDENTIFIED =
  /^(?:it's|it is|it was) (?:my|our) [\w' -]{2,40} (?:who|that) (?!(?:matters|counts)\b)|^it(?:'s| is| was) (?:in|at|on|from|during) .{2,40} that (?:i|we) |^it(?:'s| has) been [\w ]{1,30}(?:years|months|decades) since (?:i|we|my|our)\b|^the name(?:'s| is) \w/i;

/** Statements without their subject: "Allergic to peanuts", "Vegetarian since 2010". */
const ELLIPSIS =
  /^(?:(?:severely |also |currently )?(?:allergic to|intolerant to|married (?:to|with|for|since)|divorced|widowed|vegetarian|vegan|pescatarian|born (?:in|on|and)|based in|raised in|originally from|living (?:in|with)|working (?:as|at|for)|retired|self-employed)\b|(?:\d\d|(?:twenty|thirty|forty|fifty|sixty|seventy)(?:-\w+)?)(?: years old| ?yo)?,? (?:and )?(?:single|married|divorced|widowed|living (?:in|with)|from|male|female|(?:mother|father|mum|mom|dad) of)\b|(?:no|two|three|four|\d) (?:kids|children|siblings|pets|cats|dogs|allergies)\b)/i;

/** "What I enjoy most is cooking for a crowd". */
const CLEFT =
  /^(?:what|the (?:one )?thing|one thing|the (?:place|food|sport|kind of [\w ]{2,20}|sort of [\w ]{2,20})) (?:that )?(?:i|we) (?:really |always |most |absolutely )?(?:like|love|enjoy|hate|prefer|value|dislike|miss|can't stand)\b[^?]* (?:is|are)\b[^?]*$/i;

/** The verb of an event in a life, at the start of a sentence: "Left school at sixteen". */
const SUBJECTLESS_EVENT =
  /^(?:left|lost|got|moved|grew|worked|married|bought|quit|studied|started|joined|spent|broke|had|became|retired|trained|served|lived|sold|went to|used to|been|never)\b/i;

function isElliptic(clause: string): boolean {
  if (ELLIPSIS.test(clause)) return true;
  if (SUBJECTLESS_EVENT.test(clause)) {
    const phrase = parseVerbPhrase(`I ${clause}`);
    return phrase !== null && judgeFirstPerson(phrase, clause) !== null;
  }
  return SUBJECTLESS_PLAN.test(clause) && SCHEDULED.test(clause) && !PASSING_TIME.test(clause);
}

/** "Flying to Boston on the 9th", "Dentist on 8 May at 10:15". */
const SUBJECTLESS_PLAN =
  /^(?:(?:planning|hoping|flying|moving|getting|starting|going|heading|travell?ing|visiting|taking|leaving|aiming|expecting|switching|seeing|driving|launching|running|finishing|retiring|back)\b|(?!(?:the|an?|it|this|that|they|he|she|you|your|there|in|most|all) )[\p{L}' ]{3,40} (?:on|from) (?:the )?(?:\w+ )?\d)/iu;

/** Returns where the question or request of a sentence begins, null without a question. */
function findQuestionStart(prose: string): number | null {
  if (!/\?[)\]"']*$/.test(prose)) return findUnmarkedQuestion(prose);
  const parts = [...prose.matchAll(QUESTION_PART)];
  return parts[0]?.index ?? 0;
}

function findUnmarkedQuestion(prose: string): number | null {
  if (QUESTION.test(prose) || TRAILING_QUESTION.test(prose)) return 0;
  return ASIDE_QUESTION.exec(prose)?.index ?? null;
}

/** A question without its mark about the speaker's options, after a statement: "I'm vegan, can I eat this". */
const ASIDE_QUESTION =
  /,? (?:so |and |but )?(?:(?:can|could|should|would|shall|do|does|will|may) (?:i|you|we) |(?:how|what) about |any (?:ideas?|tips|advice|suggestions|thoughts)\b)(?=[^,]*$)/i;

/** A question without its mark, after an opening phrase or about the statement itself: "…, is that bad". */
const TRAILING_QUESTION =
  /, (?:so |and |but )?(?:is|are|was|does|did|will|would|should|could|can) (?:it|that|this|there|they|he|she)\b(?=[^,]*$)|, (?:where|what|who|how|why|when|which) (?:is|are|do|does|did|can|should|was|were|would|could) \w+/i;

const QUESTION_PART =
  /(?: ?[,;:—–.]| -)? (?:(?:so|and|but|then),? )?(?:what|how|which|who|where|when|why|can|could|would|will|should|shall|do|does|did|is|are|any (?:idea|chance|tips|thoughts|advice|suggestions?)) (?:i|you|we|me|my|it|there|should|would|could|can|do|does|is|are|to|that|this|the|else|kind|sort|idea|tips|thoughts|suggestions|advice|long|much|many|far|often)\b/gi;
