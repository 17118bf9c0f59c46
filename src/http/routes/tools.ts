// The tools over HTTP: in a session's path, without one, as definitions for models, and a model's call as it is.
import { z as zod } from "@hono/zod-openapi";
import type { Services } from "../../operations/services";
import { execute, ToolCall, ToolResult } from "../../operations/tools/execute-tool-call";
import { FORMATS, findTool, SET_NAMES, SETS, TOOLS, toolDefinitions } from "../../operations/tools/registry";
import { NO_TARGET, type Tool } from "../../operations/tools/tool";
import { anywhere, takeApart } from "../../operations/tools/tool-input";
import { describeDefect, FAILURES, unwrap } from "../../platform/errors";
import type { JsonObject } from "../../platform/json";
import { AnyJson, Id, z } from "../../schemas/common";
import { authorise } from "../authenticate";
import { type App, endpoint, servicesOf } from "../endpoint";
import { once, step } from "../idempotency";
import { SessionParams } from "./sessions";

const TAG = "Tools";

export function toolRoutes(app: App): void {
  for (const tool of TOOLS) toolRoute(app, tool);

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/tools",
      summary: "The tools' definitions, ready to pass to a model",
      tag: TAG,
      scope: "read",
      query: z.object({
        format: z.enum(FORMATS).default("openai"),
        set: z
          .enum(SET_NAMES)
          .default("core")
          .openapi({ description: "core is remember, recall and forget; all is every tool" }),
      }),
      answers: { 200: { description: "A bare array", schema: z.array(z.record(z.string(), AnyJson)) } },
    },
    async ({ c, query }) => c.json(toolDefinitions(query.format, SETS[query.set])),
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/v1/tools/execute",
      summary: "Run a model's tool call, as the model gave it",
      tag: TAG,
      scope: "any",
      body: z
        .object({ session_id: zod.string({ error: "Session ID is required" }).pipe(Id), call: ToolCall })
        .strict()
        .openapi("ToolExecute"),
      answers: {
        200: { description: "The result in that model's shape; a failure is one too", schema: ToolResult },
      },
    },
    async ({ c, caller, body, idempotency }) => {
      const { call } = body;
      const tool = findTool(call.type === "function" ? call.function.name : call.name);
      authorise(caller, tool?.scope ?? "read");
      const services = servicesOf(c, caller);
      const target = { ...NO_TARGET, session_id: body.session_id };
      const reply = await c.var.timing.measure("tool", () =>
        once(services.store, idempotency, async () => {
          const { result, failure } = await execute(services, target, call, step(idempotency, "call"));
          await noteToolUse(services, body.session_id, call, result);
          const passing = failure !== null && FAILURES[failure.code].status >= 429;
          return { status: 200, body: result, passing };
        }),
      );
      return c.json(reply.body);
    },
  );
}

/** What was done is done: if it cannot be told in the thread, that is logged, and the result stands. */
async function noteToolUse(
  { tenant, session }: Services,
  id: string,
  call: ToolCall,
  result: ToolResult,
): Promise<void> {
  try {
    unwrap(await session(id).noteToolUse({ tenant, id }, call.id, call, result));
  } catch (error) {
    console.error(JSON.stringify({ event: "thread.error", ...describeDefect(error) }));
  }
}

/** A tool's two routes: with its session in the path, and with whatever it belongs to in the body. */
function toolRoute(app: App, tool: Tool): void {
  const { name, title, description, scope, input, output } = tool;
  const common = {
    method: "post",
    summary: title,
    description,
    tag: TAG,
    scope,
    answers: Object.fromEntries(
      Object.entries(tool.answers).map(([status, meaning]) => [
        status,
        { description: meaning, schema: output },
      ]),
    ),
  } as const;

  endpoint(
    app,
    { ...common, path: `/v1/sessions/{id}/${name}`, params: SessionParams, body: input },
    async (request) => {
      const { c, caller, params, body, idempotency } = request;
      const services = servicesOf(c, caller);
      const target = { ...NO_TARGET, session_id: params.id };
      const run = () => tool.run(services, target, body, step(idempotency, name));
      const reply = await c.var.timing.measure("tool", () => once(services.store, idempotency, run));
      return c.json(reply.body, reply.status as 200 | 201);
    },
  );

  endpoint(
    app,
    { ...common, path: `/v1/${name}`, body: anywhere(tool) },
    async ({ c, caller, body, idempotency }) => {
      const services = servicesOf(c, caller);
      const { target, input: told } = takeApart(tool, body as JsonObject);
      const run = () => tool.run(services, target, told, step(idempotency, name));
      const reply = await c.var.timing.measure("tool", () => once(services.store, idempotency, run));
      return c.json(reply.body, reply.status as 200 | 201);
    },
  );
}
