// Removes an erased memory from a tool result. Results render memories in many ways: clipped, escaped, split into fields,
// or as Markdown beside the list of them. So nothing is compared with the memory's text: what belongs to its id goes.
import { isJsonObject, type Json, type JsonObject, parseJson } from "../kernel/json";
import { ERASED } from "../language/redact-text";

/** The fields that name the memory of an object. They stay, so that a repeated redaction finds the object again. */
const NAMING_FIELDS: readonly string[] = ["id", "memory_id", "memory_ids"];
/** The fields of providers' formats that hold a result. */
const RESULT_FIELDS: readonly string[] = ["content", "output"];
/** The fields of providers' formats that hold the input of a call. */
const INPUT_FIELDS: readonly string[] = ["input", "arguments", "function", "clipped"];

type RedactedResult = {
  payload: string;
  /** Whether the whole result is about an erased memory, as that of the call which wrote it. */
  isAboutOne: boolean;
};

/** Removes memories from the payload of a tool result, which is JSON. Returns null if it names none of them. */
export function redactResult(payload: string, memoryIds: ReadonlySet<string>): RedactedResult | null {
  if (!mentions(payload, memoryIds)) return null;
  const value = parseJson<Json>(payload);
  if (!isJsonObject(value)) return toResult(value, redactValue(value, memoryIds), false);
  const isNamed = names(value, memoryIds);
  // The rest of a clipped result is unknown.
  if (typeof value.clipped === "string") return toResult(value, { ...value, clipped: ERASED }, true);
  const field = RESULT_FIELDS.find((name) => typeof value[name] === "string");
  if (isNamed || field === undefined) return toResult(value, redactValue(value, memoryIds), isNamed);
  const content = parseText(value[field]);
  const redacted = { ...value, [field]: redactValue(value[field] ?? null, memoryIds) };
  return toResult(value, redacted, isJsonObject(content) && names(content, memoryIds));
}

function toResult(before: Json, after: Json, isAboutOne: boolean): RedactedResult | null {
  const payload = JSON.stringify(after);
  return payload === JSON.stringify(before) && !isAboutOne ? null : { payload, isAboutOne };
}

/** Removes the input of a tool call, if it is the call of this result: both name the same id, or the same tool. */
export function redactCall(call: string, result: string): string {
  const [asked, answered] = [parseJson<Json>(call), parseJson<Json>(result)];
  if (!isJsonObject(asked) || !isJsonObject(answered)) return call;
  const id = answered.tool_use_id ?? answered.tool_call_id ?? answered.call_id ?? answered.id;
  const isPair =
    "clipped" in asked ||
    "clipped" in answered ||
    (id === undefined ? asked.name === answered.name : (asked.call_id ?? asked.id) === id);
  if (!isPair) return call;
  const fields = Object.entries(asked).map(([name, value]) => [
    name,
    INPUT_FIELDS.includes(name) ? eraseInput(value) : value,
  ]);
  return JSON.stringify(Object.fromEntries(fields));
}

/** OpenAI's `function` holds the name of the tool beside the arguments. */
function eraseInput(value: Json): Json {
  return isJsonObject(value) && typeof value.name === "string" && "arguments" in value
    ? { ...value, arguments: ERASED }
    : ERASED;
}

function mentions(text: string, memoryIds: ReadonlySet<string>): boolean {
  return [...memoryIds].some((id) => text.includes(id));
}

/** Returns whether an object is a rendering of one of the memories; one that only refers to it is not. */
function names(object: JsonObject, memoryIds: ReadonlySet<string>): boolean {
  return NAMING_FIELDS.some((field) => {
    const value = object[field];
    return [value].flat().some((id) => typeof id === "string" && memoryIds.has(id));
  });
}

function redactValue(value: Json, memoryIds: ReadonlySet<string>): Json {
  if (typeof value === "string") return redactText(value, memoryIds);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, memoryIds));
  if (!isJsonObject(value)) return value;
  if (names(value, memoryIds)) return mapFields(value, eraseValue);
  const redacted = mapFields(value, (field) => redactValue(field, memoryIds));
  // Text beside the list of the memories may render all of them.
  return JSON.stringify(redacted) === JSON.stringify(value) ? value : mapFields(redacted, eraseText);
}

/** A text is JSON, in which the memory is an object, or prose that cites its id. */
function redactText(text: string, memoryIds: ReadonlySet<string>): Json {
  if (memoryIds.has(text) || !mentions(text, memoryIds)) return text;
  const value = parseText(text);
  return typeof value === "object" && value !== null ? JSON.stringify(redactValue(value, memoryIds)) : ERASED;
}

function parseText(text: Json | undefined): Json {
  if (typeof text !== "string" || !/^\s*[[{]/.test(text)) return null;
  try {
    return parseJson<Json>(text);
  } catch {
    // Prose that begins with a bracket.
    return null;
  }
}

function mapFields(object: JsonObject, change: (value: Json) => Json): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [
      name,
      NAMING_FIELDS.includes(name) ? value : change(value),
    ]),
  );
}

/** Numbers and truth values stay: they are scores and counts. */
function eraseValue(value: Json): Json {
  return typeof value === "string" || typeof value === "object" ? value && ERASED : value;
}

function eraseText(value: Json): Json {
  const isText = typeof value === "string" && value !== "";
  const isTexts = Array.isArray(value) && value.some((item) => typeof item === "string");
  return isText || isTexts ? ERASED : value;
}
