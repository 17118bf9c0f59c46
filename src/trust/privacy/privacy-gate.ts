// The privacy gate: what passes it has its secrets masked, and its personal data masked or refused by policy. The
// repositories and the session's object put everything they store through one.
import { FailureError, fail, failure, ok, type Result } from "../../kernel/errors";
import { isJsonObject } from "../../kernel/json";
import {
  createMaskReport,
  listMasked,
  type MaskedCount,
  maskValues,
  type RefusedValue,
  type WrapFunction,
} from "./mask-values";
import { withoutRefusal } from "./privacy-policy";
import type { PrivacyPolicy } from "./privacy-schemas";

export type GateOptions = {
  /** Returns the policy of a project, or of records without one. */
  lookUp: (projectId: string | null) => PrivacyPolicy;
  /** Whether personal data that the policy refuses fails the call; otherwise it is masked. */
  refuses: boolean;
  /** Receives what was masked; one of its own without. */
  masked?: MaskCollector;
};

declare const MASKED: unique symbol;

/** A value that has passed the gate. */
export type Masked<T> = T & { readonly [MASKED]: true };

export type PrivacyGate = {
  /** Returns values as they may be stored. Throws, and stores nothing, if the policy refuses one. */
  clean: <T>(values: T, projectId?: string | null) => Masked<T>;
  /**
   * Runs work on a list of values as they may be stored, and returns the result of each. One that the policy refuses
   * fails alone; the work does not run if there is no other.
   */
  passEach: <T, R>(
    values: readonly T[],
    work: (cleaned: Masked<T>[]) => Promise<Result<R>[]>,
    projectId?: string | null,
  ) => Promise<Result<R>[]>;
  /** Like `clean`, and masks where the policy would refuse: what is deleted has been stored. */
  cleanDeleted: <T>(values: T, projectId?: string | null) => Masked<T>;
  masked: MaskCollector;
};

export function createPrivacyGate({
  lookUp,
  refuses,
  masked = createMaskCollector(),
}: GateOptions): PrivacyGate {
  const run = <T>(values: T, projectId: string | null, canRefuse: boolean): Masked<T> => {
    const report = createMaskReport();
    const find = canRefuse ? lookUp : (project: string | null) => withoutRefusal(lookUp(project));
    const wrap: WrapFunction =
      (build) =>
      (...args) =>
        cleanBuilt(build(...args), args[0], (built, project) => run(built, project ?? projectId, canRefuse));
    const cleaned = maskValues(values, { lookUp: find, report, wrap }, projectId);
    const [refused] = report.refused;
    if (refused !== undefined) throw refuseValue(refused);
    if (report.masked.size > 0) masked.add(listMasked(report));
    return cleaned as Masked<T>;
  };
  return {
    clean: (values, projectId = null) => run(values, projectId, refuses),
    async passEach(values, work, projectId = null) {
      const passed = values.map((value) => settle(() => run(value, projectId, refuses)));
      const accepted = passed.flatMap((result) => (result.ok ? [result.value] : []));
      const results = (accepted.length === 0 ? [] : await work(accepted)).values();
      return passed.map((result) =>
        result.ok ? (results.next().value ?? fail("internal", "The write returned no result.")) : result,
      );
    },
    cleanDeleted: (values, projectId = null) => run(values, projectId, false),
    masked,
  };
}

/**
 * Cleans a record that a function has built from an earlier one, so that a value which is built later is no way around
 * the gate. The members that it takes over are stored already, and stay as they are.
 */
function cleanBuilt(
  built: unknown,
  before: unknown,
  clean: (built: unknown, projectId: string | null) => unknown,
): unknown {
  if (!isJsonObject(built)) return clean(built, null);
  const projectId = typeof built.project_id === "string" ? built.project_id : null;
  if (!isJsonObject(before)) return clean(built, projectId);
  const changed = Object.entries(built).filter(([name, value]) => value !== before[name]);
  return { ...built, ...(clean(Object.fromEntries(changed), projectId) as object) };
}

function settle<T>(work: () => T): Result<T> {
  try {
    return ok(work());
  } catch (error) {
    if (error instanceof FailureError) return { ok: false, failure: error.failure };
    throw error;
  }
}

/** Names of arguments and records that hold the fields of a request. */
const WRAPPERS = new Set(["memory", "record", "episode", "put", "create"]);

function refuseValue({ path, kind }: RefusedValue): FailureError {
  const segments = path.split(".");
  const first = segments.findIndex((segment) => !/^\d+$/.test(segment) && !WRAPPERS.has(segment));
  const field = segments.slice(Math.max(0, first)).join(".");
  const message = `has personal data (${kind}), which the privacy policy refuses: remove it, or change the policy with PUT /v1/privacy`;
  return failure("unprocessable", `${field}: ${message}`, { errors: [{ path: field, message }] });
}

/** Adds up what the parts of a call have masked. */
export type MaskCollector = {
  add: (masked: readonly MaskedCount[]) => void;
  list: () => MaskedCount[];
  /** Returns the sum, and starts again from nothing. */
  take: () => MaskedCount[];
};

export function createMaskCollector(): MaskCollector {
  let report = createMaskReport();
  return {
    add(counts) {
      for (const { kind, count } of counts) report.masked.set(kind, (report.masked.get(kind) ?? 0) + count);
    },
    list: () => listMasked(report),
    take() {
      const taken = listMasked(report);
      report = createMaskReport();
      return taken;
    },
  };
}

/** Returns an answer with what its call masked. */
export function withMasked<T extends object>(answer: T, collector: MaskCollector): T {
  const masked = collector.take();
  return masked.length === 0 ? answer : { ...answer, masked };
}
