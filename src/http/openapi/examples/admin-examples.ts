// For whoever runs the service.
import type { Examples } from "./example";

export const adminExamples: Examples = {
  "POST /v1/admin/rebuild": {
    body: { tenant: "acme" },
    answer: { rebuilt: 214, skipped: 0, next_cursor: null },
  },
  "GET /v1/admin/index": {
    answer: {
      index: "embedded",
      embedder: "use-lite-int8-1",
      dimensions: 512,
      made_with: { embedder: "use-lite-int8-1", dimensions: 512, index: "embedded" },
      matches: true,
      reembedding: false,
      waiting: 0,
    },
  },
  "GET /v1/admin/doctor": {
    answer: {
      version: "0.1.0",
      status: "fail",
      checks: [
        {
          name: "migrations",
          status: "fail",
          detail: "Not applied: 0005_experience.sql",
          fix: "Run npx wrangler d1 migrations apply kioku --remote (npm start does it for local data)",
        },
        { name: "embedder", status: "ok", detail: "use-lite-int8-1, 512 dimensions", fix: null },
      ],
    },
  },
  "POST /v1/admin/reembed": { body: {}, answer: { done: 9, total: 13, finished: false } },
};
