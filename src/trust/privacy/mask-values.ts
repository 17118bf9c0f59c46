// Masks the sensitive values of texts and of JSON values. A mask names the kind and nothing of the value, and masking
// twice changes nothing.
import { isJsonObject } from "../../kernel/json";
import { removeInvisible } from "../../kernel/validate-input";
import { toSingleLine } from "../../language/normalise-text";
import { splitSentences } from "../../language/sentences";
import { findSecrets, findSensitive } from "./find-sensitive";
import { type Finding, getPersonalCategory, isSecretKind, type SensitiveKind } from "./kinds";
import { PERSONAL_CATEGORIES, type PersonalCategory, type PrivacyPolicy } from "./privacy-schemas";
import { announcesSecret, judgeMember } from "./secret-assignments";

export type MaskedCount = { kind: SensitiveKind; count: number };

/** A value that the policy refuses, by the path of its field. */
export type RefusedValue = { path: string; kind: SensitiveKind };

/** Collects what a walk over values has masked and refused. */
type MaskReport = { masked: Map<SensitiveKind, number>; refused: RefusedValue[] };

export function createMaskReport(): MaskReport {
  return { masked: new Map(), refused: [] };
}

export function listMasked({ masked }: MaskReport): MaskedCount[] {
  return [...masked].map(([kind, count]) => ({ kind, count })).sort((a, b) => (a.kind < b.kind ? -1 : 1));
}

/** Begins a mask of a secret, and of nothing else. */
const SECRET_MASK = "[secret:";

export function renderMask(kind: SensitiveKind): string {
  return isSecretKind(kind) ? `${SECRET_MASK}${kind}]` : `[personal:${kind}]`;
}

/** Returns whether a sentence has a secret, the mask of one, or words that announce one: it is not worth remembering. */
export function hasSecret(text: string): boolean {
  return text.includes(SECRET_MASK) || announcesSecret(text) || findSecrets(text).length > 0;
}

/** Returns the text with its secrets masked. */
export function maskSecrets(text: string): string {
  return replaceFindings(text, findSecrets(text));
}

/** Returns the text with masks in place of the findings, which are in order and do not overlap. */
export function replaceFindings(text: string, findings: readonly Finding[]): string {
  if (findings.length === 0) return text;
  let masked = "";
  let from = 0;
  for (const { kind, start, end } of findings) {
    masked += text.slice(from, start) + renderMask(kind);
    from = end;
  }
  return masked + text.slice(from);
}

/** The policy of the values under an object, by the project that the object names. */
type PolicyLookup = (projectId: string | null) => PrivacyPolicy;

/** Replaces a function by one whose result is masked when it is called. */
export type WrapFunction = (built: (...args: unknown[]) => unknown) => (...args: unknown[]) => unknown;

type Walk = { lookUp: PolicyLookup; report: MaskReport; wrap: WrapFunction };

/**
 * Returns a value with the secrets and the personal data of all its texts masked, the same value if there are none.
 * An object's `project_id` decides on the policy of everything in it.
 */
export function maskValues<T>(value: T, walk: Walk, projectId: string | null): T {
  return maskAny(value, walk.lookUp(projectId), walk, []) as T;
}

function maskAny(value: unknown, policy: PrivacyPolicy, walk: Walk, path: readonly string[]): unknown {
  if (typeof value === "string") return maskField(value, policy, walk.report, path);
  if (typeof value === "function") return walk.wrap(value as Parameters<WrapFunction>[0]);
  if (Array.isArray(value))
    return maskEach(value, (item, i) => maskAny(item, policy, walk, [...path, String(i)]));
  if (!isPlainObject(value)) return value;
  const { project_id } = value;
  const inner = typeof project_id === "string" ? walk.lookUp(project_id) : policy;
  let changed = false;
  const entries = Object.entries(value).map(([name, item]) => {
    const member = maskMember(name, item, inner, walk, [...path, name]);
    const key = maskSecrets(name);
    if (key !== name) count(walk.report, findSecrets(name));
    changed ||= member !== item || key !== name;
    return [key, member] as const;
  });
  return changed ? Object.fromEntries(entries) : value;
}

function maskEach(items: readonly unknown[], mask: (item: unknown, i: number) => unknown): unknown {
  let copy: unknown[] | null = null;
  for (const [i, item] of items.entries()) {
    const masked = mask(item, i);
    if (masked === item) continue;
    copy ??= [...items];
    copy[i] = masked;
  }
  return copy ?? items;
}

function maskMember(
  name: string,
  item: unknown,
  policy: PrivacyPolicy,
  walk: Walk,
  path: readonly string[],
): unknown {
  if (typeof item !== "string") return maskAny(item, policy, walk, path);
  const kind = judgeMember(name, item);
  if (kind === null) return maskField(item, policy, walk.report, path);
  walk.report.masked.set(kind, (walk.report.masked.get(kind) ?? 0) + 1);
  return renderMask(kind);
}

/** Fields that identify a record: the id of a user may be an e-mail address, and is not masked. */
const IDENTIFIER = /(?:^|_)(?:id|ids|op|fingerprint|digest|identity|subject|iri|url)$/;

/** A path without a name is an argument that stands alone, which is an id. */
function isIdentifier(path: readonly string[]): boolean {
  const name = path.findLast((segment) => !/^\d+$/.test(segment));
  return name === undefined || IDENTIFIER.test(name);
}

/** Every invisible character is one. */
const NON_ASCII = /[^\p{ASCII}]/u;

function maskField(text: string, policy: PrivacyPolicy, report: MaskReport, path: readonly string[]): string {
  const categories = isIdentifier(path) ? [] : listWatched(policy);
  // What is stored may lose its invisible characters later, which would complete a value that they interrupt.
  const visible = NON_ASCII.test(text) ? removeInvisible(text) : text;
  const findings = findSensitive(visible, categories);
  if (findings.length === 0) return text;
  for (const { kind } of findings)
    if (!isSecretKind(kind) && policy.personal_data[getPersonalCategory(kind)] === "refuse")
      report.refused.push({ path: path.join("."), kind });
  count(report, findings);
  return replaceFindings(visible, findings);
}

function count({ masked }: MaskReport, findings: readonly Finding[]): void {
  for (const { kind } of findings) masked.set(kind, (masked.get(kind) ?? 0) + 1);
}

function listWatched({ personal_data }: PrivacyPolicy): PersonalCategory[] {
  return PERSONAL_CATEGORIES.filter((category) => personal_data[category] !== "allow");
}

function isPlainObject(value: unknown): value is { [key: string]: unknown } {
  if (!isJsonObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Drops sentences with secrets: summaries reach prompts and the provider of the model. A text with a secret also
 * loses its code and quotations, which may repeat it; one without remaining words is dropped.
 */
export function redactSecrets<T extends { text: string }>(utterance: T): T[] {
  const line = toSingleLine(utterance.text);
  // Most messages have no secret and need no splitting.
  if (!hasSecret(line)) return line === "" ? [] : [utterance];
  const sentences = splitSentences(utterance.text).map((sentence) => toSingleLine(sentence.text));
  const text = dropSecrets(sentences).join("\n");
  return text === "" ? [] : [{ ...utterance, text }];
}

function dropSecrets(sentences: readonly string[]): string[] {
  const isSecret = sentences.map((sentence) => hasSecret(sentence));
  // The value of a secret may follow on a line of its own.
  const startsSecret = sentences.map(
    (sentence, at) =>
      isSecret[at] === false && isSecret[at + 1] === false && hasSecret(`${sentence} ${sentences[at + 1]}`),
  );
  return sentences.filter((_, at) => !(isSecret[at] || startsSecret[at] || startsSecret[at - 1]));
}
