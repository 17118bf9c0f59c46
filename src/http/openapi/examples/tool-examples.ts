// What the agent remembers, recalls and forgets.
import type { Examples } from "./example";

const DEPLOY = {
  id: "b924eb2b8ea1f386820e4e58919566bf",
  kind: "memory",
  content: "We deploy on Fridays only after the smoke tests pass",
  type: "process_convention",
  confidence: 0.9,
  timestamp: "2026-11-16T09:08:00.000Z",
  session_id: "checkout-fix",
  agent_id: "ada",
  project_id: "shop",
  source_type: "agent",
  rationale: "Agreed after the outage in May",
  score: 1.5057,
  signals: { lexical: 1, semantic: 0.3107, recency: 1, importance: 1, mode: "hybrid" },
  superseded_by: null,
  access_count: 1,
};

export const toolExamples: Examples = {
  "POST /v1/sessions/{id}/remember": {
    body: {
      content: "We deploy on Fridays only after the smoke tests pass",
      type: "process_convention",
      confidence: 0.9,
      rationale: "Agreed after the outage in May",
      evidence: ["runbook.md"],
      properties: { hasConventionScope: "ProjectScope", hasEnforcementLevel: "Required" },
    },
    answer: {
      remembered: true,
      memory_id: "b924eb2b8ea1f386820e4e58919566bf",
      memory_type: "process_convention",
      message: "Stored process_convention memory b924eb2b8ea1f386820e4e58919566bf",
      deduplicated: false,
    },
    again: {
      remembered: true,
      memory_id: "b924eb2b8ea1f386820e4e58919566bf",
      memory_type: "process_convention",
      message: "Already remembered as process_convention memory b924eb2b8ea1f386820e4e58919566bf",
      deduplicated: true,
    },
  },
  "POST /v1/remember": {
    body: {
      content: "Hotfixes are deployed on any day",
      type: "process_convention",
      source_type: "user",
      project_id: "shop",
      key: "hotfix-deployments",
      properties: { hasConventionScope: "ProjectScope", hasEnforcementLevel: "Advisory" },
    },
    answer: {
      remembered: true,
      memory_id: "d2738fe512d8476e3f904e9c40532471",
      memory_type: "process_convention",
      message: "Stored process_convention memory d2738fe512d8476e3f904e9c40532471",
      deduplicated: false,
    },
    again: {
      remembered: true,
      memory_id: "d2738fe512d8476e3f904e9c40532471",
      memory_type: "process_convention",
      message: "Already remembered as process_convention memory d2738fe512d8476e3f904e9c40532471",
      deduplicated: true,
    },
  },
  "POST /v1/sessions/{id}/recall": {
    body: { query: "Is there a rule for deploying?", type: "convention", limit: 3 },
    answer: { count: 1, memories: [DEPLOY] },
  },
  "POST /v1/recall": {
    body: { query: "When may a hotfix go out?", project_id: "shop", limit: 1 },
    answer: {
      count: 1,
      memories: [
        {
          id: "d2738fe512d8476e3f904e9c40532471",
          kind: "memory",
          content: "Hotfixes are deployed on any day",
          type: "process_convention",
          confidence: 0.8,
          timestamp: "2026-11-16T09:09:00.000Z",
          session_id: null,
          agent_id: null,
          project_id: "shop",
          source_type: "user",
          rationale: null,
          score: 1.7333,
          signals: { lexical: 1, semantic: 0.5433, recency: 1, importance: 1, mode: "hybrid" },
          superseded_by: null,
          access_count: 1,
        },
      ],
    },
  },
  "GET /v1/tools": {
    answer: [
      {
        type: "function",
        function: {
          name: "forget",
          description:
            "Mark a memory as superseded (soft delete). It stays for provenance but is no longer recalled. Use it when information is outdated or wrong; name the memory that replaces it if there is one.",
          parameters: {
            type: "object",
            properties: {
              memory_id: {
                type: "string",
                pattern: "^[A-Za-z0-9_-]{1,128}$",
                description: "Id of the memory to forget",
              },
              reason: { description: "Why it is no longer valid", type: "string" },
              replacement_id: {
                description: "Id of the memory that takes its place",
                type: "string",
                pattern: "^[A-Za-z0-9_-]{1,128}$",
              },
            },
            required: ["memory_id"],
            additionalProperties: false,
          },
        },
      },
    ],
  },
  "POST /v1/tools/execute": {
    body: {
      session_id: "checkout-fix",
      call: {
        id: "call_7Qb2",
        type: "function",
        function: { name: "recall", arguments: '{"query":"deploy","limit":1}' },
      },
    },
    answer: {
      role: "tool",
      tool_call_id: "call_7Qb2",
      content:
        '{"count":1,"memories":[{"id":"b924eb2b8ea1f386820e4e58919566bf","kind":"memory","content":"We deploy on Fridays only after the smoke tests pass","type":"process_convention","confidence":0.9,"timestamp":"2026-11-16T09:08:00.000Z","session_id":"checkout-fix","agent_id":"ada","project_id":"shop","source_type":"agent","rationale":"Agreed after the outage in May","score":1.3416,"signals":{"lexical":1,"semantic":0.1466,"recency":1,"importance":1,"mode":"hybrid"},"superseded_by":null,"access_count":2}]}',
    },
  },
  "POST /v1/sessions/{id}/forget": {
    body: {
      memory_id: "ab6a92ee32fc50cabc64c255171ccc6b",
      reason: "Fixed: guests are known by their e-mail now",
    },
    answer: {
      forgotten: true,
      memory_id: "ab6a92ee32fc50cabc64c255171ccc6b",
      message: "Memory ab6a92ee32fc50cabc64c255171ccc6b has been superseded",
      reason: "Fixed: guests are known by their e-mail now",
    },
  },
  "POST /v1/forget": {
    body: {
      memory_id: "d2738fe512d8476e3f904e9c40532471",
      reason: "No longer done since July",
      replacement_id: "b924eb2b8ea1f386820e4e58919566bf",
    },
    answer: {
      forgotten: true,
      memory_id: "d2738fe512d8476e3f904e9c40532471",
      message: "Memory d2738fe512d8476e3f904e9c40532471 has been superseded",
      reason: "No longer done since July",
      replacement_id: "b924eb2b8ea1f386820e4e58919566bf",
    },
  },
};
