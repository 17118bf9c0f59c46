// Parses JSON that a caller sent, as a body or as a text within one, and rejects what cannot be kept.

import { LIMITS } from "../../limits";
import { FailureError, type FieldError, failure } from "../../platform/errors";
import { mayHaveHugeNumber } from "../../platform/json";

/** Returns the value of a JSON text. Throws a failure that names `subject`, such as "body". */
export function parseJsonText(text: string, subject: string): unknown {
  if (text.length > 2 * LIMITS.jsonDepth && isTooDeep(text))
    throw badJson(`The ${subject} is nested more than ${LIMITS.jsonDepth} levels deep. Flatten it.`, {
      path: "",
      message: `must be nested at most ${LIMITS.jsonDepth} levels deep`,
    });
  try {
    return JSON.parse(text, mayBeUnrepresentable(text) ? rejectUnrepresentable(subject) : undefined);
  } catch (error) {
    if (error instanceof FailureError) throw error;
    throw badJson(`The ${subject} is not valid JSON. Send one JSON object.`, {
      path: "",
      message: "must be valid JSON",
    });
  }
}

/** Returns whether the JSON exceeds the nesting limit, which bounds the depth of all recursive functions. */
function isTooDeep(raw: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < raw.length; at += 1) {
    const char = raw[at];
    if (quoted) {
      if (char === "\\") at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === "[" || char === "{") depth += 1;
    else if (char === "]" || char === "}") depth -= 1;
    if (depth > LIMITS.jsonDepth) return true;
  }
  return false;
}

/** Returns whether the text may have an unrepresentable member. Only then is it parsed with the slower reviver. */
function mayBeUnrepresentable(raw: string): boolean {
  // A name may be written with escapes of its letters.
  return /__proto__|\\u00[567]/i.test(raw) || mayHaveHugeNumber(raw);
}

/** Returns a reviver that rejects members that JSON.parse would silently drop or change. */
function rejectUnrepresentable(subject: string): (key: string, value: unknown) => unknown {
  return (key, value) => {
    if (key === "__proto__")
      throw badJson(`The ${subject} has a member named __proto__, which cannot be kept. Rename it.`, {
        path: "__proto__",
        message: "is not a possible name: rename it",
      });
    if (typeof value === "number" && !Number.isFinite(value))
      throw badJson(`The ${subject} has a number that is too large to be kept. Send it as a string.`, {
        path: key,
        message: "is too large for a number: send it as a string",
      });
    return value;
  };
}

function badJson(detail: string, error: FieldError): FailureError {
  return failure("invalid_request", detail, { errors: [error] });
}
