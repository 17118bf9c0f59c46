// Recognises texts that only greet, thank, take leave or acknowledge: "Okay.", "Good morning!", "Thanks a lot". A text that
// may answer a question is none: "yes", "great", "see you tomorrow".

const COURTESY =
  "ok(?:ay)?|alright|all right|got it|noted|understood|hi|hello|hey|hiya|bye(?:[- ]bye)?|good ?bye|see (?:you|ya)|good (?:morning|afternoon|evening|night)|thanks|thank you|thx|cheers|you(?:'re| are) (?:very )?welcome|no problem|(?:ha)+|(?:he)+|lol";
const ADDITION = "there|again|then|a lot|so much|very much|everyone|all";
const ONLY_COURTESIES = new RegExp(
  `^[\\s\\p{P}\\p{S}]*(?:${COURTESY})(?:[\\s\\p{P}\\p{S}]+(?:${COURTESY}|${ADDITION}))*[\\s\\p{P}\\p{S}]*$`,
  "iu",
);

/** The longest text that is looked at. */
const MAX_CHARS = 80;

export function isCourtesy(text: string): boolean {
  return text.length <= MAX_CHARS && ONLY_COURTESIES.test(text.replaceAll("’", "'"));
}
