// What the session's object is made of: its core, and how its calls answer.
import { DurableObject } from "cloudflare:workers";
import { type Bindings, readSettings } from "../platform/env";
import { describeDefect, FailureError, fail, ok, type Result } from "../platform/errors";
import type { Idempotency } from "../platform/idempotency";
import { createTelemetry, type Telemetry } from "../platform/telemetry";
import { SessionCore } from "./session-core";
import type { SessionRef } from "./session-record";

export abstract class SessionBase extends DurableObject<Bindings> {
  /** The clock, in milliseconds. A field, so that a test can set it. */
  now: () => number = () => Date.now();

  protected readonly core: SessionCore;
  protected readonly telemetry: Telemetry;

  constructor(state: DurableObjectState, env: Bindings) {
    super(state, env);
    this.telemetry = createTelemetry(env.TELEMETRY);
    this.core = new SessionCore({
      state,
      env,
      settings: readSettings(env),
      telemetry: this.telemetry,
      now: () => this.now(),
    });
  }

  /** Work of several steps on a session that exists, once per idempotency key. */
  protected once<T>(ref: SessionRef, idempotency: Idempotency, work: () => Promise<T>): Promise<Result<T>> {
    return this.answer(async () => {
      this.core.existing(ref);
      return this.core.once(idempotency, work);
    });
  }

  /** Failures become values; anything else is a defect, logged by its name alone. */
  protected async answer<T>(work: () => Promise<T>): Promise<Result<T>> {
    try {
      await this.core.reconcileAlarm();
      return ok(await work());
    } catch (error) {
      if (error instanceof FailureError) return { ok: false, failure: error.failure };
      console.error(JSON.stringify({ event: "session.error", ...describeDefect(error) }));
      return fail(
        "internal",
        "The session failed on this call. It is logged; sending the same call again is safe.",
      );
    }
  }
}
