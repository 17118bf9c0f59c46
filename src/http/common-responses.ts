// Responses that all operations of the OpenAPI document share: the problems, with examples, and the response headers.

import { z } from "../kernel/common";
import { FAILURE_CODES, type Failure, REPORTED_ERRORS } from "../kernel/errors";
import { LIMITS } from "../kernel/limits";
import type { App } from "./app-context";
import { problemBody } from "./problem-details";
import { BOOKMARK_EXAMPLE, BOOKMARK_HEADER } from "./read-bookmark";

const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number(),
    code: z.enum(FAILURE_CODES).openapi({
      description: "Machine-readable error code. Stable across versions.",
    }),
    detail: z.string().openapi({ description: "What is wrong, and how to fix it." }),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .openapi({
        description: `The invalid fields, with the reason of each: the first ${REPORTED_ERRORS}.`,
      }),
    more_errors: z.number().optional().openapi({ description: "The number of further invalid fields." }),
    current_rev: z.number().optional().openapi({
      description: "The current revision of the space, if another was expected.",
    }),
    current_memory_rev: z.number().optional().openapi({
      description: "The current revision of the container, if another was expected.",
    }),
    line: z.number().optional().openapi({
      description: "The line of a SPARQL query, or of an import, that is invalid, from 1.",
    }),
    column: z.number().optional().openapi({ description: "Where a SPARQL query is malformed, from 1." }),
  })
  .openapi("Problem");

const HEADERS = {
  "X-Request-Id": {
    description: "The id of this request. Quote it when you report a problem",
    schema: { type: "string", format: "uuid" },
    example: "6f0c6c1e-7b1e-4b52-9a55-0d5f6a0f3a11",
  },
  "Server-Timing": {
    description: "Duration of each stage of the request, in milliseconds",
    schema: { type: "string" },
    example: "auth;dur=0.41, session;dur=2.87, total;dur=3.52",
  },
  [BOOKMARK_HEADER]: {
    description:
      "The state of the database that this call has seen or written, if it has reached it. Send the greatest one, by text " +
      "order, with your next call: a replica answers it then only if it has all of that",
    schema: { type: "string" },
    example: BOOKMARK_EXAMPLE,
  },
  "Retry-After": {
    description: "Seconds to wait before the next request",
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

export const RESPONSE_HEADERS = referTo("X-Request-Id", "Server-Timing", BOOKMARK_HEADER);

/** The headers of routes that reach no database. */
export const PUBLIC_HEADERS = referTo("X-Request-Id", "Server-Timing");

type ProblemResponse = {
  name: string;
  description: string;
  headers?: (keyof typeof HEADERS)[];
  examples: Readonly<Record<string, Failure>>;
};

const PROBLEMS: Readonly<Record<string, ProblemResponse>> = {
  400: {
    name: "InvalidRequest",
    description: "The request is invalid: `errors` names each field and the fix. Nothing was changed",
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
    description: "The key is missing, unknown or expired",
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
    description: "The key lacks the scope that this operation requires",
    examples: { scope: { code: "forbidden", detail: 'This key lacks the scope "write". It has: read.' } },
  },
  404: {
    name: "NotFound",
    description: "The resource does not exist, or belongs to another tenant",
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
      "The request conflicts with the current state: a closed session, a stale revision, a reused idempotency key",
    examples: {
      idempotency: {
        code: "conflict",
        detail: "This Idempotency-Key was used with another body or query. Use a new key for a new request.",
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
    description: "The rate limit or a storage limit is exceeded",
    headers: ["Retry-After"],
    examples: {
      rate: { code: "rate_limited", detail: "This key may make 60000 write calls a minute. Wait 12 s." },
      limit: {
        code: "limit_exceeded",
        detail:
          "Session checkout-fix holds 10000 live memories, the limit is 10000. Forget some, or continue in a new session.",
      },
    },
  },
  default: {
    name: "Failed",
    description: "Any other problem: the service or one of its dependencies is unavailable",
    examples: {
      unavailable: {
        code: "unavailable",
        detail:
          "The long-term store did not answer. Nothing was confirmed; sending the same call again is safe.",
      },
      internal: {
        code: "internal",
        detail:
          "Internal error. Report request id 6f0c6c1e-7b1e-4b52-9a55-0d5f6a0f3a11 to the operator of this service.",
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
  body?: unknown;
  mayBeMissing?: true;
};

/** Lists the problems that a route may return, by status, as references. */
export function listProblems({ method, path, params, body, mayBeMissing }: RouteInput) {
  const inSession = path.startsWith("/v1/sessions/{id}");
  const statuses = {
    400: true,
    401: true,
    403: true,
    404: params !== undefined || mayBeMissing === true,
    // A POST may reuse an idempotency key.
    409: method !== "get" && (method !== "delete" || inSession),
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
