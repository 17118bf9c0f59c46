// The service's OpenAPI document as TypeScript: a type for each schema, and one map of all calls with what they take and
// answer. Our own, because openapi-typescript is built on the compiler API that TypeScript 7 no longer has.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "./worker.mjs";

const HEADER = `// Made from the service's OpenAPI document by scripts/client-types.mjs. Do not edit: run \`npm run client:types\`.
`;
const JSON_TYPE = "application/json";
/** A value of all the types that JSON has can be anything. */
const JSON_TYPES = 6;

/** The document and the codes of failures, asked of the service's own code, without a server. */
export async function readService() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: {
      contents: 'export { createApp } from "./src/app"; export { FAILURES } from "./src/errors";',
      resolveDir: root,
      loader: "ts",
    },
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*"],
    loader: {
      ".sql": "text",
      ".txt": "text",
      ".html": "text",
      ".css": "text",
      ".wasm": "empty",
      ".bin": "empty",
    },
    logLevel: "silent",
  });
  const folder = await mkdtemp(join(tmpdir(), "kioku-types-"));
  try {
    const path = join(folder, "app.mjs");
    await writeFile(path, outputFiles[0].contents);
    const { createApp, FAILURES } = await import(pathToFileURL(path).href);
    const answer = await createApp().request("/openapi.json", {}, { ADMIN_KEY: "none" });
    if (!answer.ok) throw new Error(`The service does not tell its OpenAPI document: ${await answer.text()}`);
    return { document: await answer.json(), failures: FAILURES };
  } finally {
    await rm(folder, { recursive: true });
  }
}

export function generate({ document, failures }) {
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `${comment(schema)}export type ${name} = ${typeOf(schema)};\n`,
  );
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => operation(method.toUpperCase(), path, call)),
  );
  const statuses = Object.entries(failures).map(([code, { status }]) => `  ${code}: ${status},\n`);
  return [
    HEADER,
    `/** The stable codes of failures, with their status. */\nexport const FAILURE_STATUS = {\n${statuses.join("")}} as const;\n`,
    ...schemas,
    `/** Every call: what it takes, in its body or its query, and what it answers. */\nexport interface Operations {\n${calls.join("")}}\n`,
  ].join("\n");
}

function operation(method, path, { summary, description, parameters = [], requestBody, responses }) {
  const query = parameters.filter((parameter) => parameter.in === "query");
  const body = requestBody?.content[JSON_TYPE]?.schema ?? {
    type: "object",
    properties: Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
    required: query.filter(({ required }) => required).map(({ name }) => name),
  };
  const takesNothing = body.$ref === undefined && Object.keys(body.properties ?? { any: 1 }).length === 0;
  const input = takesNothing ? "undefined" : typeOf(body, "    ");
  const answers = Object.entries(responses)
    .filter(([status]) => /^2/.test(status))
    .map(([, { content }]) => answerOf(content));
  return (
    comment({ description: description ?? summary }, "  ") +
    `  ${JSON.stringify(`${method} ${path}`)}: {\n    input: ${input};\n    answer: ${union(answers)};\n  };\n`
  );
}

/** JSON where there is any; a call that can also answer as text is asked for it. */
function answerOf(content) {
  if (content === undefined) return "undefined";
  return content[JSON_TYPE] === undefined ? "string" : typeOf(content[JSON_TYPE].schema, "    ");
}

function typeOf(schema, indent = "") {
  if (schema === true || schema === undefined) return "unknown";
  if (schema.not !== undefined) return "never";
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return union(choices.map((choice) => typeOf(choice, indent)));
  if (schema.allOf !== undefined)
    return schema.allOf.map((part) => wrapped(typeOf(part, indent))).join(" & ");
  const types = [schema.type ?? []].flat();
  if (types.length === 0 || types.length === JSON_TYPES) return "unknown";
  return union(types.map((type) => plain(type, schema, indent)));
}

function plain(type, schema, indent) {
  if (type === "integer") return "number";
  if (type === "array") return `${wrapped(typeOf(schema.items, indent))}[]`;
  return type === "object" ? object(schema, indent) : type;
}

function object({ properties = {}, required = [], additionalProperties }, indent) {
  const inner = `${indent}  `;
  const more = additionalProperties ? `[key: string]: ${typeOf(additionalProperties, inner)};` : null;
  const names = Object.keys(properties);
  if (names.length === 0) return more === null ? "{ [key: string]: unknown }" : `{ ${more.slice(0, -1)} }`;
  const members = names.map((name) => {
    const type = typeOf(properties[name], inner);
    // Left out and undefined are the same in JSON.
    const member = required.includes(name) ? `: ${type}` : `?: ${type} | undefined`;
    return `${comment(properties[name], inner)}${inner}${memberName(name)}${member};\n`;
  });
  return `{\n${members.join("")}${more === null ? "" : `${inner}${more}\n`}${indent}}`;
}

function memberName(name) {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}

function union(types) {
  return [...new Set(types)].join(" | ");
}

function wrapped(type) {
  return / [|&] /.test(type) && !type.startsWith("{") ? `(${type})` : type;
}

function comment(schema, indent = "") {
  const value = schema.default === undefined ? "" : `Default: ${JSON.stringify(schema.default)}`;
  const text = [schema.description, value].filter(Boolean).join(". ");
  if (text === "") return "";
  return `${indent}/** ${text.replaceAll("*/", "*\\/").replaceAll("\n", `\n${indent} * `)} */\n`;
}
