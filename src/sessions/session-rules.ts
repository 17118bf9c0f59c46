// The tenant's rules in a session: its privacy policies, combined with the session's own mode, and its ontology.

import { FailureError, type Result, unavailable } from "../kernel/errors";
import { isJsonObject } from "../kernel/json";
import { BUILT_IN_ONTOLOGY, type TenantOntology } from "../ontology/tenant-ontology";
import { createPrivacyGate, type MaskCollector, type PrivacyGate } from "../trust/privacy/privacy-gate";
import { type PrivacyRules, resolvePrivacy } from "../trust/privacy/privacy-policy";
import type { SessionRecord } from "./session-record";

type SessionPrivacyOptions = {
  /** Returns the session's record, undefined if there is no session yet. */
  readRecord: () => SessionRecord | undefined;
  loadRules: (tenant: string) => Promise<PrivacyRules>;
};

/**
 * Whether the values go to the session's own window or thread, which keep what was said unless the mode is strict.
 * `recorded` ones have passed the gate of another call, and are neither counted nor refused. `items` are a list, the first
 * argument, that is answered item by item: one that the policy refuses fails alone.
 */
export type Destination = "store" | "window" | "recorded" | "items";

/** The privacy gate for what is written to a session, and for what is derived from its window and thread. */
export class SessionPrivacy {
  readonly #options: SessionPrivacyOptions;
  #rules: PrivacyRules | null = null;
  /** Cleans what is derived from the window and the thread, and what leaves the session. */
  readonly derived: PrivacyGate;

  constructor(options: SessionPrivacyOptions) {
    this.#options = options;
    this.derived = createPrivacyGate({ lookUp: (projectId) => this.#lookUp(projectId), refuses: false });
  }

  /** Uses the policies of a call. Reads them for a call without any, if none are known. */
  async use({ tenant, rules }: { tenant: string; rules?: PrivacyRules }): Promise<void> {
    if (rules !== undefined) this.#rules = rules;
    else if (this.#rules === null) await this.reload(tenant);
  }

  /**
   * Reads the policies again, before work that no call has started. Without an answer the known ones hold; if none are
   * known, nothing passes the gate until they are.
   */
  async reload(tenant: string): Promise<void> {
    try {
      this.#rules = await this.#options.loadRules(tenant);
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
    }
  }

  /** Runs a write with its arguments as they may be stored. Throws, and runs nothing, if the policy refuses them. */
  pass(
    args: readonly unknown[],
    destination: Destination,
    masked: MaskCollector,
    write: (args: readonly unknown[]) => Promise<unknown>,
  ): Promise<unknown> {
    const projectId = this.#options.readRecord()?.project_id ?? findProject(args);
    const isRecorded = destination === "recorded";
    const gate = createPrivacyGate({
      lookUp: (project) => this.#lookUp(project),
      refuses: !isRecorded,
      ...(isRecorded ? {} : { masked }),
    });
    if (destination === "items") {
      const [items, ...rest] = args as [unknown[], ...unknown[]];
      const writeItems = (cleaned: unknown[]) => write([cleaned, ...rest]) as Promise<Result<unknown>[]>;
      return gate.passEach(items, writeItems, projectId);
    }
    const cleaned = gate.clean(args, projectId);
    const keeps = destination !== "store" && this.#lookUp(projectId).privacy !== "strict";
    return write(keeps ? args : cleaned);
  }

  #lookUp(projectId: string | null) {
    if (this.#rules === null)
      throw unavailable(
        "The privacy policies did not answer.",
        "Nothing was stored; send the same call again.",
      );
    const record = this.#options.readRecord();
    // What a session of a project stores belongs to that project, whichever a call names.
    return resolvePrivacy(this.#rules, record?.project_id ?? projectId, record?.privacy ?? null);
  }
}

/** Returns the project that a write would create the session for. */
function findProject(args: readonly unknown[]): string | null {
  for (const arg of args.flat()) {
    if (!isJsonObject(arg)) continue;
    const owner = isJsonObject(arg.owner) ? arg.owner : arg;
    if (typeof owner.project_id === "string") return owner.project_id;
  }
  return null;
}

/** The ontology with the tenant's extensions: the memories that a session writes must not violate its shapes. */
export class SessionOntology {
  #current: TenantOntology = BUILT_IN_ONTOLOGY;
  readonly #reload: (tenant: string) => Promise<void>;

  /** `reload` reads the ontology and passes it to `set`. */
  constructor(reload: (tenant: string) => Promise<void>) {
    this.#reload = reload;
  }

  get current(): TenantOntology {
    return this.#current;
  }

  set(ontology: TenantOntology): void {
    this.#current = ontology;
  }

  /** Reads the ontology again if a call knows another version of it. */
  async use({ tenant, ontology }: { tenant: string; ontology?: string | null }): Promise<void> {
    if (ontology !== undefined && ontology !== this.#current.version) await this.#reload(tenant);
  }
}
