// Generates the client's TypeScript from the service's OpenAPI document: a type for each schema, and one map of all
// operations with their input and answer. openapi-typescript cannot do this here: it needs the compiler API that
// TypeScript 7 no longer has.
import type { OpenApiDocument } from "./read-api.ts";

type Components = NonNullable<OpenApiDocument["components"]>;
type Schema = NonNullable<Components["schemas"]>[string];
type SchemaObject = Exclude<Schema, { $ref: string }>;
type PathItem = NonNullable<OpenApiDocument["paths"]>[string];
type Operation = NonNullable<PathItem["get"]>;
type Parameter = Exclude<NonNullable<Operation["parameters"]>[number], { $ref: string }>;
type Response = Exclude<NonNullable<Operation["responses"]>[string], { $ref: string }>;

const HEADER = `// Made from the service's OpenAPI document by scripts/client-types.ts. Do not edit: run \`npm run client:types\`.
`;
const JSON_TYPE = "application/json";
/** A schema that allows all six JSON types allows any value. */
const JSON_TYPES = 6;
const METHODS = ["get", "post", "put", "patch", "delete"] as const;

export function generateClientTypes(
  document: OpenApiDocument,
  failures: Readonly<Record<string, { status: number }>>,
): string {
  const schemas = Object.entries(document.components?.schemas ?? {}).map(
    ([name, schema]) => `${renderComment(schema)}export type ${name} = ${renderType(schema)};\n`,
  );
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    listOperations(item).map(([method, operation]) => renderOperation(`${method} ${path}`, operation)),
  );
  const statuses = Object.entries(failures).map(([code, { status }]) => `  ${code}: ${status},\n`);
  return [
    HEADER,
    `/** The stable codes of failures, with their status. */\nexport const FAILURE_STATUS = {\n${statuses.join("")}} as const;\n`,
    ...schemas,
    `/** Every call: what it takes, in its body or its query, and what it answers. */\nexport interface Operations {\n${operations.join("")}}\n`,
  ].join("\n");
}

/** Keeps the document's order. */
function listOperations(item: PathItem): [string, Operation][] {
  return Object.keys(item).flatMap((key): [string, Operation][] => {
    const method = METHODS.find((name) => name === key);
    const operation = method && item[method];
    return operation ? [[key.toUpperCase(), operation]] : [];
  });
}

function renderOperation(name: string, operation: Operation): string {
  const { summary, description } = operation;
  const responses = Object.entries(operation.responses ?? {}).filter(([status]) => status.startsWith("2"));
  const answers = responses.map(([, response]) => renderAnswer(expectInline(response)));
  return (
    renderComment({ description: description ?? summary }, "  ") +
    `  ${JSON.stringify(name)}: {\n    input: ${renderInput(operation)};\n    answer: ${joinUnion(answers)};\n  };\n`
  );
}

/** The body's type, or that of the query's parameters as one object. */
function renderInput({ requestBody, parameters = [] }: Operation): string {
  const body = requestBody && expectInline(requestBody).content[JSON_TYPE]?.schema;
  const input = body ?? toObjectSchema(parameters.map(expectInline));
  const takesNothing = !isReference(input) && Object.keys(input.properties ?? { any: 1 }).length === 0;
  return takesNothing ? "undefined" : renderType(input, "    ");
}

function toObjectSchema(parameters: Parameter[]): SchemaObject {
  const query = parameters.filter((parameter) => parameter.in === "query");
  return {
    type: "object",
    properties: Object.fromEntries(query.map(({ name, schema = {} }) => [name, schema])),
    required: query.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** Prefers JSON where an operation can also answer in another format. */
function renderAnswer({ content }: Response): string {
  if (content === undefined) return "undefined";
  const json = content[JSON_TYPE];
  return json === undefined ? "string" : renderType(json.schema, "    ");
}

function renderType(schema: Schema | boolean | undefined, indent = ""): string {
  if (typeof schema === "boolean" || schema === undefined) return "unknown";
  if (isReference(schema)) return schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
  if (schema.not !== undefined) return "never";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return joinUnion(schema.enum.map((value) => JSON.stringify(value)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return joinUnion(choices.map((choice) => renderType(choice, indent)));
  if (schema.allOf !== undefined)
    return schema.allOf.map((part) => parenthesise(renderType(part, indent))).join(" & ");
  const types = [schema.type ?? []].flat();
  if (types.length === 0 || types.length === JSON_TYPES) return "unknown";
  return joinUnion(types.map((type) => renderPlainType(type, schema, indent)));
}

function renderPlainType(type: string, schema: SchemaObject, indent: string): string {
  if (type === "integer") return "number";
  if (type === "array") return `${parenthesise(renderType(schema.items, indent))}[]`;
  return type === "object" ? renderObject(schema, indent) : type;
}

function renderObject(schema: SchemaObject, indent: string): string {
  const { properties = {}, required = [], additionalProperties } = schema;
  const inner = `${indent}  `;
  const more = additionalProperties ? `[key: string]: ${renderType(additionalProperties, inner)}` : null;
  const entries = Object.entries(properties);
  if (entries.length === 0) return `{ ${more ?? "[key: string]: unknown"} }`;
  const members = entries.map(([name, property]) => {
    const type = renderType(property, inner);
    // JSON does not distinguish an undefined property from an absent one.
    const member = required.includes(name) ? `: ${type}` : `?: ${type} | undefined`;
    return `${renderComment(property, inner)}${inner}${renderName(name)}${member};\n`;
  });
  return `{\n${members.join("")}${more === null ? "" : `${inner}${more};\n`}${indent}}`;
}

function renderName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}

function renderComment(schema: { description?: string | undefined; default?: unknown }, indent = ""): string {
  const value = schema.default === undefined ? "" : `Default: ${JSON.stringify(schema.default)}`;
  const text = [schema.description, value].filter(Boolean).join(". ");
  if (text === "") return "";
  return `${indent}/** ${text.replaceAll("*/", "*\\/").replaceAll("\n", `\n${indent} * `)} */\n`;
}

/** TypeScript drops the literals beside `string`, and editors then suggest none: `string & {}` keeps them. */
function joinUnion(types: string[]): string {
  const hasLiterals = types.some((type) => type.startsWith('"'));
  const members = types.map((type) => (type === "string" && hasLiterals ? "(string & {})" : type));
  return [...new Set(members)].join(" | ");
}

function parenthesise(type: string): string {
  return / [|&] /.test(type) && !type.startsWith("{") ? `(${type})` : type;
}

function isReference(value: object): value is { $ref: string } {
  return "$ref" in value;
}

/** The document shares only schemas; parameters, bodies and responses are inline. */
function expectInline<T extends object>(value: T): Exclude<T, { $ref: string }> {
  if (isReference(value)) throw new Error(`Cannot resolve ${value.$ref}`);
  return value as Exclude<T, { $ref: string }>;
}
