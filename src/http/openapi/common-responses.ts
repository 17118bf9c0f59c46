// Responses that all operations of the OpenAPI document share: the problems, with examples, and the response headers.

import { LIMITS } from "../../limits";
import { FAILURES, type Failure, type FailureCode } from "../../platform/errors";
import { z } from "../../schemas/common";
import type { App } from "../app-context";
import { problemBody } from "../problem-details";

const CODES = Object.keys(FAILURES) as [FailureCode, ...FailureCode[]];

const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number(),
    code: z.enum(CODES).openapi({ description: "Stable: what a program goes by" }),
    detail: z.string().openapi({ description: "What was wrong, and what to do" }),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .openapi({ description: "Each field that was refused, and why" }),
    current_rev: z.number().optional().openapi({ description: "Of a space, when another was expected" }),
    current_memory_rev: z.number().optional().openapi({ description: "Of the container, likewise" }),
  })
  .openapi("Problem");

const HEADERS = {
  "X-Request-Id": {
    description: "The id of this request: give it to whoever runs the service",
    schema: { type: "string", format: "uuid" },
    example: "6f0c6c1e-7b1e-4b52-9a55-0d5f6a0f3a11",
  },
  "Server-Timing": {
    description: "Milliseconds in each stage of the request",
    schema: { type: "string" },
    example: "auth;dur=0.41, session;dur=2.87, total;dur=3.52",
  },
  "Retry-After": {
    description: "Seconds to wait before the next call",
    schema: { type: "integer", minimum: 0 },
    example: 12,
  },
  "WWW-Authenticate": {
    description: "How to authenticate",
    schema: { type: "string" },
    example: 'Bearer realm="kioku"',
  },
} as const;

function referTo(...names: (keyof typeof HEADERS)[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export const RESPONSE_HEADERS = referTo("X-Request-Id", "Server-Timing");

type ProblemResponse = {
  name: string;
  description: string;
  headers?: (keyof typeof HEADERS)[];
  examples: Readonly<Record<string, Failure>>;
};

const PROBLEMS: Readonly<Record<string, ProblemResponse>> = {
  400: {
    name: "InvalidRequest",
    description:
      "Something in the request is wrong: `errors` names each field and the fix. Nothing was changed",
    examples: {
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
  },
  401: {
    name: "Unauthorized",
    description: "No key, one that is not known, or one that has expired",
    headers: ["WWW-Authenticate"],
    examples: {
      missing: {
        code: "unauthorized",
        detail: "No key was given. Send the header Authorization: Bearer <key>.",
      },
      unknown: { code: "unauthorized", detail: "This key is not known. It was deleted, or mistyped." },
    },
  },
  403: {
    name: "Forbidden",
    description: "The key lacks the scope that this call needs",
    examples: { scope: { code: "forbidden", detail: 'This key lacks the scope "write". It has: read.' } },
  },
  404: {
    name: "NotFound",
    description: "What the call names is not there, or belongs to another tenant",
    examples: {
      memory: {
        code: "not_found",
        detail:
          "Memory not found: 00000000000000000000000000000000. Check the id; recall lists the ids of what is remembered.",
      },
    },
  },
  409: {
    name: "Conflict",
    description:
      "It does not go with how things stand: a closed session, a stale revision, a key used before",
    examples: {
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
  },
  413: {
    name: "PayloadTooLarge",
    description: `The body is over ${LIMITS.bodyBytes} bytes`,
    examples: {
      body: {
        code: "payload_too_large",
        detail: `The body is over ${LIMITS.bodyBytes} bytes. Send it in parts.`,
      },
    },
  },
  429: {
    name: "RateLimited",
    description: "Too many calls, or as much is kept as may be",
    headers: ["Retry-After"],
    examples: {
      rate: { code: "rate_limited", detail: "This key may make 60000 write calls a minute. Wait 12 s." },
      limit: {
        code: "limit_exceeded",
        detail:
          "Session checkout-fix holds 10000 live memories, the limit is 10000. Forget some, or go on in a new session.",
      },
    },
  },
  default: {
    name: "Failed",
    description: "Any other problem: the service, or something that it needs, does not answer",
    examples: {
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
  },
};

/** Registers the components that the responses of all routes refer to. */
export function documentCommonResponses({ openAPIRegistry }: App): void {
  openAPIRegistry.register("Problem", Problem);
  for (const [name, header] of Object.entries(HEADERS))
    openAPIRegistry.registerComponent("headers", name, { ...header });
  for (const { name, description, headers = [], examples } of Object.values(PROBLEMS))
    openAPIRegistry.registerComponent("responses", name, {
      description,
      headers: referTo("X-Request-Id", "Server-Timing", ...headers),
      content: {
        "application/problem+json": {
          schema: { $ref: "#/components/schemas/Problem" },
          examples: Object.fromEntries(
            Object.entries(examples).map(([key, failure]) => [key, { value: problemBody(failure) }]),
          ),
        },
      },
    });
}

type RouteInput = {
  method: string;
  path: string;
  params?: unknown;
  query?: unknown;
  body?: unknown;
  mayBeMissing?: true;
};

/** Lists the problems that a route may return, by status, as references. */
export function listProblems({ method, path, params, query, body, mayBeMissing }: RouteInput) {
  const inSession = path.startsWith("/v1/sessions/{id}");
  const statuses = {
    400: params !== undefined || query !== undefined || body !== undefined,
    401: true,
    403: true,
    404: params !== undefined || mayBeMissing === true,
    // A POST may reuse an idempotency key.
    409: method === "post" || (method !== "get" && inSession),
    413: body !== undefined,
    429: true,
    default: true,
  };
  return Object.fromEntries(
    Object.entries(statuses).flatMap(([status, possible]) => {
      const problem = PROBLEMS[status];
      return possible && problem ? [[status, { $ref: `#/components/responses/${problem.name}` }]] : [];
    }),
  );
}
