// Personal contact and account details: e-mail addresses, phone numbers, IBANs.

import type { Finding } from "./kinds";
import { passesIbanCheck, passesLuhn } from "./national-ids";

const LOCAL_CHAR = /[A-Za-z0-9._%+\-À-ɏ]/;
const DOMAIN = /[A-Za-z0-9À-ɏ](?:[A-Za-z0-9À-ɏ-]{0,62}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9])/y;
const MAX_LOCAL = 64;

/** "logo@2x.png" is a file. */
const FILE_ENDING = /\.(?:png|jpe?g|gif|svg|webp|ico|css|js|ts|json|md|html?|pdf|zip|mp[34])$/i;

/** Returns the e-mail addresses of a text, from each "@" to both sides. */
export function findEmails(text: string): Finding[] {
  const found: Finding[] = [];
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    let start = at;
    while (start > 0 && at - start < MAX_LOCAL && LOCAL_CHAR.test(text.charAt(start - 1))) start -= 1;
    while (start < at && text.charAt(start) === ".") start += 1;
    if (start === at || text.charAt(at - 1) === ".") continue;
    DOMAIN.lastIndex = at + 1;
    const domain = DOMAIN.exec(text)?.[0];
    if (domain === undefined || FILE_ENDING.test(domain)) continue;
    const end = at + 1 + domain.length;
    // "git@github.com:owner/repository" is the address of a repository, "//user@host" part of a URL.
    if (/^:[\w~/]/.test(text.slice(end, end + 2)) || text.slice(Math.max(0, start - 2), start) === "//")
      continue;
    found.push({ kind: "email", start, end });
  }
  return found;
}

/** International numbers, North American ones, and any that a word announces. */
const PHONES: readonly RegExp[] = [
  /(?<![\w+.])(?:\+|00(?=[1-9]))[1-9]\d{0,2}(?:[ .-]?\(0?\d{1,4}\))?(?:[ ./-]?\d{1,5}){2,7}(?![\w])/g,
  /(?<![\w.+-])(?:1[ .-])?(?:\([2-9]\d\d\) ?|[2-9]\d\d[.-])[2-9]\d\d[.-]\d{4}(?![\w-])/g,
  /(?<=\b(?:phone|tel|telephone|telefon|mobile|cell|cellphone|fax|whatsapp|handy|call me (?:at|on)|call (?:him|her|them) (?:at|on)|text me (?:at|on)|number is|ring me on|reach me (?:at|on))(?: ?(?:number|no\.?|nr\.?))?(?: is)?[:. ]{1,3})\(?0?\d{2,5}\)?(?:(?:[ .-]| ?\/ ?)?\d{2,5}){1,4}(?![\w])/gi,
];

const MIN_PHONE_DIGITS = 8;
const MAX_PHONE_DIGITS = 15;

export function findPhones(text: string): Finding[] {
  return PHONES.flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(({ 0: match, index }) => {
      const digits = match.replaceAll(/\D/g, "");
      const isPlausible = digits.length >= MIN_PHONE_DIGITS && digits.length <= MAX_PHONE_DIGITS;
      return isPlausible && !isDate(match)
        ? [{ kind: "phone" as const, start: index, end: index + match.length }]
        : [];
    }),
  );
}

function isDate(text: string): boolean {
  return /^(?:19|20)\d\d[-./](?:0\d|1[0-2])[-./][0-3]\d/.test(text);
}

/** The length of an IBAN by country. */
const IBAN_LENGTHS: Readonly<Record<string, number>> = {
  AD: 24,
  AE: 23,
  AL: 28,
  AT: 20,
  AZ: 28,
  BA: 20,
  BE: 16,
  BG: 22,
  BH: 22,
  BR: 29,
  BY: 28,
  CH: 21,
  CR: 22,
  CY: 28,
  CZ: 24,
  DE: 22,
  DK: 18,
  DO: 28,
  EE: 20,
  EG: 29,
  ES: 24,
  FI: 18,
  FO: 18,
  FR: 27,
  GB: 22,
  GE: 22,
  GI: 23,
  GL: 18,
  GR: 27,
  GT: 28,
  HR: 21,
  HU: 28,
  IE: 22,
  IL: 23,
  IQ: 23,
  IS: 26,
  IT: 27,
  JO: 30,
  KW: 30,
  KZ: 20,
  LB: 28,
  LC: 32,
  LI: 21,
  LT: 20,
  LU: 20,
  LV: 21,
  MC: 27,
  MD: 24,
  ME: 22,
  MK: 19,
  MR: 27,
  MT: 31,
  MU: 30,
  NL: 18,
  NO: 15,
  PK: 24,
  PL: 28,
  PS: 29,
  PT: 25,
  QA: 29,
  RO: 24,
  RS: 22,
  SA: 24,
  SC: 31,
  SE: 24,
  SI: 19,
  SK: 24,
  SM: 27,
  ST: 25,
  SV: 28,
  TN: 24,
  TR: 26,
  UA: 29,
  VA: 22,
  VG: 24,
  XK: 20,
};

export function findIbans(text: string): Finding[] {
  const found: Finding[] = [];
  for (const { index } of text.matchAll(/(?<![A-Za-z0-9])[A-Z]{2}\d\d(?=[ -]?[A-Z0-9])/g)) {
    const length = IBAN_LENGTHS[text.slice(index, index + 2)];
    if (length === undefined) continue;
    const end = collectAlphanumerics(text, index, length);
    if (end === null) continue;
    if (passesIbanCheck(text.slice(index, end).replaceAll(/[ -]/g, "")))
      found.push({ kind: "iban", start: index, end });
  }
  return found;
}

/** Returns the end of so many upper-case letters and digits, which may have single spaces or hyphens between them. */
function collectAlphanumerics(text: string, start: number, length: number): number | null {
  let at = start;
  for (let count = 0; count < length; at += 1) {
    const char = text.charAt(at);
    if (/[A-Z0-9]/.test(char)) count += 1;
    else if ((char !== " " && char !== "-") || !/[A-Z0-9]/.test(text.charAt(at + 1))) return null;
  }
  return /[A-Za-z0-9]/.test(text.charAt(at)) ? null : at;
}

// Payment card numbers: the length and prefix of a network, a valid check digit, and the usual grouping.

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
