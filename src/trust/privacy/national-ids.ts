// National identification numbers. Where a number has no check digit, or too weak a one, a word has to announce it.
import {
  passesBsnCheck,
  passesCodiceFiscaleCheck,
  passesCpfCheck,
  passesDniCheck,
  passesGermanTaxCheck,
  passesLuhn,
  passesNirCheck,
  passesPeselCheck,
  passesVerhoeff,
} from "./check-digits";
import type { Finding, NationalIdKind } from "./kinds";

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
