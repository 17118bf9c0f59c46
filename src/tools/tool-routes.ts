// Tools: the core tools as routes, with and without a session; tool definitions for models; execution of a model's tool call.

import { runTool } from "../calls/run-idempotent";
import { splitOwnerInput, type Tool, withOwnerInput } from "../calls/tool";
import type { App } from "../http/app-context";
import { authorise } from "../http/authenticate";
import type { FailedRequest, QuotaRule } from "../http/document-route";
import { groupRoutes } from "../http/endpoint";
import { OWNER_IDS } from "../kernel/access";
import { AnyJson, OwnerIds, UserAgentProject, z } from "../kernel/common";
import { FAILURES, FailureError } from "../kernel/errors";
import { type Json, type JsonObject, readField } from "../kernel/json";
import { parseInput } from "../kernel/validate-input";
import { DEPLOY_RULE_HIT, HOTFIX_RULE_HIT } from "../memories/memory-schemas";
import type { KeyScope } from "../trust/keys/administration-schemas";
import { executeModelOutput, readCall, reportFailedCall } from "./execute-tool-call";
import { CORE_TOOLS, listToolDefinitions, TOOL_FORMATS, TOOL_SET_NAMES, TOOL_SETS } from "./registry";
import { ModelOutput, readToolCalls, ToolResults } from "./tool-call-schemas";

const TAG = "Tools";

type ToolRoute = {
  operationId: string;
  mayBeMissing?: true;
  body: Json;
  /** Example responses, by status code. */
  examples: Readonly<Record<number, Json>>;
};
type ToolRoutes = { inSession: ToolRoute; standalone: ToolRoute };

export function toolRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: TAG });

  for (const tool of CORE_TOOLS) {
    const routes = ROUTES.get(tool.name);
    if (routes !== undefined) registerTool(app, tool, routes);
  }

  routes.get("/v1/tools", "listTools", {
    summary: "List tool definitions in a model's format",
    bound: "open",
    query: z.object({
      format: z.enum(TOOL_FORMATS).default("openai"),
      set: z.enum(TOOL_SET_NAMES).default("core").openapi({
        description: "`core` is remember, recall and forget; `all` is every tool",
      }),
    }),
    responses: {
      200: {
        description: "The definitions, as an array",
        schema: z.array(z.record(z.string(), AnyJson)),
        example: listToolDefinitions("openai", CORE_TOOLS.slice(-1)) as Json,
      },
    },
    handle: ({ query }) => listToolDefinitions(query.format, TOOL_SETS[query.set]),
  });

  routes.post("/v1/tools/execute", "executeTool", {
    summary: "Execute the tool calls of a model",
    description:
      "`call` is what the model returned: one tool call, or its whole answer with any number of them. One call is " +
      "answered by its result. An answer is answered by a list of results in the order of its calls, which run one " +
      "after the other. A call that fails is a result too, and does not stop the others.",
    scope: "any",
    quota: { exempt: "Each tool has its own quotas." },
    bound: "handler",
    stage: "tool",
    onFailure: reportRejectedCalls,
    body: OwnerIds.extend({ call: ModelOutput })
      .strict()
      .refine((body) => OWNER_IDS.some((id) => body[id] !== undefined), {
        path: ["session_id"],
        message: "Session ID is required, unless user_id, agent_id or project_id is given",
      })
      .openapi("ToolExecute"),
    example: {
      body: {
        session_id: "checkout-fix",
        call: {
          id: "call_7Qb2",
          type: "function",
          function: { name: "recall", arguments: '{"query":"deploy","limit":1}' },
        },
      },
    },
    responses: {
      200: {
        description: "The result in the format of the call, or the list of results",
        schema: ToolResults,
      },
    },
    handle: async ({ caller, services, body, idempotency }) => {
      const { call, session_id = null, user_id = null, agent_id = null, project_id = null } = body;
      const toolCaller = {
        owner: { session_id, user_id, agent_id, project_id },
        authorise: (scope: KeyScope) => authorise(caller, scope),
      };
      return await executeModelOutput(services, toolCaller, call, idempotency);
    },
  });
}

function describeToolQuota({ quota }: Tool): QuotaRule {
  return quota === undefined ? { exempt: "It stores no content." } : { handler: quota };
}

/** Registers the two routes of a tool: with the session in the path, and with the owner in the body. */
function registerTool(app: App, tool: Tool, { inSession, standalone }: ToolRoutes): void {
  const { name, title: summary, description, scope } = tool;
  const routes = groupRoutes(app, { tag: TAG, bound: "handler", stage: "tool" });
  const common = {
    summary,
    description,
    scope,
    ...(scope === "write" && { quota: describeToolQuota(tool) }),
    onFailure: (failed: FailedRequest) => reportFailedRequest(name, failed),
  };

  routes.post(`/v1/sessions/{id}/${name}`, inSession.operationId, {
    ...common,
    body: tool.input.safeExtend(UserAgentProject.shape),
    example: { body: inSession.body },
    responses: describeResponses(tool, inSession),
    reply: ({ services, params, body, idempotency }) => {
      const { owner, input } = splitOwnerInput(tool, { ...(body as JsonObject), session_id: params.id });
      return runTool(services, tool, { owner, input, idempotency, keyOfSession: true });
    },
  });

  routes.post(`/v1/${name}`, standalone.operationId, {
    ...common,
    body: withOwnerInput(tool),
    ...(standalone.mayBeMissing && { mayBeMissing: true }),
    example: { body: standalone.body },
    responses: describeResponses(tool, standalone),
    reply: ({ services, body, idempotency }) => {
      const { owner, input } = splitOwnerInput(tool, body as JsonObject);
      return runTool(services, tool, { owner, input, idempotency });
    },
  });
}

/** Reports the calls of a request that is rejected as a whole. Calls that ran have been reported one by one. */
async function reportRejectedCalls(failed: FailedRequest): Promise<void> {
  if (!(failed.error instanceof FailureError) || FAILURES[failed.error.failure.code].status >= 500) return;
  const body: unknown = await failed.c.req.json().catch(() => null);
  const output = parseInput(ModelOutput, readField(body, "call"), "call");
  for (const call of output.ok ? readToolCalls(output.value).calls : [])
    await reportFailedRequest(readCall(call).name, failed);
}

async function reportFailedRequest(
  tool: string,
  { c, caller: { tenant }, started, error }: FailedRequest,
): Promise<void> {
  if (tenant === null) return;
  // The body may be the reason of the failure: then it names no session.
  const body: unknown = await c.req.json().catch(() => null);
  const session_id = c.req.param("id") ?? readField(body, "session_id");
  reportFailedCall(c.var.telemetry, { tenant, tool, session_id, started, error });
}

function describeResponses({ responses, output }: Tool, { examples }: ToolRoute) {
  return Object.fromEntries(
    Object.entries(responses).map(([status, description]) => {
      const example = examples[Number(status)];
      return [status, { description, schema: output, ...(example === undefined ? {} : { example }) }];
    }),
  );
}

function rememberExamples(memory_id: string, scope: JsonObject): ToolRoute["examples"] {
  const common = { remembered: true, memory_id, memory_type: "process_convention", scope };
  return {
    200: {
      ...common,
      message: `Already remembered as process_convention memory ${memory_id}`,
      deduplicated: true,
      superseded: [],
    },
    201: {
      ...common,
      message: `Stored process_convention memory ${memory_id}`,
      deduplicated: false,
      superseded: [],
    },
  };
}

/** Operation ids and examples of the core tools, by tool name. */
const ROUTES: ReadonlyMap<string, ToolRoutes> = new Map(
  Object.entries({
    remember: {
      inSession: {
        operationId: "rememberInSession",
        body: {
          content: "We deploy on Fridays only after the smoke tests pass",
          type: "process_convention",
          confidence: 0.9,
          rationale: "Agreed after the outage in May",
          evidence: ["runbook.md"],
          properties: { hasConventionScope: "ProjectScope", hasEnforcementLevel: "Required" },
          metadata: { team: "web" },
          tags: ["deploy"],
        },
        examples: rememberExamples(DEPLOY_RULE_HIT.id, { kind: "agent", id: "ada" }),
      },
      standalone: {
        operationId: "remember",
        body: {
          content: "Hotfixes are deployed on any day",
          type: "process_convention",
          source_type: "user",
          project_id: "shop",
          key: "hotfix-deployments",
          properties: { hasConventionScope: "ProjectScope", hasEnforcementLevel: "Advisory" },
        },
        examples: rememberExamples(HOTFIX_RULE_HIT.id, { kind: "project", id: "shop" }),
      },
    },
    recall: {
      inSession: {
        operationId: "recallInSession",
        body: { query: "Is there a rule for deploying?", type: "convention", limit: 3 },
        examples: { 200: { count: 1, confidence: "good", memories: [DEPLOY_RULE_HIT] } },
      },
      standalone: {
        operationId: "recall",
        mayBeMissing: true,
        body: { query: "When may a hotfix go out?", project_id: "shop", limit: 1 },
        examples: { 200: { count: 1, confidence: "good", memories: [HOTFIX_RULE_HIT] } },
      },
    },
    forget: {
      inSession: {
        operationId: "forgetInSession",
        body: {
          memory_id: "ab6a92ee32fc50cabc64c255171ccc6b",
          reason: "Fixed: guests are known by their e-mail now",
        },
        examples: {
          200: {
            forgotten: true,
            memory_id: "ab6a92ee32fc50cabc64c255171ccc6b",
            message: "Memory ab6a92ee32fc50cabc64c255171ccc6b has been superseded",
            reason: "Fixed: guests are known by their e-mail now",
          },
        },
      },
      standalone: {
        operationId: "forget",
        mayBeMissing: true,
        body: {
          memory_id: HOTFIX_RULE_HIT.id,
          reason: "No longer done since July",
          replacement_id: DEPLOY_RULE_HIT.id,
        },
        examples: {
          200: {
            forgotten: true,
            memory_id: HOTFIX_RULE_HIT.id,
            message: `Memory ${HOTFIX_RULE_HIT.id} has been superseded`,
            reason: "No longer done since July",
            replacement_id: DEPLOY_RULE_HIT.id,
          },
        },
      },
    },
  }),
);
