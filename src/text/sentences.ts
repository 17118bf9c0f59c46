import { collapseWhitespace } from "./normalise-text";

/** A sentence as written, and its prose: the same length, with code and quotations blanked out. */
export type Sentence = { text: string; prose: string };

const FENCED = /(```|~~~)[\s\S]*?(?:\1|$)/g;
const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
const BULLET = /^\s*(?:(?:[-*+•]|\d{1,3}[.)]|#{1,6}|\[[ xX]?\])\s+)+/;
const QUOTED = /`[^`]+`|"[^"]+"|“[^”]+”|«[^»]+»/g;
/** Tried once per run of stops: a line of dots must not be searched from each of them. */
const SENTENCE_END = /(?<![.!?…])[.!?…]+["'”’)\]]*(?=\s)|[。！？]+/g;
const ABBREVIATION = /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|vs|e\.g|i\.e|approx|Fig|[A-Z])\.$/;
/** A line this long that the next one continues in lower case was wrapped, not ended. */
const MIN_WRAPPED_CHARS = 50;

/** The text around its fenced code; a fence that is never closed reaches to the end. */
export function stripCodeFences(text: string): string {
  return text.replace(FENCED, "\n");
}

/** The sentences of a message: fenced code and quoted lines left out, list markers taken off. */
export function splitSentences(text: string): Sentence[] {
  return splitParagraphs(stripCodeFences(text)).flatMap(splitParagraph);
}

function splitParagraphs(text: string): string[] {
  const found: string[] = [];
  let wrapped = false;
  for (const raw of text.split(LINE_BREAK)) {
    const line = raw.replace(BULLET, "").trim();
    if (line === "" || line.startsWith(">")) {
      wrapped = false;
      continue;
    }
    if (wrapped && /^\p{Ll}/u.test(raw.trim())) found.push(`${found.pop()} ${line}`);
    else found.push(line);
    wrapped = line.length >= MIN_WRAPPED_CHARS && !/[.!?:;…]$/.test(line);
  }
  return found;
}

function splitParagraph(paragraph: string): Sentence[] {
  const prose = paragraph.replace(QUOTED, (quoted) => "x".repeat(quoted.length));
  const found: Sentence[] = [];
  let start = 0;
  const cut = (end: number) => {
    const lead = paragraph.slice(start, end).search(/\S/);
    if (lead >= 0) {
      const from = start + lead;
      found.push({ text: paragraph.slice(from, end), prose: prose.slice(from, end) });
    }
    start = end;
  };
  for (const stop of prose.matchAll(SENTENCE_END)) {
    const end = stop.index + stop[0].length;
    if (!ABBREVIATION.test(prose.slice(Math.max(start, end - 12), end))) cut(end);
  }
  cut(paragraph.length);
  return found;
}
/** Without what would double the punctuation that follows. */

export function stripEndPunctuation(text: string): string {
  return collapseWhitespace(text).replace(/[\s.,;:!]+$/, "");
}
export function endSentence(text: string): string {
  const line = stripEndPunctuation(text);
  return line === "" || /[?…]$/.test(line) ? line : `${line}.`;
}
export function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
