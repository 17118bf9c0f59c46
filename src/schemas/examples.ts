// The examples of the API's reference. Each is declared beside its schema, and documents every body and response of it
// that has no example of its own.
import { z } from "@hono/zod-openapi";
import type { Json } from "../platform/json";

const EXAMPLES = z.registry<{ example: Json }>();

/** Declares the example of a schema, and returns it. */
export function addExample<E extends Json>(schema: z.ZodType, example: E): E {
  EXAMPLES.add(schema, { example });
  return example;
}

/** Finds the example of a schema; of a list without one, a list of its item's example. */
export function findExample(schema: z.ZodType): Json | undefined {
  const known = EXAMPLES.get(schema)?.example;
  if (known !== undefined || !(schema instanceof z.ZodObject)) return known;
  const { data, next_cursor } = schema.shape;
  const item = data instanceof z.ZodArray ? EXAMPLES.get(data.element as z.ZodType)?.example : undefined;
  return item === undefined ? undefined : { data: [item], ...(next_cursor && { next_cursor: null }) };
}
