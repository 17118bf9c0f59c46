// What every operation of the OpenAPI document may answer beside its own: problems, with an example each, and the
// headers of all answers.

import { LIMITS } from "../../limits";
import { FAILURES, type FailureCode } from "../../platform/errors";
import { z } from "../../schemas/common";
import type { App, EndpointSpec, Shape } from "../endpoint";
import { problemBody } from "../problem-details";
import { problemExamples } from "./examples/problem-examples";

const CODES = Object.keys(FAILURES) as [FailureCode, ...FailureCode[]];

export const Problem = z
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

function headers(...names: (keyof typeof HEADERS)[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export const ANSWER_HEADERS = headers("X-Request-Id", "Server-Timing");

type ProblemAnswer = { name: string; description: string; headers?: (keyof typeof HEADERS)[] };

const PROBLEMS: Readonly<Record<string, ProblemAnswer>> = {
  400: {
    name: "InvalidRequest",
    description:
      "Something in the request is wrong: `errors` names each field and the fix. Nothing was changed",
  },
  401: {
    name: "Unauthorized",
    description: "No key, one that is not known, or one that has expired",
    headers: ["WWW-Authenticate"],
  },
  403: { name: "Forbidden", description: "The key lacks the scope that this call needs" },
  404: {
    name: "NotFound",
    description: "What the call names is not there, or belongs to another tenant",
  },
  409: {
    name: "Conflict",
    description:
      "It does not go with how things stand: a closed session, a stale revision, a key used before",
  },
  413: { name: "PayloadTooLarge", description: `The body is over ${LIMITS.bodyBytes} bytes` },
  429: {
    name: "RateLimited",
    description: "Too many calls, or as much is kept as may be",
    headers: ["Retry-After"],
  },
  default: {
    name: "Failed",
    description: "Any other problem: the service, or something that it needs, does not answer",
  },
};

/** What the answers of all routes refer to. */
export function documentCommonAnswers({ openAPIRegistry }: App): void {
  openAPIRegistry.register("Problem", Problem);
  for (const [name, header] of Object.entries(HEADERS))
    openAPIRegistry.registerComponent("headers", name, { ...header });
  for (const [status, { name, description, headers: more = [] }] of Object.entries(PROBLEMS))
    openAPIRegistry.registerComponent("responses", name, {
      description,
      headers: headers("X-Request-Id", "Server-Timing", ...more),
      content: {
        "application/problem+json": {
          schema: { $ref: "#/components/schemas/Problem" },
          examples: Object.fromEntries(
            Object.entries(problemExamples[status] ?? {}).map(([key, failure]) => [
              key,
              { value: problemBody(failure) },
            ]),
          ),
        },
      },
    });
}

/** The problems that a route can meet, by status, each by reference. */
export function problemsOf<P extends Shape, Q extends Shape, B extends Shape>({
  method,
  path,
  params,
  query,
  body,
}: EndpointSpec<P, Q, B>) {
  const inSession = path.startsWith("/v1/sessions/{id}");
  const named = params !== undefined || NAMED_IN_BODY.includes(path);
  const statuses = {
    400: params !== undefined || query !== undefined || body !== undefined,
    401: true,
    403: true,
    404: named,
    // A POST may repeat an idempotency key.
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

/** Without a parameter in the path, these can still name what is not there. */
const NAMED_IN_BODY = ["/v1/recall", "/v1/forget", "/v1/links"];
