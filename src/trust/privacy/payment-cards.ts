// Payment card numbers: the length and prefix of a network, a valid check digit, and the usual grouping.
import { passesLuhn } from "./check-digits";
import type { Finding } from "./kinds";

/** Prefixes and lengths of the networks. */
const NETWORKS: readonly RegExp[] = [
  /^4(?:\d{12}|\d{15}|\d{18})$/,
  /^5[1-5]\d{14}$/,
  /^2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}$/,
  /^3[47]\d{13}$/,
  /^(?:6011|65\d\d|64[4-9]\d)\d{12}$/,
  /^35(?:2[89]|[3-8]\d)\d{12}$/,
  /^3(?:0[0-5]|[68]\d)\d{11}$/,
  /^62\d{14,17}$/,
  /^(?:50|5[6-8])\d{14}$/,
];

/** A card as one number, or in the groups that cards are printed with. */
const CARD =
  /(?<![\w.+])(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{4}([ -])\d{6}\2\d{4,5})(?![\w])/g;

function isCardNumber(digits: string): boolean {
  return NETWORKS.some((network) => network.test(digits)) && new Set(digits).size > 1 && passesLuhn(digits);
}

export function findCards(text: string): Finding[] {
  const found: Finding[] = [];
  CARD.lastIndex = 0;
  for (let match = CARD.exec(text); match !== null; match = CARD.exec(text)) {
    const { 0: card, index: start } = match;
    if (isCardNumber(card.replaceAll(/[ -]/g, "")))
      found.push({ kind: "payment_card", start, end: start + card.length });
    // A card may begin with the second group of a number that is none.
    else CARD.lastIndex = start + (/[ -]/.test(card) ? 4 : card.length);
  }
  return found;
}
