// The OpenAPI document as a reader meets it: every operation has a name, a tag that is explained, and examples that
// its own schemas accept; and an independent linter finds nothing in it.
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { readOpenApiDocument } from "../../scripts/lib/read-api";
import { runToEnd } from "./kioku-command";

type Schema = Record<string, unknown>;
type Media = { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> };
type Content = Record<string, Media>;
type Parameter = { name: string; in: string; required?: boolean; schema: Schema; example?: unknown };
type Response = { $ref?: string; content?: Content; headers?: Record<string, unknown> };
type Operation = {
  security?: unknown[];
  operationId?: string;
  tags: string[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, Response>;
};
type Document = {
  tags: { name: string; description: string }[];
  info: { description: string };
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, Response & { content: Content }>;
    headers: Record<string, { description: string }>;
    securitySchemes: Record<string, { description: string }>;
  };
};

let document: Document;
let definitions: Record<string, Schema>;
let operations: { name: string; operation: Operation }[];

beforeAll(async () => {
  document = (await readOpenApiDocument()) as unknown as Document;
  definitions = standing(document.components.schemas);
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
});

/** The schema with all that it refers to, as one that stands alone. */
function validator(schema: Schema): z.ZodType {
  return z.fromJSONSchema({ ...standing(schema), $defs: definitions });
}

function standing<T>(schema: T): T {
  return JSON.parse(JSON.stringify(schema).replaceAll("#/components/schemas/", "#/$defs/"));
}

/** What is wrong with the examples of a body or an answer. */
function faults(content: Content): string[] {
  return Object.entries(content).flatMap(([type, { schema, example, examples }]) => {
    const values = examples ? Object.values(examples).map(({ value }) => value) : [example];
    const accepted = validator(schema);
    return values.flatMap((value) => {
      if (value === undefined) return [`${type} has no example`];
      const { error } = accepted.safeParse(value);
      return error ? [`${type}: ${z.prettifyError(error)}`] : [];
    });
  });
}

function succeeding({ responses }: Operation): Response[] {
  return Object.entries(responses).flatMap(([status, response]) => (/^2/.test(status) ? [response] : []));
}

describe("every operation of the OpenAPI document", () => {
  it("has a name of its own, in camelCase", () => {
    const names = operations.map(({ operation }) => operation.operationId ?? "");
    for (const name of names) expect(name).toMatch(/^[a-z][A-Za-z0-9]+$/);
    expect(new Set(names).size).toBe(names.length);
  });

  it("has an example of its body that its schema accepts", () => {
    for (const { name, operation } of operations)
      expect(faults(operation.requestBody?.content ?? {}), name).toEqual([]);
  });

  it("has an example of each answer that its schema accepts", () => {
    for (const { name, operation } of operations)
      for (const { content } of succeeding(operation)) expect(faults(content ?? {}), name).toEqual([]);
  });

  it("has examples of what must be in its path and its query, which its schemas accept", () => {
    for (const { name, operation } of operations)
      for (const { name: parameter, required = false, schema, example } of operation.parameters ?? []) {
        if (required) expect(example, `${name} ${parameter}`).toBeDefined();
        if (example !== undefined) expect(validator(schema).safeParse(example).success, name).toBe(true);
      }
  });

  it("has none of an idempotency key, which must be another one each time", () => {
    const given = operations.flatMap(({ operation }) => operation.parameters ?? []);
    const keys = given.filter(({ name }) => name === "Idempotency-Key");
    expect(keys.length).toBeGreaterThan(0);
    for (const { example } of keys) expect(example).toBeUndefined();
  });

  it("says which headers its answers have", () => {
    for (const { name, operation } of operations) {
      const bookmark = operation.security?.length === 0 ? [] : ["X-Kioku-Bookmark"];
      for (const { headers } of succeeding(operation))
        expect(Object.keys(headers ?? {}), name).toEqual(["X-Request-Id", "Server-Timing", ...bookmark]);
    }
  });

  it("stands under a tag that is explained", () => {
    const explained = document.tags.map((tag) => tag.name);
    const used = new Set(operations.flatMap(({ operation }) => operation.tags));
    expect(new Set(explained)).toEqual(used);
    for (const { name, description } of document.tags) expect(description, name).not.toBe("");
  });
});

describe("the OpenAPI document", () => {
  it("shows the problems that a call can meet, each as the service answers it", () => {
    const { responses } = document.components;
    for (const name of ["InvalidRequest", "Unauthorized", "NotFound", "Conflict", "RateLimited"])
      expect(responses[name], name).toBeDefined();
    for (const [name, { content }] of Object.entries(responses)) expect(faults(content), name).toEqual([]);
  });

  it("explains the headers, the key, and what all calls have in common", () => {
    const { headers, securitySchemes } = document.components;
    expect(Object.keys(headers)).toEqual(
      expect.arrayContaining(["X-Request-Id", "Server-Timing", "Retry-After"]),
    );
    for (const { description } of [...Object.values(headers), ...Object.values(securitySchemes)])
      expect(description).not.toBe("");
    for (const topic of ["Bearer", "problem+json", "next_cursor", "Idempotency-Key"])
      expect(document.info.description).toContain(topic);
  });

  it("passes an independent linter", async () => {
    const script = join(import.meta.dirname, "../../scripts/lint-api.ts");
    const { code, out, err } = await runToEnd(process.execPath, [script], { env: process.env });
    expect(code, out + err).toBe(0);
  });
});
