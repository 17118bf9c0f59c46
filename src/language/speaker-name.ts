// Finds the speaker that a transcript names before a statement: "Caroline: I went to Paris."

/** One to three capitalised words before a colon, as names are written in a transcript. */
const SPEAKER = /^(\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: \p{Lu}[\p{L}\p{M}'’.-]{0,30}){0,2}): /u;

/** Words that label a note rather than name a person. */
const LABELS = new Set(
  `agent answer assistant bug context decision error fact fix goal human idea important info lesson note question
  reminder rule source summary system task tip todo tool update user warning`.split(/\s+/),
);

/** Returns the speaker of a statement, null if the text names none. */
export function findSpeakerName(text: string): string | null {
  const [, name = null] = SPEAKER.exec(text) ?? [];
  return name === null || isLabel(name) ? null : name;
}

/** Whether a word labels a note or a role, such as "Note" or "user", rather than naming a person. */
export function isLabel(word: string): boolean {
  return LABELS.has(word.toLowerCase());
}
