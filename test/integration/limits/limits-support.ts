// Calls the app with other bindings than the tests' own, for settings and fakes.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createApp } from "../../../src/app";
import type { Bindings } from "../../../src/platform/env";
import { ADMIN_KEY, type Answer, type Client } from "../support";

const app = createApp();

export type CallWithSettings = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;

/** Returns `call` of a client whose calls are served with these bindings. */
export function withSettings({ key }: Pick<Client, "key">, bindings: Partial<Bindings>): CallWithSettings {
  return async (method, path, body, headers = {}) => {
    const context = createExecutionContext();
    const response = await app.fetch(
      new Request(`https://kioku.test${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
      { ...env, ADMIN_KEY, ...bindings },
      context,
    );
    const text = await response.text();
    await waitOnExecutionContext(context);
    return {
      status: response.status,
      headers: response.headers,
      body: text === "" ? null : JSON.parse(text),
    };
  };
}

/** A database that counts the statements that are prepared. */
export function countStatements(): { DB: D1Database; count: () => number } {
  let prepared = 0;
  const DB = new Proxy(env.DB, {
    get(d1, name) {
      const value: unknown = Reflect.get(d1, name, d1);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (name === "prepare") prepared += 1;
        return Reflect.apply(value, d1, args);
      };
    },
  });
  return { DB, count: () => prepared };
}
