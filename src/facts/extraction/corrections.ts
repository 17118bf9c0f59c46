// Corrections of an earlier statement: "Sorry, I meant …", "No, …", "Not Vienna, …". The part after the opening is the
// statement to remember.

type Correction = {
  /** Where the corrected statement begins. */
  from: number;
  /** `value`: the sentence has the form of a correction itself; `statement`: an opening announces one. */
  corrects: "value" | "statement" | null;
};

/** Sentences that announce a correction, before the corrected statement. */
const OPENING =
  /^(?:(?:hang on|hold on|on second thoughts?|ah no|ah,? no|oh no|actually no|no actually|(?:small|quick|minor|tiny) (?:fix|update|change)|to clarify|i made a (?:mistake|typo|slip)|correcting (?:myself|that)(?: here)?|apologies|my apologies|pardon|just to clarify|clarification|change of plans?|i gave you (?:the|my) (?:wrong|old) [\w ]{1,30}|i (?:confused|mixed up|swapped) [\w ]{1,30}|that was my old [\w ]{1,20}|typo|(?:my|the) (?:previous|last|earlier) message (?:had|has) a typo|ignore what i (?:said|wrote)[^,;:]{0,60}|forget what i (?:said|wrote)[^,;:]{0,60}|turns out|i misremembered|i wrote (?:that|it) wrong|i need to correct (?:that|myself|something)|not [\p{L}\d. ]{1,30}(?=,)|scratch that|correction|my mistake|my bad|i misspoke|i should have (?:said|written|put)|i was (?:wrong|mistaken)(?: (?:about|on) [\w' ]{1,40})?|i got (?:that|it|the \w+) wrong|let me rephrase(?: that)?|to be precise|i stand corrected|i mixed (?:that|it|them|those) up|to correct (?:myself|that)|let me correct (?:myself|that)|you(?:'ve| have)? (?:got|had|have) (?:that|it|me) wrong|you got (?:that|it|my \w+) wrong|that's (?:not right|wrong|incorrect|not correct)|not quite|update|edit|i meant(?: to say)?|i mean|that should (?:be|read)|strike that|ignore that|forget that|wait|oops|sorry|no|nope|actually|small correction|one correction|quick correction)(?: (?:actually|sorry|wait))?(?: (?=(?:my|our|i|we|the)\b)| ?[,:;.—–-]+ ?))+/iu;

/** "It's Marta, not Martha", "it's spelled with an h". */
const VALUE =
  /^(?:(?:actually|no|sorry),? )?(?:it's|it is|that's|that is|that'd be|they're|he's|she's) (?:actually |really |now |in fact )?(?:spell?ed|spelt|pronounced|written|called)\b|^(?:actually,? )?(?:it's|it is|it was|that's|they're|he's|she's|the [\w' -]{1,40} (?:is|are|was)) (?:actually |really |now )?[^,]{2,80},? (?:and )?not (?!sure|that|yet|really|a bad|bad|working|quite|too|so|only|just|what|very|the (?:best|worst|end))\w|^(?:actually,? )?(?:it's|it is) [\w ]{2,40} (?:that|when|where) (?:i|we)\b/i;

/** "I said Postgres 14 before, but we're on 16": the earlier statement is taken back. */
const REPLACEMENT = /^[^?]{2,120}, (?:and )?not (?:\w|[`"“])/;
/** A correction of the text at hand, which is not a memory. */
const OF_THE_TEXT =
  /\b(?:paragraph|sentence|line|column|row|version|option|one|word|bullet|slide|section|file|page|step|chart|first|second|third|former|latter)\b/i;
/** "It's not Stefan, it's Stephan", "the correct spelling is …", "please change my address to …". */
const REPLACED =
  /^(?:it's|it is|it isn't|that's|he's|she's|(?:my|our|the) [\w' -]{1,40} (?:is|isn't|are|aren't|was|wasn't)) (?:not )?[^,;]{1,60}[,;] (?:but )?(?:it's|it is|they're|he's|she's|that's) \w|^(?:the|my|our) (?:correct|right|new|actual) [\w -]{1,40} (?:is|are) \S|^(?:please )?(?:update|change|correct|set) (?:my|our) (?:\w+ )?(?:address|e-?mail|name|surname|phone|number|birthday|title|job title|pronouns|time ?zone|city|employer|handle)(?: \w+){0,2} to \S/i;

/** "It's Katharina with a K". */
const SPELLING = /^(?:[Ii]t's|[Tt]hat's|[Ii]t is) \p{Lu}[\p{L}'-]+,? (?:with|without) (?:an?|one|two|no) /u;

/** "Make that Tuesday, not Wednesday": one name or number for another. */
const EXCHANGED =
  /^(?:(?:[Mm]ake (?:that|it)|[Uu]se|[Ii]t|[Tt]he|[Mm]y|[Oo]ur|[Ii]|[Ww]e|[Hh]e|[Ss]he|[Tt]hey)\b[^?]{2,120}|[\p{L}\d][\p{L}\d .:]{0,30}), (?:and )?not (?:the |on |in |at |from )*(?:\d|\p{Lu})/u;

const TAKEN_BACK =
  /^(?:i|we) (?:said|told you|wrote|mentioned|thought|claimed|had said)\b[^?]{2,160}?(?:\bbut|[,;]) (?:(?:really|actually|in fact|that's wrong|that was wrong|now),? )?(?=(?:it's|it is|i'm|i am|we're|we are|i|we|my|our|the)\b)/i;

const MEANT = /\b(?:i meant|i mean|correction|scratch that|strike that|i misspoke|my mistake)\b/i;

export function parseCorrection(prose: string): Correction {
  const opening = OPENING.exec(prose)?.[0].length ?? 0;
  const rest = prose.slice(opening);
  if (
    VALUE.test(rest) ||
    (EXCHANGED.test(rest) && !OF_THE_TEXT.test(rest)) ||
    SPELLING.test(rest) ||
    (MEANT.test(prose) && REPLACEMENT.test(rest) && !OF_THE_TEXT.test(rest)) ||
    (REPLACED.test(rest) && !OF_THE_TEXT.test(rest))
  )
    return { from: opening, corrects: "value" };
  if (TAKEN_BACK.test(rest) && /\b(?:really|actually|in fact|it's|wrong|should have)\b/i.test(rest))
    return { from: opening, corrects: "value" };
  return { from: opening, corrects: opening > 0 ? "statement" : null };
}
