// National identification numbers. Where a number has no check digit, or too weak a one, a word has to announce it.
import type { Finding, NationalIdKind } from "./kinds";

// Check digits of card numbers, bank accounts and national ids. Each function takes digits (or letters and digits)
// without separators.

/** Returns whether the Luhn check digit is valid: payment cards, Swedish ids. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i += 1) {
    const digit = Number(digits[digits.length - 1 - i]);
    sum += i % 2 === 0 ? digit : digit < 5 ? digit * 2 : digit * 2 - 9;
  }
  return sum % 10 === 0;
}

/** Returns the remainder of a long number, digit by digit. */
function computeRemainder(digits: string, modulus: number): number {
  let rest = 0;
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % modulus;
  return rest;
}

/** Returns whether an IBAN has the remainder 1 of ISO 7064 mod 97-10. */
export function passesIbanCheck(iban: string): boolean {
  const moved = iban.slice(4) + iban.slice(0, 4);
  const digits = moved.replaceAll(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return computeRemainder(digits, 97) === 1;
}

/** German tax id: one digit occurs two or three times among the first ten; ISO 7064 mod 11,10. */
export function passesGermanTaxCheck(digits: string): boolean {
  if (digits.startsWith("0")) return false;
  const counts = new Map<string, number>();
  for (const digit of digits.slice(0, 10)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
  const repeated = [...counts.values()].filter((count) => count > 1);
  if (repeated.length !== 1 || (repeated[0] ?? 0) > 3) return false;
  let product = 10;
  for (const digit of digits.slice(0, 10)) {
    const sum = (Number(digit) + product) % 10;
    product = ((sum === 0 ? 10 : sum) * 2) % 11;
  }
  return (11 - product) % 10 === Number(digits[10]);
}

const DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE";

/** Spanish DNI (eight digits and a letter) or NIE (X, Y or Z, seven digits and a letter). */
export function passesDniCheck(id: string): boolean {
  const first = "XYZ".indexOf(id.charAt(0));
  const digits = first === -1 ? id.slice(0, 8) : `${first}${id.slice(1, 8)}`;
  return DNI_LETTERS[Number(digits) % 23] === id.charAt(8);
}

/** Brazilian CPF: two check digits, and not one digit eleven times. */
export function passesCpfCheck(digits: string): boolean {
  if (new Set(digits).size === 1) return false;
  return [9, 10].every((length) => {
    const sum = sumWeighted(digits, (i) => (i < length ? length + 1 - i : 0));
    const rest = (sum * 10) % 11;
    return (rest === 10 ? 0 : rest) === Number(digits[length]);
  });
}

/** French social security number: 97 minus the remainder of the first thirteen digits. */
export function passesNirCheck(digits: string): boolean {
  return 97 - computeRemainder(digits.slice(0, 13), 97) === Number(digits.slice(13));
}

const ODD_VALUES = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
];

/** Italian fiscal code: the last letter is the sum of the values of the others, which depend on their position. */
export function passesCodiceFiscaleCheck(code: string): boolean {
  let sum = 0;
  for (let i = 0; i < 15; i += 1) {
    const char = code.charCodeAt(i);
    const value = char < 58 ? char - 48 : char - 65;
    sum += i % 2 === 0 ? (ODD_VALUES[value] ?? 0) : value;
  }
  return String.fromCharCode(65 + (sum % 26)) === code.charAt(15);
}

const PESEL_WEIGHTS = [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1];

/** Polish PESEL: weighted sum of eleven digits. */
export function passesPeselCheck(digits: string): boolean {
  return sumWeighted(digits, (i) => PESEL_WEIGHTS[i] ?? 0) % 10 === 0;
}

/** Dutch BSN: the eleven test of nine digits. */
export function passesBsnCheck(digits: string): boolean {
  return digits !== "000000000" && sumWeighted(digits, (i) => (i === 8 ? -1 : 9 - i)) % 11 === 0;
}

function sumWeighted(digits: string, weigh: (i: number) => number): number {
  let sum = 0;
  for (let i = 0; i < digits.length; i += 1) sum += Number(digits[i]) * weigh(i);
  return sum;
}

const VERHOEFF_PRODUCT = [
  "0123456789",
  "1234067895",
  "2340178956",
  "3401289567",
  "4012395678",
  "5987604321",
  "6598710432",
  "7659821043",
  "8765932104",
  "9876543210",
];

const VERHOEFF_PERMUTATION = [
  "0123456789",
  "1576283094",
  "5803796142",
  "8916043527",
  "9453126870",
  "4286573901",
  "2793806415",
  "7046913258",
];

/** Indian Aadhaar number: Verhoeff check digit. */
export function passesVerhoeff(digits: string): boolean {
  let check = 0;
  for (let i = 0; i < digits.length; i += 1) {
    const permuted = Number(VERHOEFF_PERMUTATION[i % 8]?.[Number(digits[digits.length - 1 - i])]);
    check = Number(VERHOEFF_PRODUCT[check]?.[permuted]);
  }
  return check === 0;
}

type IdRule = {
  kind: NationalIdKind;
  pattern: RegExp;
  /** Takes the number without separators. */
  isValid: (id: string) => boolean;
  /** A word that must stand shortly before it. */
  announcedBy?: RegExp;
};

const ID_RULES: readonly IdRule[] = [
  {
    kind: "us_ssn",
    pattern: /(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}(?![\w-])/g,
    isValid: () => true,
  },
  {
    kind: "us_ssn",
    pattern: /(?<![\w-])(?!000|666|9)\d{3} ?(?!00)\d\d ?(?!0000)\d{4}(?![\w-])/g,
    isValid: () => true,
    announcedBy: /\b(?:ssn|social security)\b/i,
  },
  {
    kind: "uk_nino",
    pattern:
      /(?<![A-Za-z0-9])(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?: ?\d\d){3} ?[A-D](?![A-Za-z0-9])/g,
    isValid: () => true,
  },
  {
    kind: "de_tax_id",
    pattern: /(?<![\w.+-])[1-9]\d ?\d{3} ?\d{3} ?\d{3}(?![\w-])/g,
    isValid: passesGermanTaxCheck,
  },
  {
    kind: "es_dni",
    pattern: /(?<![A-Za-z0-9])(?:\d{8}|[XYZ]-?\d{7})[ -]?[A-HJ-NP-TV-Z](?![A-Za-z0-9])/g,
    isValid: passesDniCheck,
  },
  {
    kind: "se_personnummer",
    pattern: /(?<![\w.-])(?:(?:19|20)\d\d|\d\d)(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[-+]\d{4}(?![\w-])/g,
    isValid: (id) => passesLuhn(id.slice(-10)),
  },
  {
    kind: "br_cpf",
    pattern: /(?<![\w.-])\d{3}\.\d{3}\.\d{3}-\d\d(?![\w-])/g,
    isValid: passesCpfCheck,
  },
  {
    kind: "br_cpf",
    pattern: /(?<![\w.-])\d{11}(?![\w-])/g,
    isValid: passesCpfCheck,
    announcedBy: /\bcpf\b/i,
  },
  {
    kind: "fr_nir",
    pattern: /(?<![\w-])[12] ?\d\d ?(?:0[1-9]|1[0-2]|[2-9]\d) ?\d\d ?\d{3} ?\d{3} ?\d\d(?![\w-])/g,
    isValid: passesNirCheck,
  },
  {
    kind: "it_codice_fiscale",
    pattern: /(?<![A-Za-z0-9])[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z](?![A-Za-z0-9])/g,
    isValid: passesCodiceFiscaleCheck,
  },
  {
    kind: "pl_pesel",
    pattern: /(?<![\w.-])\d{11}(?![\w-])/g,
    isValid: passesPeselCheck,
    announcedBy: /\bpesel\b/i,
  },
  {
    kind: "nl_bsn",
    pattern: /(?<![\w.-])\d{9}(?![\w-])/g,
    isValid: passesBsnCheck,
    announcedBy: /\b(?:bsn|burgerservicenummer)\b/i,
  },
  {
    kind: "in_aadhaar",
    pattern: /(?<![\w-])(?<!\d )[2-9]\d{3} \d{4} \d{4}(?! ?\d)(?![\w-])/g,
    isValid: passesVerhoeff,
  },
];

/** How far before a number the word that announces it may stand, in characters. */
const ANNOUNCED_WITHIN = 40;

export function findNationalIds(text: string): Finding[] {
  return ID_RULES.flatMap(({ kind, pattern, isValid, announcedBy }) => {
    if (announcedBy !== undefined && !announcedBy.test(text)) return [];
    return [...text.matchAll(pattern)].flatMap(({ 0: match, index }) => {
      const isAnnounced =
        announcedBy === undefined ||
        announcedBy.test(text.slice(Math.max(0, index - ANNOUNCED_WITHIN), index));
      return isAnnounced && isValid(match.replaceAll(/[^A-Z0-9]/g, ""))
        ? [{ kind, start: index, end: index + match.length }]
        : [];
    });
  });
}
