// The arguments of a model's call, which may be no JSON at all.

export function argumentsOf(text: string): { input: unknown } | { error: string; code: string } {
  try {
    return { input: text.trim() === "" ? {} : JSON.parse(text) };
  } catch {
    return {
      error: "The arguments are not valid JSON. Send one JSON object with the tool's parameters.",
      code: "invalid_request",
    };
  }
}
