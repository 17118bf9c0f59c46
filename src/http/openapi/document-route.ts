// How a route stands in the OpenAPI document: its name, its schemas with an example each, and what it may answer
// beside its own.
import { z } from "../../schemas/common";
import type { App, EndpointSpec, Shape } from "../endpoint";
import { ANSWER_HEADERS, problemsOf } from "./common-responses";
import { type Example, exampleOf, pathExample } from "./examples/all-examples";
import { OPERATION_IDS } from "./operation-ids";

export const IdempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, "must be 1 to 255 visible ASCII characters")
  .optional()
  .openapi({
    description:
      "Any text of your own. The same key within 24 hours gives the same answer and does the work once; " +
      "with another body it is a 409.",
  });

export function document<P extends Shape, Q extends Shape, B extends Shape>(
  { openAPIRegistry }: App,
  spec: EndpointSpec<P, Q, B>,
): void {
  const { method, path, summary, description, tag, params, query, body, bodyTypes, answers } = spec;
  const example = exampleOf(method, path);
  const request = {
    ...(params && { params: withExamples(params, (name) => pathExample(path, name)) }),
    ...(query && { query: withExamples(query, (name) => example.query?.[name]) }),
    ...(method === "post" && { headers: z.object({ "Idempotency-Key": IdempotencyKey }) }),
    ...(body && {
      body: {
        content: contentOf(body, bodyTypes?.keys(), example.body, example.bodyText),
        // None at all counts as an empty object.
        required: spec.bodyRequired === true || !body.safeParse({}).success,
      },
    }),
  };
  openAPIRegistry.registerPath({
    method,
    path,
    ...operationId(method, path),
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [tag],
    security: [{ bearer: [] }],
    request,
    responses: { ...own(answers, example), ...problemsOf(spec) },
  });
}

export function operationId(method: string, path: string): { operationId?: string } {
  const id = OPERATION_IDS[`${method.toUpperCase()} ${path}`];
  return id === undefined ? {} : { operationId: id };
}

function own(answers: EndpointSpec<Shape, Shape, Shape>["answers"], { answer, again, answerText }: Example) {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { description, schema, types }]) => {
      const value = status === "200" && again !== undefined ? again : answer;
      const content = contentOf(schema, types, value, answerText);
      const isEmpty = Object.keys(content).length === 0;
      return [status, { description, headers: ANSWER_HEADERS, ...(isEmpty ? {} : { content }) }];
    }),
  );
}

function contentOf(
  schema: Shape | null,
  types: Iterable<string> = [],
  example: unknown = undefined,
  text: string | undefined = undefined,
) {
  return {
    ...(schema === null
      ? {}
      : { "application/json": { schema, ...(example === undefined ? {} : { example }) } }),
    ...Object.fromEntries(
      [...types].map((type) => [
        type,
        { schema: z.string(), ...(text === undefined ? {} : { example: text }) },
      ]),
    ),
  };
}

/** The parameters of a route are always an object's members. */
function withExamples(parameters: Shape, exampleFor: (name: string) => unknown): z.ZodObject {
  const { shape } = parameters as unknown as z.ZodObject<Record<string, z.ZodType>>;
  const members = Object.entries(shape).map(([name, schema]) => {
    const example = exampleFor(name);
    return [name, example === undefined ? schema : schema.openapi({ param: { example } })];
  });
  return z.object(Object.fromEntries(members));
}
