// What goes wrong in the story, by the status that says so.

import { LIMITS } from "../../../limits";
import type { Failure } from "../../../platform/errors";

export const problemExamples: Readonly<Record<string, Readonly<Record<string, Failure>>>> = {
  400: {
    missing: {
      code: "invalid_request",
      detail: "content: is required",
      errors: [{ path: "content", message: "is required" }],
    },
    unknown: {
      code: "invalid_request",
      detail: "contents: is not a known field: remove it or check its spelling",
      errors: [{ path: "contents", message: "is not a known field: remove it or check its spelling" }],
    },
  },
  401: {
    missing: {
      code: "unauthorized",
      detail: "No key was given. Send the header Authorization: Bearer <key>.",
    },
    unknown: { code: "unauthorized", detail: "This key is not known. It was deleted, or mistyped." },
  },
  403: {
    scope: { code: "forbidden", detail: 'This key lacks the scope "write". It has: read.' },
  },
  404: {
    memory: {
      code: "not_found",
      detail:
        "Memory not found: 00000000000000000000000000000000. Check the id; recall lists the ids of what is remembered.",
    },
  },
  409: {
    idempotency: {
      code: "conflict",
      detail: "This Idempotency-Key was used with another body. Use a new key for a new request.",
    },
    revision: {
      code: "conflict",
      detail: "Space hypotheses is at rev 2, expected_rev is 1: read it again and repeat the change.",
      current_rev: 2,
      current_memory_rev: 2,
    },
  },
  413: {
    body: {
      code: "payload_too_large",
      detail: `The body is over ${LIMITS.bodyBytes} bytes. Send it in parts.`,
    },
  },
  429: {
    rate: { code: "rate_limited", detail: "This key may make 60000 write calls a minute. Wait 12 s." },
    limit: {
      code: "limit_exceeded",
      detail:
        "Session checkout-fix holds 10000 live memories, the limit is 10000. Forget some, or go on in a new session.",
    },
  },
  default: {
    unavailable: {
      code: "unavailable",
      detail:
        "The long-term store did not answer. Nothing was confirmed; sending the same call again is safe.",
    },
    internal: {
      code: "internal",
      detail:
        "Something failed here. Give request id 6f0c6c1e-7b1e-4b52-9a55-0d5f6a0f3a11 to whoever runs this service.",
    },
  },
};
