// Sends a JSON request. Every failure is a RequestError with a one-line message.

const DETAIL_CHARS = 300;

export class RequestError extends Error {
  /** `status` is null if there was no response. */
  constructor(message, status = null) {
    super(message);
    this.status = status;
  }

  /** Whether the same request may succeed a moment later. */
  get isTransient() {
    return this.status === null || this.status === 429 || this.status >= 500;
  }
}

export async function requestJson(method, url, { key, body, timeoutMs }) {
  const what = `${method} ${url}`;
  const { status, ok, text } = await send(what, method, url, { key, body, timeoutMs });
  const answer = parse(text);
  if (!ok) {
    const detail = answer?.detail ?? answer?.error?.message ?? text;
    throw new RequestError(`${what} answered ${status}: ${toOneLine(detail)}`, status);
  }
  if (answer === undefined) throw new RequestError(`${what} answered ${status} with no JSON`, status);
  return answer;
}

async function send(what, method, url, { key, body, timeoutMs }) {
  try {
    const response = await fetch(url, {
      method,
      headers: { "Content-Type": "application/json", ...(key && { Authorization: `Bearer ${key}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: response.status, ok: response.ok, text: await response.text() };
  } catch (error) {
    throw new RequestError(`${what} had no answer: ${toOneLine(error.cause?.message || error.message)}`);
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toOneLine(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, DETAIL_CHARS);
}
