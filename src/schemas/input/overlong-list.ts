// Finds a list that is longer than its schema allows, before its items are validated: a body of 1 MB has half a million
// of them, and each would be an issue.
import type { z } from "@hono/zod-openapi";
import type { FieldError } from "../../platform/errors";
import { isJsonObject } from "../../platform/json";

/** The items of a list whose schema names no limit: more than any body of valid items has. */
const MAX_ITEMS = 50_000;

type Schema = z.core.$ZodType;
type Overlong = { path: string[]; message: string };

export function findOverlongList(schema: Schema, value: unknown): FieldError | null {
  const found = find(schema, value);
  return found === null ? null : { path: found.path.join("."), message: found.message };
}

function find(schema: Schema, value: unknown): Overlong | null {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "array":
      return Array.isArray(value) ? findInList(schema, def.element, value) : null;
    case "object":
      return isJsonObject(value)
        ? findFirst(Object.entries(def.shape), ([name, member]) => within(name, find(member, value[name])))
        : null;
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "nonoptional":
    case "readonly":
      return find(def.innerType, value);
    case "pipe":
      // The input of a preprocessed value is a function; its schema follows.
      return find((def.in as z.core.$ZodTypes)._zod.def.type === "transform" ? def.out : def.in, value);
    case "union":
      return findInUnion(def.options, value);
    default:
      return null;
  }
}

function findInList(schema: Schema, element: Schema, items: readonly unknown[]): Overlong | null {
  const { maximum } = schema._zod.bag;
  const limit = typeof maximum === "number" ? maximum : MAX_ITEMS;
  if (items.length > limit)
    return { path: [], message: `must have at most ${limit} items, has ${items.length}: send fewer` };
  return findFirst([...items.entries()], ([index, item]) => within(String(index), find(element, item)));
}

/** A list is too long if every branch that it may belong to says so. */
function findInUnion(options: readonly Schema[], value: unknown): Overlong | null {
  const found = options.map((option) => find(option, value));
  const first = found.find((one) => one !== null);
  if (first === undefined) return null;
  const isAllowed = options.some((option, i) => found[i] === null && mayHold(option, value, first.path[0]));
  return isAllowed ? null : first;
}

/** Whether a branch takes the list itself, or the member of an object that has it. */
function mayHold(option: Schema, value: unknown, member: string | undefined): boolean {
  const { def } = (option as z.core.$ZodTypes)._zod;
  if (def.type === "array") return Array.isArray(value);
  if (def.type === "object") return isJsonObject(value) && member !== undefined && member in def.shape;
  return !["string", "number", "boolean", "null", "literal", "enum"].includes(def.type);
}

function within(name: string, found: Overlong | null): Overlong | null {
  return found === null ? null : { ...found, path: [name, ...found.path] };
}

function findFirst<T>(items: readonly T[], search: (item: T) => Overlong | null): Overlong | null {
  for (const item of items) {
    const found = search(item);
    if (found !== null) return found;
  }
  return null;
}
