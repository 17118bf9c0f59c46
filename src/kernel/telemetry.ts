// Typed telemetry events, written to structured logs always and to Analytics Engine when a dataset is bound. Events
// carry names, ids, counts and durations, never the content of memories or queries.
import type { FailureCode } from "./errors";

type Common = { tenant: string; session_id: string | null; duration_ms: number };

export type TelemetryEvent = Common &
  (
    | { event: "remember"; status: "ok"; memory_type: string; deduplicated: boolean }
    | { event: "remember.batch"; memories: number; refused: number }
    | {
        event: "recall";
        status: "ok";
        memory_type: string;
        scope: string;
        mode: string;
        has_query: boolean;
        min_confidence: number;
        limit: number;
        result_count: number;
        degraded: boolean;
      }
    | {
        event: "forget";
        status: "ok";
        memory_id: string;
        memory_type: string;
        has_replacement: boolean;
        has_reason: boolean;
      }
    | { event: "remember" | "recall" | "forget"; status: "refused" | "failed"; code: FailureCode }
    | { event: "promotion.triggered"; trigger: PromotionTrigger; candidates: number }
    | { event: "promotion.completed"; trigger: PromotionTrigger; promoted: number; remaining: number }
    | { event: "promotion.failed"; attempts: number; waiting: number }
    | {
        event: "extraction.completed";
        trigger: PromotionTrigger;
        by: "rules" | "model";
        messages: number;
        candidates: number;
      }
    | { event: "extraction.failed"; failures: number }
    | { event: "context.assembled"; tokens: number; budget: number; memories: number; left_out: number }
    | { event: "context.summarized"; messages: number; tokens: number }
    | { event: "session.status"; status: string }
    | { event: "projector.completed"; projector: string; trigger: string; entries: number }
    | { event: "projector.failed"; projector: string; trigger: string; failures: number }
    | { event: "directive"; directive: string; provider: string; status: "ok" | "error"; attempts: number }
    | { event: "entries.recalled"; scope: string; has_query: boolean; result_count: number }
    | { event: "preflight"; scope: string; inject: string; entries: number; tokens: number }
    | {
        event: "consolidation";
        episodes: number;
        clusters: number;
        created: number;
        updated: number;
        merged: number;
        dry_run: boolean;
      }
    | {
        event: "maintenance";
        summarised: number;
        archived: number;
        merged: number;
        decayed: number;
        contradictions: number;
      }
    | { event: "prime"; kind: string; told: number; tokens: number; degraded: boolean }
    | { event: "capture"; status: "captured" | "skipped" | "failed" }
    | { event: "vectors.indexed"; kind: string; count: number }
    | { event: "vectors.failed"; kind: string; attempts: number; waiting: number }
  );

export type PromotionTrigger = "alarm" | "pause" | "close" | "demand" | "abandon";

export type Telemetry = (event: TelemetryEvent) => void;

export function createTelemetry(dataset: AnalyticsEngineDataset | undefined): Telemetry {
  return (event) => {
    console.log(JSON.stringify(event));
    dataset?.writeDataPoint(toDataPoint(event));
  };
}

/** Uses the tenant as the index, so that sampling is fair between tenants; strings become blobs, numbers doubles. */
function toDataPoint(event: TelemetryEvent): AnalyticsEngineDataPoint {
  const { event: name, tenant, session_id, duration_ms, ...rest } = event;
  const values = Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    indexes: [tenant],
    blobs: [
      name,
      session_id ?? "",
      ...values.flatMap(([, value]) => (typeof value === "number" ? [] : [String(value)])),
    ],
    doubles: [duration_ms, ...values.flatMap(([, value]) => (typeof value === "number" ? [value] : []))],
  };
}
