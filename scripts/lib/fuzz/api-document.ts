// The parts of an OpenAPI 3.1 document that a campaign reads.

export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  additionalProperties?: boolean | JsonSchema;
  minItems?: number;
  minLength?: number;
  minimum?: number;
  maximum?: number;
  format?: string;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
}

interface Media {
  schema?: JsonSchema;
  example?: unknown;
}

export interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  example?: unknown;
  schema?: JsonSchema;
}

export interface Response {
  $ref?: string;
  content?: Record<string, Media>;
}

interface OperationObject {
  operationId?: string;
  parameters?: Parameter[];
  requestBody?: { content?: Record<string, Media> };
  responses?: Record<string, Response>;
}

export interface ApiDocument {
  paths: Record<string, Record<string, OperationObject>>;
  components?: Record<string, Record<string, unknown>>;
}

export interface Operation {
  method: string;
  path: string;
  name: string;
  parameters: Parameter[];
  body: Media | undefined;
  bodyType: string | undefined;
  responses: Record<string, Response>;
}

const METHODS = ["get", "post", "put", "patch", "delete"];

export function listOperations(document: ApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, { operationId, parameters = [], requestBody, responses = {} }]) => {
        const [bodyType, body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
        return {
          method: method.toUpperCase(),
          path,
          name: operationId ?? `${method.toUpperCase()} ${path}`,
          parameters: parameters.map((parameter) => resolveReference(document, parameter)),
          body,
          bodyType,
          responses: Object.fromEntries(
            Object.entries(responses).map(([status, response]) => [
              status,
              resolveReference(document, response),
            ]),
          ),
        };
      }),
  );
}

/** Follows `#/components/<group>/<name>`. */
export function resolveReference<T extends { $ref?: string }>(document: ApiDocument, value: T): T {
  if (value.$ref === undefined) return value;
  const [, , group = "", name = ""] = value.$ref.split("/");
  const target = document.components?.[group]?.[name];
  if (target === undefined) throw new Error(`The document has no ${value.$ref}`);
  return resolveReference(document, target as T);
}
