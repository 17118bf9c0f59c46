// Parses JSON with comments and trailing commas into nodes with their places, so that an edit leaves the rest as it is.

export type JsonNode = {
  type: "object" | "array" | "scalar";
  value: unknown;
  start: number;
  /** The place after the node. */
  end: number;
  /** By key, or by index. */
  members: Map<string | number, JsonNode>;
  /** The place after the comma that follows the last member, if there is one. */
  trailingComma: number | null;
};

export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
}

const SPACE = /(?:\s+|\/\/.*|\/\*[\s\S]*?\*\/)*/y;
const STRING = /"(?:[^"\\\r\n]|\\.)*"/y;
/** A string, or a word that may be a number, true, false or null. */
const SCALAR = /"(?:[^"\\\r\n]|\\.)*"|[^\s,:{}[\]"/]+/y;

/** Throws a JsonSyntaxError that names the line. */
export function parseJsonc(text: string): JsonNode {
  let place = 0;

  function skip(pattern: RegExp): string {
    pattern.lastIndex = place;
    const found = pattern.exec(text)?.[0] ?? "";
    place += found.length;
    return found;
  }

  /** Takes the sign if it is next. */
  function take(sign: string): boolean {
    skip(SPACE);
    const isNext = text[place] === sign;
    if (isNext) place += 1;
    return isNext;
  }

  function fail(expected: string): never {
    const line = text.slice(0, place).split("\n").length;
    throw new JsonSyntaxError(`${expected} is missing in line ${line}`);
  }

  function parseScalar(pattern: RegExp, expected: string): unknown {
    const before = place;
    try {
      return JSON.parse(skip(pattern));
    } catch {
      place = before;
      return fail(expected);
    }
  }

  function parseNode(): JsonNode {
    skip(SPACE);
    const start = place;
    const isObject = take("{");
    if (isObject || take("[")) return parseMembers(start, isObject);
    const value = parseScalar(SCALAR, "a value");
    return { type: "scalar", value, start, end: place, members: new Map(), trailingComma: null };
  }

  function parseMembers(start: number, isObject: boolean): JsonNode {
    const members: JsonNode["members"] = new Map();
    const close = isObject ? "}" : "]";
    let trailingComma: number | null = null;
    while (!take(close)) {
      if (members.size > 0 && trailingComma === null) fail(`a comma or ${close}`);
      const key = isObject ? String(parseScalar(STRING, "a key")) : members.size;
      if (isObject && !take(":")) fail("a colon");
      members.set(key, parseNode());
      trailingComma = take(",") ? place : null;
    }
    const values = [...members].map(([key, { value }]) => [key, value] as const);
    const value = isObject ? Object.fromEntries(values) : values.map(([, item]) => item);
    return { type: isObject ? "object" : "array", value, start, end: place, members, trailingComma };
  }

  const root = parseNode();
  skip(SPACE);
  if (place < text.length) fail("the end of the file");
  return root;
}
