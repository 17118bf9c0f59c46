// What happened, what is projected from it, and a directive with its signal.
import type { Examples } from "./example";

const PROJECTOR = {
  name: "facts",
  covered_seq: 7,
  trigger: { tick: true, after: 10 },
  failures: 0,
  retry_at: null,
};

export const threadExamples: Examples = {
  "POST /v1/sessions/{id}/thread": {
    body: {
      entries: [
        { kind: "note", payload: "Our staging server is Hetzner." },
        { kind: "tool_result", payload: { tool: "mix test", passed: 212, failed: 0 } },
      ],
    },
    answer: { first_seq: 6, last_seq: 7 },
  },
  "GET /v1/sessions/{id}/thread": {
    answer: {
      data: [
        { seq: 6, kind: "note", payload: "Our staging server is Hetzner.", at: "2026-11-16T09:17:00.000Z" },
      ],
      next_seq: 8,
    },
  },
  "POST /v1/sessions/{id}/projectors/{name}/run": {
    body: {},
    answer: { projected: 7, covers: { from: 1, to: 7 } },
  },
  "PATCH /v1/sessions/{id}/projectors/{name}": { body: { trigger: { after: 10 } }, answer: PROJECTOR },
  "GET /v1/sessions/{id}/projectors": {
    answer: {
      data: [
        { name: "summary", covered_seq: 0, trigger: { tick: true, after: 50 }, failures: 0, retry_at: null },
        PROJECTOR,
        { name: "tasks", covered_seq: 0, trigger: { tick: true, after: 50 }, failures: 0, retry_at: null },
        {
          name: "vectors",
          covered_seq: 0,
          trigger: { tick: true, after: null },
          failures: 0,
          retry_at: null,
        },
      ],
    },
  },
  "POST /v1/sessions/{id}/directives": {
    body: {
      type: "upsert",
      provider: "inline",
      request_id: "note-412",
      items: [{ key: "SHOP-412", value: { title: "Guest checkout fails" } }],
    },
    answer: { request_id: "note-412" },
  },
  "GET /v1/sessions/{id}/signals": {
    answer: {
      data: [
        {
          specversion: "1.0",
          id: "checkout-fix:1",
          source: "/v1/sessions/checkout-fix",
          type: "jido.memory.promoted",
          time: "2026-11-16T09:07:00.000Z",
          datacontenttype: "application/json",
          data: {
            promoted: [
              {
                memory_id: "16304ee22c42a268346723dde09797e6",
                memory_type: "fact",
                importance_score: 0.6725,
              },
              {
                memory_id: "ab6a92ee32fc50cabc64c255171ccc6b",
                memory_type: "discovery",
                importance_score: 0.655,
              },
            ],
          },
          seq: 1,
        },
        {
          specversion: "1.0",
          id: "checkout-fix:2",
          source: "/v1/sessions/checkout-fix",
          type: "jido.memory.result",
          time: "2026-11-16T09:19:00.000Z",
          datacontenttype: "application/json",
          data: {
            request_id: "note-412",
            result: { upserted: 1 },
            status: "ok",
            meta: { provider: "inline", latency_ms: 0, attempts: 1 },
          },
          seq: 2,
        },
      ],
      next: 2,
    },
  },
};
