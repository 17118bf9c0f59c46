// The thread (the append-only log of a session) and the projectors that derive spaces from it.

import { COGNITION } from "../limits";
import { AnyJson, boundedJson, integerInQuery, PageQuery, Time, z } from "./common";
import { addExample } from "./examples";

export const THREAD_KINDS = ["message", "tool_call", "tool_result", "signal", "note"] as const;

export const ThreadKind = z.enum(THREAD_KINDS, { error: `must be one of: ${THREAD_KINDS.join(", ")}` });
export type ThreadKind = z.infer<typeof ThreadKind>;

export const ThreadEntryInput = z
  .object({ kind: ThreadKind, payload: boundedJson(COGNITION.payloadBytes), at: Time.optional() })
  .strict();
export type ThreadEntryInput = z.infer<typeof ThreadEntryInput>;

export const ThreadAppend = z
  .object({ entries: z.array(ThreadEntryInput).min(1).max(COGNITION.entriesPerCall) })
  .strict()
  .openapi("ThreadAppend");
addExample(ThreadAppend, {
  entries: [
    { kind: "note", payload: "Our staging server is Hetzner." },
    { kind: "tool_result", payload: { tool: "mix test", passed: 212, failed: 0 } },
  ],
});

export const ThreadAppended = z
  .object({ first_seq: z.number(), last_seq: z.number() })
  .openapi("ThreadAppended");
export type ThreadAppended = z.infer<typeof ThreadAppended>;
addExample(ThreadAppended, { first_seq: 6, last_seq: 7 });

export const ThreadEntry = z
  .object({ seq: z.number(), kind: ThreadKind, payload: AnyJson, at: z.string() })
  .openapi("ThreadEntry");
export type ThreadEntry = z.infer<typeof ThreadEntry>;

const SeqInQuery = integerInQuery(1).optional();

export const ThreadQuery = z.object({
  from: SeqInQuery,
  to: SeqInQuery,
  kind: ThreadKind.optional(),
  limit: PageQuery.shape.limit,
});

export const ThreadPage = z
  .object({ data: z.array(ThreadEntry), next_seq: z.number() })
  .openapi("ThreadPage");
export type ThreadPage = z.infer<typeof ThreadPage>;
addExample(ThreadPage, {
  data: [{ seq: 6, kind: "note", payload: "Our staging server is Hetzner.", at: "2026-11-16T09:17:00.000Z" }],
  next_seq: 8,
});

const SignalPattern = z
  .string()
  .max(256)
  .regex(
    /^(\*{1,2}|[A-Za-z0-9_:/-]+)(\.(\*{1,2}|[A-Za-z0-9_:/-]+))*$/,
    "must be a pattern such as jido.memory.result or jido.**: words of A-Z, a-z, 0-9, _ : / and -, * or **, separated by dots",
  );

export const Trigger = z.object({
  tick: z.boolean().openapi({ description: "Run on the session's alarm while there are new entries" }),
  after: z.number().nullable().openapi({
    description: "Run when this many entries are new, without waiting for a tick; null disables it",
  }),
  signals: z.array(z.string()).openapi({
    description:
      "Run when a signal of a matching type arrives: `*` stands for one word of the type, `**` for any number",
  }),
});
export type Trigger = z.infer<typeof Trigger>;

export const ProjectorView = z
  .object({
    name: z.string(),
    covered_seq: z.number(),
    trigger: Trigger,
    failures: z.number().openapi({ description: "Failures since the last successful run" }),
    retry_at: z.string().nullable(),
  })
  .openapi("Projector");
export type ProjectorView = z.infer<typeof ProjectorView>;
export const PROJECTOR_VIEW_EXAMPLE = addExample(ProjectorView, {
  name: "facts",
  covered_seq: 7,
  trigger: { tick: true, after: 10, signals: ["**"] },
  failures: 0,
  retry_at: null,
});

export const TriggerPatch = z
  .object({
    tick: z.boolean().optional(),
    after: z.number().int().min(1).max(10000).nullable().optional(),
    signals: z.array(SignalPattern).max(COGNITION.signalPatterns).optional(),
  })
  .strict();
export type TriggerPatch = z.infer<typeof TriggerPatch>;

export const ProjectorPatch = z.object({ trigger: TriggerPatch }).strict().openapi("ProjectorPatch");
export type ProjectorPatch = z.infer<typeof ProjectorPatch>;
addExample(ProjectorPatch, { trigger: { after: 10 } });

export const Covers = z.object({ from: z.number(), to: z.number() });
export type Covers = z.infer<typeof Covers>;

export const ProjectorRun = z.object({ projected: z.number(), covers: Covers }).openapi("ProjectorRun");
export type ProjectorRun = z.infer<typeof ProjectorRun>;
addExample(ProjectorRun, { projected: 7, covers: { from: 1, to: 7 } });
