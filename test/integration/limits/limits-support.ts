// Calls the app with other bindings than the tests' own, for settings and fakes.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createApp } from "../../../src/app";
import type { Bindings } from "../../../src/kernel/env";
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

/** A database that counts the statements that are prepared, and the sessions that are opened for others. */
export function countStatements(): { DB: D1Database; count: () => number } {
  let prepared = 0;
  const DB = new Proxy(env.DB, {
    get(d1, name) {
      const value: unknown = Reflect.get(d1, name, d1);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (name === "prepare" || name === "withSession") prepared += 1;
        return Reflect.apply(value, d1, args);
      };
    },
  });
  return { DB, count: () => prepared };
}

/** A database that reports this time for each statement. */
export function slowDown(duration: number): D1Database {
  const originals = new WeakMap<object, D1PreparedStatement>();
  const report = <T>(result: D1Result<T>) => ({ ...result, meta: { ...result.meta, duration } });
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = new Proxy(statement, {
      get(target, name) {
        if (name === "bind") return (...values: unknown[]) => wrap(target.bind(...values));
        if (name === "all") return async () => report(await target.all());
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    originals.set(wrapped, statement);
    return wrapped;
  };
  const slow = <T extends D1Database | D1DatabaseSession>(opened: T): T =>
    new Proxy(opened, {
      get(d1, name) {
        if (name === "withSession") return (from: string) => slow((d1 as D1Database).withSession(from));
        if (name === "prepare") return (query: string) => wrap(d1.prepare(query));
        if (name === "batch")
          return async (statements: D1PreparedStatement[]) => {
            const results = await d1.batch(statements.map((one) => originals.get(one) ?? one));
            return results.map(report);
          };
        const value: unknown = Reflect.get(d1, name, d1);
        return typeof value === "function" ? value.bind(d1) : value;
      },
    });
  return slow(env.DB);
}
