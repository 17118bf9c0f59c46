// Compares an answer with the OpenAPI document, and looks for signs of a defect in it.

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { ApiDocument, Operation } from "./api-document.ts";

export interface FuzzAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** Text of stack traces, SQL and the database's errors. */
const LEAKS = [/\bSQLITE_\w+/, /\bD1_ERROR\b/, /\n\s+at \S+ \(/, /\bSELECT .+ FROM \w+/, /Failed query:/];

/** Larger than any page that the contract permits. */
const MAX_ANSWER_BYTES = 4 * 2 ** 20;

/** `isPartial` permits missing members: a key without the scope read gets ids, revisions and counts alone. */
export type AnswerCheck = (operation: Operation, answer: FuzzAnswer, isPartial?: boolean) => string[];

/** Returns a function that describes what is wrong with an answer. */
export function createAnswerCheck(document: ApiDocument): AnswerCheck {
  const compileWhole = createCompiler(document.components ?? {});
  const compilePartial = createCompiler(omitRequired(document.components ?? {}));

  return ({ responses }, { status, headers, text }, isPartial = false) => {
    const problems: string[] = [];
    if (status >= 500) problems.push(`answered ${status}: ${text.slice(0, 200)}`);
    if (text.length > MAX_ANSWER_BYTES) problems.push(`answered ${text.length} characters`);
    const leak = LEAKS.find((pattern) => status >= 400 && pattern.test(text));
    if (leak !== undefined) problems.push(`shows internals: ${leak.exec(text)?.[0]}`);
    if (headers.get("x-request-id") === null) problems.push("has no X-Request-Id");
    const response = responses[status] ?? responses[`${String(status)[0]}XX`] ?? responses.default;
    if (response === undefined) return [...problems, `answered ${status}, which is not documented`];
    const type = (headers.get("content-type") ?? "").split(";")[0] ?? "";
    if (response.content === undefined) {
      if (text !== "") problems.push(`answered ${status} with a body, which is not documented`);
      return problems;
    }
    const media = response.content[type];
    if (media === undefined) return [...problems, `answered ${status} as "${type}", which is not documented`];
    if (!/[/+]json$/.test(type) || media.schema === undefined) return problems;
    const validate = isPartial ? compilePartial(omitRequired(media.schema)) : compileWhole(media.schema);
    if (!validate(JSON.parse(text))) {
      const [error] = validate.errors ?? [];
      const path = (error?.instancePath ?? "").replaceAll(/\/\d+/g, "/0");
      problems.push(
        `answered ${status} with ${path || "a body"} that ${error?.message} (${JSON.stringify(error?.params)})`,
      );
    }
    return problems;
  };
}

/** Returns a function that compiles schemas which refer to the components of the document. */
function createCompiler(components: object): (schema: object) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: "api", components });
  const validators = new Map<string, ValidateFunction>();
  return (schema) => {
    const text = JSON.stringify(schema).replaceAll('"$ref":"#/components/', '"$ref":"api#/components/');
    const validator = validators.get(text) ?? ajv.compile(JSON.parse(text));
    validators.set(text, validator);
    return validator;
  };
}

function omitRequired(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (name, value: unknown) =>
    name === "required" && Array.isArray(value) ? undefined : value,
  );
}
