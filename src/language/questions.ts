// Recognises texts that ask a question.

/** The question marks of Latin, East Asian and Arabic texts, and a note in brackets after one: "Ready? [shares a photo]". */
const QUESTION_END = /[?？؟]["'”’)»]{0,2}\s*(?:\[[^\]]*\])?$/u;

/** The end of a text in which a question mark is looked for. */
const END_CHARS = 300;

/** Whether a text ends with a question. */
export function isQuestion(text: string): boolean {
  return QUESTION_END.test(text.slice(-END_CHARS).trimEnd());
}
