// What a request brings beside its message: its tenant, and where its calls belong unless they say so themselves.
// A client that is set up once for a project or an agent then need not have its model repeat that.
import type { AppContext } from "../http/context";
import { validate } from "../http/validate-input";
import type { Services } from "../operations/services";
import type { Target } from "../operations/tools/tool";
import { Id, z } from "../schemas/common";

export type McpRequest = { services: Services; requestId: string; defaults: Partial<Target> };

const HEADERS = {
  session_id: "Kioku-Session-Id",
  agent_id: "Kioku-Agent-Id",
  project_id: "Kioku-Project-Id",
} as const satisfies Record<keyof Target, string>;

const Given = z.object(Object.fromEntries(Object.values(HEADERS).map((name) => [name, Id.optional()])));

export function defaultsOf(c: AppContext): Partial<Target> {
  const headers = Object.entries(HEADERS).flatMap(([field, name]) => {
    const value = c.req.header(name);
    return value === undefined ? [] : [{ field, name, value }];
  });
  validate(Given, Object.fromEntries(headers.map(({ name, value }) => [name, value])), "header");
  return Object.fromEntries(headers.map(({ field, value }) => [field, value]));
}
