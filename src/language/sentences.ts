// Splits messages into sentences, and ends sentences with exactly one punctuation mark.
import { collapseWhitespace } from "./normalise-text";

/** A sentence as written, and its prose: the same length, with code and quotations masked. */
export type Sentence = { text: string; prose: string };

const FENCED = /(```|~~~)[\s\S]*?(?:\1|$)/g;
const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
const BULLET = /^\s*(?:(?:[-*+•]|\d{1,3}[.)]|#{1,6}|\[[ xX]?\])\s+)+/;
/** An opening quotation mark without a closing one matches to the end: tried at each mark, it takes quadratic time. */
const QUOTATIONS = [/`[^`]+`|"[^"]+"/g, /“[^”]+(?:”|$)/g, /«[^»]+(?:»|$)/g];
const IS_CLOSED = /[`"”»]$/;
/** The lookbehind matches once per run of punctuation; without it, a line of dots takes quadratic time. */
const SENTENCE_END = /(?<![.!?…])[.!?…]+["'”’)\]]*(?=\s)|[。！？]+/g;
const ABBREVIATION = /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|vs|e\.g|i\.e|approx|Fig|[A-Z])\.$/;
/** A line of at least this length that the next one continues in lower case was wrapped. */
const MIN_WRAPPED_CHARS = 50;

/** Removes fenced code; an unclosed fence extends to the end of the text. */
export function stripCodeFences(text: string): string {
  return text.replace(FENCED, "\n");
}

/** Returns the sentences of a message, without fenced code, quoted lines and list markers. */
export function splitSentences(text: string): Sentence[] {
  return splitParagraphs(stripCodeFences(text)).flatMap(splitParagraph);
}

function splitParagraphs(text: string): string[] {
  const paragraphs: string[] = [];
  let isWrapped = false;
  for (const raw of text.split(LINE_BREAK)) {
    const line = raw.replace(BULLET, "").trim();
    if (line === "" || line.startsWith(">")) {
      isWrapped = false;
      continue;
    }
    if (isWrapped && /^\p{Ll}/u.test(raw.trim())) paragraphs.push(`${paragraphs.pop()} ${line}`);
    else paragraphs.push(line);
    isWrapped = line.length >= MIN_WRAPPED_CHARS && !/[.!?:;…]$/.test(line);
  }
  return paragraphs;
}

function splitParagraph(paragraph: string): Sentence[] {
  const prose = maskQuotations(paragraph);
  const sentences: Sentence[] = [];
  let start = 0;
  const cut = (end: number) => {
    const lead = paragraph.slice(start, end).search(/\S/);
    if (lead >= 0) {
      const from = start + lead;
      sentences.push({ text: paragraph.slice(from, end), prose: prose.slice(from, end) });
    }
    start = end;
  };
  for (const stop of prose.matchAll(SENTENCE_END)) {
    const end = stop.index + stop[0].length;
    if (!ABBREVIATION.test(prose.slice(Math.max(start, end - 12), end))) cut(end);
  }
  cut(paragraph.length);
  return sentences;
}

function maskQuotations(paragraph: string): string {
  return QUOTATIONS.reduce(
    (prose, pattern) =>
      prose.replace(pattern, (quoted) => (IS_CLOSED.test(quoted) ? "x".repeat(quoted.length) : quoted)),
    paragraph,
  );
}

/** Returns the text on one line, without trailing punctuation. */
export function stripEndPunctuation(text: string): string {
  return collapseWhitespace(text).replace(/[\s.,;:!]+$/, "");
}

/** Ends a text with a full stop, unless it ends with a question mark or an ellipsis. */
export function endSentence(text: string): string {
  const line = stripEndPunctuation(text);
  return line === "" || /[?…]$/.test(line) ? line : `${line}.`;
}

export function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
