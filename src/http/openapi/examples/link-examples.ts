// Two memories that contradict each other, and how that is settled.
import type { Examples } from "./example";

const LINK = {
  id: "8ac6da3a4cfcb62da1645ee7fb360a9a",
  from: "d2738fe512d8476e3f904e9c40532471",
  to: "b924eb2b8ea1f386820e4e58919566bf",
  relation: "contradicts",
  strength: 0.8,
  created_at: "2026-11-16T09:11:00.000Z",
};

const CONTRADICTION = {
  id: "8ac6da3a4cfcb62da1645ee7fb360a9a",
  status: "open",
  strength: 0.8,
  created_at: "2026-11-16T09:11:00.000Z",
  memories: [
    {
      id: "d2738fe512d8476e3f904e9c40532471",
      kind: "memory",
      content: "Hotfixes are deployed on any day",
      confidence: 0.8,
      timestamp: "2026-11-16T09:09:00.000Z",
      status: "live",
    },
    {
      id: "b924eb2b8ea1f386820e4e58919566bf",
      kind: "memory",
      content: "We deploy on Fridays only after the smoke tests pass",
      confidence: 0.9,
      timestamp: "2026-11-16T09:08:00.000Z",
      status: "live",
    },
  ],
  resolution: null,
};

export const linkExamples: Examples = {
  "POST /v1/links": {
    body: {
      from: "d2738fe512d8476e3f904e9c40532471",
      to: "b924eb2b8ea1f386820e4e58919566bf",
      relation: "contradicts",
      strength: 0.8,
    },
    answer: LINK,
  },
  "GET /v1/links": {
    query: { of: "b924eb2b8ea1f386820e4e58919566bf" },
    answer: {
      data: [
        {
          id: "354979b01367ad670963c7cda20b972f",
          from: "b924eb2b8ea1f386820e4e58919566bf",
          to: "runbook.md",
          relation: "derived_from",
          strength: 1,
          direction: "out",
          created_at: null,
        },
        { ...LINK, direction: "in" },
      ],
      next_cursor: null,
    },
  },
  "GET /v1/contradictions": { answer: { data: [CONTRADICTION], next_cursor: null } },
  "POST /v1/contradictions/{id}/resolve": {
    body: { action: "keep_both", reason: "Hotfixes are the exception to the rule" },
    answer: {
      ...CONTRADICTION,
      status: "resolved",
      resolution: {
        action: "keep_both",
        kept: null,
        reason: "Hotfixes are the exception to the rule",
        resolved_at: "2026-11-16T09:12:00.000Z",
      },
    },
  },
  "DELETE /v1/links/{id}": {},
};
