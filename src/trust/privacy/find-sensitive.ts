// Finds the sensitive values of a text. Takes time in proportion to its length.
import { findCards, findEmails, findIbans, findPhones } from "./contact-details";
import type { Finding } from "./kinds";
import { findNationalIds } from "./national-ids";
import type { PersonalCategory } from "./privacy-schemas";
import { findAssignedSecrets } from "./secret-assignments";
import { findTokens } from "./secret-tokens";

/** Returns the secrets of a text in order, without overlaps. */
export function findSecrets(text: string): Finding[] {
  return dropOverlaps([...findTokens(text), ...findCards(text), ...findAssignedSecrets(text)]);
}

/** A value that two categories could claim belongs to the first. */
const PERSONAL_DETECTORS: readonly { category: PersonalCategory; find: (text: string) => Finding[] }[] = [
  { category: "iban", find: findIbans },
  { category: "national_id", find: findNationalIds },
  { category: "email", find: findEmails },
  { category: "phone", find: findPhones },
];

/** Returns the secrets and the personal data of some categories in order, without overlaps. */
export function findSensitive(text: string, categories: readonly PersonalCategory[]): Finding[] {
  const secrets = findSecrets(text);
  if (categories.length === 0) return secrets;
  // Every category is looked for, so that the policy on one does not change what counts as another.
  const personal = PERSONAL_DETECTORS.flatMap(({ category, find }) =>
    find(text).map((finding) => ({ ...finding, category })),
  );
  return dropOverlaps([...secrets.map((secret) => ({ ...secret, category: null })), ...personal]).flatMap(
    ({ category, ...finding }) => (category === null || categories.includes(category) ? [finding] : []),
  );
}

/** Keeps the earlier detector's finding where two overlap. Sorts by position. */
function dropOverlaps<T extends Finding>(findings: readonly T[]): T[] {
  const ranked = findings
    .map((finding, rank) => ({ finding, rank }))
    .sort((a, b) => a.finding.start - b.finding.start || a.rank - b.rank);
  const kept: { finding: T; rank: number }[] = [];
  for (const next of ranked) {
    const last = kept.at(-1);
    if (last === undefined || last.finding.end <= next.finding.start) kept.push(next);
    else if (next.rank < last.rank) {
      kept.pop();
      kept.push({
        rank: next.rank,
        finding: {
          ...next.finding,
          start: Math.min(last.finding.start, next.finding.start),
          end: Math.max(last.finding.end, next.finding.end),
        },
      });
    } else last.finding = { ...last.finding, end: Math.max(last.finding.end, next.finding.end) };
  }
  return kept.map(({ finding }) => finding);
}
