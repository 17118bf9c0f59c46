// Generates requests from the OpenAPI document: plausible ones, and ones with hostile values, missing or unknown
// members, broken JSON and wrong headers.
import {
  type ApiDocument,
  type JsonSchema,
  type Operation,
  type Parameter,
  resolveReference,
} from "./api-document.ts";
import { pickHostileJson, pickHostileString } from "./hostile-values.ts";
import type { Random } from "./random.ts";

export interface FuzzRequest {
  operation: Operation;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/** Strings that earlier answers contained, by the name of their member: ids that exist. */
export type KnownValues = Map<string, string[]>;

export interface GeneratorOptions {
  document: ApiDocument;
  random: Random;
  known: KnownValues;
}

const MAX_DEPTH = 6;
const IDEMPOTENCY_KEYS = 50;

/** Percent-encoding that is no UTF-8. */
const MALFORMED_ENCODING = "%E0%A4%A";

export function generateRequest(options: GeneratorOptions, operation: Operation): FuzzRequest {
  const { random } = options;
  const query = operation.parameters
    .filter((parameter) => parameter.in === "query" && random.chance(parameter.required ? 0.95 : 0.3))
    .map((parameter) => [parameter.name, generateParameter(options, parameter)] as const);
  if (random.chance(0.03)) query.push([pickHostileString(random), pickHostileString(random)]);
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = operation.parameters.find((one) => one.in === "path" && one.name === name);
    const value = generateParameter(options, parameter ?? { name, in: "path" }, operation.path);
    return random.chance(0.01) ? MALFORMED_ENCODING : encode(value) || "%20";
  });
  const search = query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
  return {
    operation,
    path: search === "" ? path : `${path}?${search}`,
    headers: generateHeaders(random, operation),
    body: operation.body === undefined ? undefined : generateBody(options, operation),
  };
}

const encode = (text: string) => encodeURIComponent(text.toWellFormed());

function generateHeaders(random: Random, { method, bodyType }: Operation): Record<string, string> {
  const headers: Record<string, string> = {};
  if (bodyType !== undefined)
    headers["content-type"] = random.chance(0.97)
      ? bodyType
      : random.pick(["text/plain", "application/xml", ""]);
  if (method === "POST" && random.chance(0.1))
    headers["idempotency-key"] = `fuzz-${random.below(IDEMPOTENCY_KEYS)}`;
  if (random.chance(0.03)) headers.accept = random.pick(["text/turtle", "text/markdown", "image/png", "*/*"]);
  return headers;
}

/** Prefers a value that exists: a request for something unknown tests little. */
function generateParameter(
  { document, random, known }: GeneratorOptions,
  parameter: Parameter,
  path = "",
): string {
  if (random.chance(0.07)) return pickHostileString(random);
  const { name } = parameter;
  // The collection before an id tells what it is: /v1/memories/{id} takes a memory_id.
  const collection = /\/(\w+)s\/\{id\}/.exec(path)?.[1]?.replace(/ie$/, "y");
  const values = [name === "id" ? `${collection}_id` : name, name].map((key) => known.get(key) ?? []);
  const existing = random.chance(0.7)
    ? random.pickAny(values.find((list) => list.length > 0) ?? [])
    : undefined;
  if (existing !== undefined) return existing;
  if (parameter.example !== undefined) return String(parameter.example);
  const value = generateValue({ document, random, known }, parameter.schema ?? { type: "string" }, name);
  return typeof value === "string" ? value : JSON.stringify(value);
}

function generateBody(options: GeneratorOptions, { body, bodyType }: Operation): string {
  const { random } = options;
  const schema = body?.schema ?? {};
  const value =
    body?.example !== undefined && random.chance(0.5)
      ? replaceKnown(options, body.example)
      : generateValue(options, schema, "");
  const text = typeof value === "string" && bodyType !== "application/json" ? value : JSON.stringify(value);
  if (random.chance(0.5)) return text;
  if (random.chance(0.05)) return text.slice(0, random.below(text.length + 1));
  if (random.chance(0.03)) return pickHostileJson(random);
  return mutateJson(random, text);
}

/** Replaces values of the example by ones that exist. */
function replaceKnown({ random, known }: GeneratorOptions, example: unknown): unknown {
  return JSON.parse(JSON.stringify(example), (name, value: unknown) => {
    const existing = typeof value === "string" ? known.get(name) : undefined;
    return existing !== undefined && random.chance(0.8) ? random.pickAny(existing) : value;
  });
}

const MARK = "\u0001";

/** Replaces one value by a hostile one, removes it, or adds a member. Works on text: some values are no JavaScript. */
function mutateJson(random: Random, text: string): string {
  const value: unknown = JSON.parse(text);
  const places = listPlaces(value);
  const place = random.pickAny(places);
  if (place === undefined) return pickHostileJson(random);
  const { holder, key } = place;
  const action = random.next();
  if (action < 0.2) Reflect.deleteProperty(holder, key);
  else if (action < 0.3) Reflect.set(holder, random.pick(["unknown", "toString", "limit", "id"]), MARK);
  else Reflect.set(holder, key, MARK);
  return JSON.stringify(value).replace(JSON.stringify(MARK), () => pickHostileJson(random));
}

function listPlaces(value: unknown): { holder: object; key: string }[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [{ holder: value, key }, ...listPlaces(member)]);
}

function generateValue(options: GeneratorOptions, given: JsonSchema, name: string, depth = 0): unknown {
  const { document, random, known } = options;
  const schema = resolveReference(document, given);
  const choice = random.pickAny(schema.anyOf ?? schema.oneOf ?? []);
  if (choice !== undefined) return generateValue(options, choice, name, depth + 1);
  if (schema.allOf !== undefined)
    return Object.assign({}, ...schema.allOf.map((part) => generateValue(options, part, name, depth + 1)));
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return random.pickAny(schema.enum);
  const type = Array.isArray(schema.type) ? random.pickAny(schema.type) : schema.type;
  switch (type) {
    case "object": {
      const members = Object.entries(schema.properties ?? {}).filter(
        ([member]) => schema.required?.includes(member) || (depth < MAX_DEPTH && random.chance(0.3)),
      );
      return Object.fromEntries(
        members.map(([member, value]) => [member, generateValue(options, value, member, depth + 1)]),
      );
    }
    case "array": {
      const length = Math.max(schema.minItems ?? 0, depth < MAX_DEPTH ? random.below(3) : 0);
      return Array.from({ length }, () => generateValue(options, schema.items ?? {}, name, depth + 1));
    }
    case "integer":
      return (schema.minimum ?? 0) + random.below(10);
    case "number":
      return (schema.minimum ?? 0) + random.next() * ((schema.maximum ?? 1) - (schema.minimum ?? 0));
    case "boolean":
      return random.chance(0.5);
    case "null":
      return null;
    default:
      if (schema.format === "date-time") return new Date(1.7e12 + random.below(1e11)).toISOString();
      return (random.chance(0.7) ? random.pickAny(known.get(name) ?? []) : undefined) ?? pickText(random);
  }
}

const WORDS = [
  "deploy",
  "friday",
  "tea",
  "Berlin",
  "getUserById",
  "日本語",
  "naïve",
  "smoke tests",
  "42",
  "we use tabs",
];

function pickText(random: Random): string {
  return Array.from({ length: 1 + random.below(4) }, () => random.pickAny(WORDS)).join(" ");
}
