// A small HTTP client for the black-box suite: it sends what it is told and reports what came back.
// It asserts nothing; expectations live in expectations.ts and in the tests.

/** Where the service is, and how a request reaches it: over a socket, or by a call inside workerd. */
export type Endpoint = {
  url: string;
  fetch: (url: string, init: RequestInit) => Promise<Response>;
};

export type Answer<T> = {
  method: string;
  path: string;
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body when the answer is JSON, else its text. */
  body: T;
};

export type Call = {
  body?: unknown;
  /** Sent as it is, instead of `body` as JSON. */
  raw?: string | ReadableStream<Uint8Array>;
  headers?: Record<string, string>;
};

export type Client = {
  readonly key: string | null;
  /** Where a path is, for what is more than a request and its answer. */
  url(path: string): string;
  /** Sends a request as it is, without the key: the transport of libraries that take a `fetch`. */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
  /** The same service with another key. */
  withKey(key: string): Client;
  call<T>(method: string, path: string, call?: Call): Promise<Answer<T>>;
  get<T>(path: string, headers?: Record<string, string>): Promise<Answer<T>>;
  post<T>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<T>>;
  put<T>(path: string, body: unknown): Promise<Answer<T>>;
  patch<T>(path: string, body: unknown): Promise<Answer<T>>;
  delete<T>(path: string): Promise<Answer<T>>;
};

function parse(text: string, contentType: string): unknown {
  return /\bjson/.test(contentType) && text !== "" ? JSON.parse(text) : text;
}

/** The endpoint is a function because a restarted server may listen elsewhere. */
export function connect(endpoint: () => Endpoint, key: string | null): Client {
  async function call<T>(
    method: string,
    path: string,
    { body, raw, headers }: Call = {},
  ): Promise<Answer<T>> {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const { url, fetch } = endpoint();
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(payload === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(payload === undefined ? {} : { body: payload }),
      ...(raw instanceof ReadableStream ? { duplex: "half" } : {}),
    });
    const text = await response.text();
    return {
      method,
      path,
      status: response.status,
      headers: response.headers,
      text,
      body: parse(text, response.headers.get("content-type") ?? "") as T,
    };
  }

  return {
    key,
    url: (path) => `${endpoint().url}${path}`,
    fetch: (url, init = {}) => endpoint().fetch(String(url), init),
    withKey: (other) => connect(endpoint, other),
    call,
    get: (path, headers = {}) => call("GET", path, { headers }),
    post: (path, body, headers = {}) => call("POST", path, { body, headers }),
    put: (path, body) => call("PUT", path, { body }),
    patch: (path, body) => call("PATCH", path, { body }),
    delete: (path) => call("DELETE", path),
  };
}

let made = 0;

/** An id nobody has used: tests share a server and must not meet. */
export function fresh(prefix: string): string {
  made += 1;
  return `${prefix}-${Date.now().toString(36)}-${made}-${Math.random().toString(36).slice(2, 8)}`;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Runs `work` over the items, `width` at a time, and keeps their order. */
export async function inBatches<T, R>(
  items: T[],
  width: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += width) {
    results.push(...(await Promise.all(items.slice(at, at + width).map(work))));
  }
  return results;
}
