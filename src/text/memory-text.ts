// Text as memory reads it: what counts as the same content, how a value reads, where a sentence ends.
import type { Json } from "../platform/json";

/** The form in which two contents are the same memory. */
export function normaliseContent(text: string): string {
  const folded = text.normalize("NFKC").toLowerCase().normalize("NFKC").replace(/\s+/g, " ").trim();
  let end = folded.length;
  while (end > 0 && " .!".includes(folded.charAt(end - 1))) end -= 1;
  // A content of nothing but punctuation is still itself.
  return end === 0 ? folded : folded.slice(0, end);
}

/** A value as a reader sees it: a string as it is, anything else as compact JSON. */
export function valueText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** At most `max` code points; what is cut off shows as an ellipsis. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  const points = Array.from(text);
  return points.length <= max
    ? text
    : `${points
        .slice(0, max - 1)
        .join("")
        .trimEnd()}…`;
}

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
const WRAPPED = 50;

/** The text around its fenced code; a fence that is never closed reaches to the end. */
export function withoutFences(text: string): string {
  return text.replace(FENCED, "\n");
}

/** The sentences of a message: fenced code and quoted lines left out, list markers taken off. */
export function sentences(text: string): Sentence[] {
  return paragraphs(withoutFences(text)).flatMap(split);
}

function paragraphs(text: string): string[] {
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
    wrapped = line.length >= WRAPPED && !/[.!?:;…]$/.test(line);
  }
  return found;
}

function split(paragraph: string): Sentence[] {
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

const UNSPACED_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;

/** Scripts that write no spaces would be one endless word to the tokenizer: each character becomes a word. */
export function indexText(text: string): string {
  return text.replace(UNSPACED_SCRIPT, " $& ");
}
