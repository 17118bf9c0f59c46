// How many columns a text takes on a terminal, and a text cut to so many. What was stored may hold anything: control
// characters would be obeyed by the terminal, so they are never shown.

const segmenter = new Intl.Segmenter();
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|.*\ufe0f)/u;
const NOTHING = /^[\p{Mn}\p{Me}\p{Cf}]/u;

export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += widthOfOne(segment);
  return width;
}

function widthOfOne(character: string): number {
  if (NOTHING.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** At most so wide, with … where something is missing. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let used = 1;
  for (const { segment } of segmenter.segment(text)) {
    used += widthOfOne(segment);
    if (used > width) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** As one line that does nothing but stand there. */
export function oneLine(text: string): string {
  return harmless(text).replaceAll(/\s+/g, " ").trim();
}

/** Lines stay lines. */
export function harmless(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "�");
}
