// Finds a masked text where it stands unmasked: a memory is stored with its secrets masked, and the thread that it was
// taken from keeps what was said.

import { findSensitive } from "./find-sensitive";
import type { Finding } from "./kinds";
import { renderMask, replaceFindings } from "./mask-values";
import { PERSONAL_CATEGORIES } from "./privacy-schemas";

const MASK = /\[(?:secret|personal):\w+\]/;

export function hasMask(text: string): boolean {
  return MASK.test(text);
}

/** Returns the longest part of a text between its masks, which is in the unmasked text as well. */
export function findLongestLiteral(text: string): string {
  return text.split(MASK).reduce((longest, part) => (part.length > longest.length ? part : longest), "");
}

/** Returns the text with everything masked that some policy would mask. */
export function maskAll(text: string): string {
  return replaceFindings(text, findAll(text));
}

/** Replaces the parts of a text that `maskAll` would turn into `masked`. */
export function replaceUnmasked(text: string, masked: string, replacement: string): string {
  const findings = findAll(text);
  if (findings.length === 0 || masked === "") return text;
  const view = replaceFindings(text, findings);
  let replaced = "";
  let from = 0;
  for (let at = view.indexOf(masked); at !== -1; at = view.indexOf(masked, at + masked.length)) {
    replaced += text.slice(from, locate(findings, at)) + replacement;
    from = locate(findings, at + masked.length);
  }
  return replaced + text.slice(from);
}

function findAll(text: string): Finding[] {
  return findSensitive(text, PERSONAL_CATEGORIES);
}

/** Returns the position in the text of a position in its masked form. */
function locate(findings: readonly Finding[], position: number): number {
  let shift = 0;
  for (const { kind, start, end } of findings) {
    const maskStart = start - shift;
    const maskEnd = maskStart + renderMask(kind).length;
    if (position <= maskStart) break;
    if (position < maskEnd) return end;
    shift = end - maskEnd;
  }
  return position + shift;
}
