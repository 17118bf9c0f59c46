// The registry of tools and the executor that routes a model's call to one of them.
import { beforeAll, describe, expect, it } from "vitest";
import {
  ALL_TOOLS,
  CORE_TOOLS,
  findTool,
  listToolDefinitions,
  TOOL_FORMATS,
} from "../../../src/tools/registry";
import { type Client, freshId, newClient } from "../support";

type Schema = {
  type: string;
  properties: Record<string, Record<string, unknown>>;
  required?: string[];
  additionalProperties?: boolean;
};
type Definition = { name: string; description: string; parameters: Schema };

/** A definition of any format as name, description and parameters. */
const READ = {
  openai: (tool) => {
    const { type, function: definition } = tool as { type: string; function: Definition };
    expect(type).toBe("function");
    return definition;
  },
  "openai-responses": (tool) => {
    const { type, strict, ...definition } = tool as Definition & { type: string; strict: boolean };
    expect({ type, strict }).toEqual({ type: "function", strict: false });
    return definition;
  },
  anthropic: (tool) => {
    const { name, description, input_schema } = tool as Omit<Definition, "parameters"> & {
      input_schema: Schema;
    };
    return { name, description, parameters: input_schema };
  },
  mcp: (tool) => {
    const { name, description, inputSchema } = tool as Omit<Definition, "parameters"> & {
      inputSchema: Schema;
    };
    return { name, description, parameters: inputSchema };
  },
} satisfies Record<(typeof TOOL_FORMATS)[number], (tool: object) => Definition>;

const PARAMETERS = {
  remember: {
    required: ["content"],
    optional: ["type", "confidence", "rationale", "evidence", "source_type", "valid_from", "key"],
  },
  recall: {
    required: undefined,
    optional: [
      "query",
      "type",
      "min_confidence",
      "limit",
      "mode",
      "scope",
      "include_superseded",
      "since",
      "until",
      "sources",
    ],
  },
  forget: { required: ["memory_id"], optional: ["reason", "replacement_id"] },
} as const;

let client: Client;
beforeAll(async () => {
  client = await newClient();
});

/** A session that is created without an owner reaches only itself. */
async function newSession(): Promise<string> {
  return (await client.call("POST", "/v1/sessions", {})).body.id;
}

function openAi(session_id: string, name: string, given: object | string) {
  const call = { id: freshId("call"), type: "function", function: { name, arguments: given } };
  return client.call("POST", "/v1/tools/execute", { session_id, call });
}

function anthropic(session_id: string, name: string, input: object) {
  const call = { type: "tool_use", id: freshId("toolu"), name, input };
  return client.call("POST", "/v1/tools/execute", { session_id, call });
}

describe("the registry", () => {
  it("returns all three tools", () => {
    expect(CORE_TOOLS.map(({ name }) => name)).toEqual(["remember", "recall", "forget"]);
  });

  it("returns the correct tool for each name", () => {
    for (const name of ["remember", "recall", "forget"]) expect(findTool(name)?.name).toBe(name);
    expect(findTool("recall")).toBe(CORE_TOOLS[1]);
  });

  it.each([
    "",
    "Remember",
    "remember ",
    "delete",
    "constructor",
    "__proto__",
  ])("finds nothing for the unknown name %j, and the executor says which tools there are", async (name) => {
    expect(findTool(name)).toBeUndefined();
    const { status, body } = await anthropic(freshId("session"), name, {});
    expect(status).toBe(200);
    expect(body.is_error).toBe(true);
    expect(JSON.parse(body.content).error).toBe(
      `Unknown tool: ${name}. The tools are ${ALL_TOOLS.map((tool) => tool.name).join(", ")}.`,
    );
  });

  it.each(TOOL_FORMATS)("produces valid tool definitions: %s", async (format) => {
    const { status, body } = await client.call("GET", `/v1/tools?format=${format}`);
    expect(status).toBe(200);
    expect(body).toEqual(JSON.parse(JSON.stringify(listToolDefinitions(format))));
    expect(body).toHaveLength(3);
    for (const definition of body) {
      const { name, parameters } = READ[format](definition);
      expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(parameters).toMatchObject({ type: "object", additionalProperties: false });
      for (const required of parameters.required ?? [])
        expect(parameters.properties).toHaveProperty(required);
    }
    expect((await client.call("GET", "/v1/tools?format=soap")).status).toBe(400);
  });

  it.each(TOOL_FORMATS)("gives definitions the correct name, description and parameters: %s", (format) => {
    const definitions = listToolDefinitions(format).map(READ[format]);
    for (const [index, name] of (["remember", "recall", "forget"] as const).entries()) {
      const definition = definitions[index];
      const { required, optional } = PARAMETERS[name];
      expect(definition?.name).toBe(name);
      expect(definition?.description).toBe(findTool(name)?.description);
      expect(definition?.description.length).toBeGreaterThan(40);
      expect(definition?.parameters.required).toEqual(required);
      expect(Object.keys(definition?.parameters.properties ?? {})).toEqual(
        expect.arrayContaining([...(required ?? []), ...optional]),
      );
    }
    const [remember, recall] = definitions;
    expect(remember?.parameters.properties.content).toMatchObject({ type: "string", maxLength: 2000 });
    expect(remember?.parameters.properties.type).toMatchObject({ default: "fact" });
    expect(recall?.parameters.properties.type).toMatchObject({ default: "all" });
    expect(recall?.parameters.properties.min_confidence).toMatchObject({
      default: 0.5,
      minimum: 0,
      maximum: 1,
    });
    expect(recall?.parameters.properties.limit).toMatchObject({ default: 10, minimum: 1, maximum: 50 });
  });

  it("tells the model the default of every parameter that has one, remember's confidence too", () => {
    const [remember] = listToolDefinitions("anthropic").map(READ.anthropic);
    expect(remember?.parameters.properties.confidence).toMatchObject({ default: 0.8 });
  });

  it("describes an MCP tool's output and behaviour too", () => {
    for (const tool of listToolDefinitions("mcp")) {
      expect(tool).toMatchObject({
        title: expect.any(String),
        outputSchema: { type: "object" },
        annotations: { readOnlyHint: expect.any(Boolean), destructiveHint: expect.any(Boolean) },
      });
    }
  });

  it("is what the HTTP routes are made from: every tool has its two routes in the OpenAPI document", async () => {
    const { body } = await client.call("GET", "/openapi.json");
    for (const { name, description } of CORE_TOOLS) {
      for (const path of [`/v1/${name}`, `/v1/sessions/{id}/${name}`]) {
        expect(body.paths[path].post.description).toBe(description);
      }
    }
  });
});

describe("the executor", () => {
  it("routes tool calls to the correct tool, in the shape of an OpenAI call", async () => {
    const session = freshId("session");
    const remembered = await openAi(session, "remember", JSON.stringify({ content: "The sky is blue" }));
    expect(remembered.body).toEqual({
      role: "tool",
      tool_call_id: expect.stringMatching(/^call-/),
      content: expect.any(String),
    });
    const { remembered: done, memory_id } = JSON.parse(remembered.body.content);
    expect(done).toBe(true);
    const recalled = JSON.parse((await openAi(session, "recall", "")).body.content);
    expect(recalled.memories.map(({ id }: { id: string }) => id)).toEqual([memory_id]);
    const forgotten = JSON.parse((await openAi(session, "forget", { memory_id })).body.content);
    expect(forgotten).toMatchObject({ forgotten: true, memory_id });
    expect(JSON.parse((await openAi(session, "recall", "{}")).body.content).count).toBe(0);
  });

  it("routes tool calls to the correct tool, in the shape of an Anthropic call", async () => {
    const session = freshId("session");
    const call = { type: "tool_use", id: "toolu_7", name: "remember", input: { content: "Grass is green" } };
    const { body } = await client.call("POST", "/v1/tools/execute", { session_id: session, call });
    expect(body).toEqual({
      type: "tool_result",
      tool_use_id: "toolu_7",
      content: expect.any(String),
      is_error: false,
    });
    const { memory_id } = JSON.parse(body.content);
    const recalled = JSON.parse((await anthropic(session, "recall", { query: "grass" })).body.content);
    expect(recalled.memories.map(({ id }: { id: string }) => id)).toEqual([memory_id]);
    const forgotten = JSON.parse((await anthropic(session, "forget", { memory_id })).body.content);
    expect(forgotten).toMatchObject({ forgotten: true, memory_id });
  });

  it("passes the session id to the tool", async () => {
    const [mine, other] = [await newSession(), await newSession()];
    const { body } = await openAi(mine, "remember", { content: "Only mine" });
    await openAi(other, "remember", { content: "Of another" });
    const { memory_id } = JSON.parse(body.content);
    expect((await client.call("GET", `/v1/memories/${memory_id}`)).body.session_id).toBe(mine);
    const { memories } = JSON.parse((await openAi(mine, "recall", {})).body.content);
    expect(memories.map(({ content }: { content: string }) => content)).toEqual(["Only mine"]);
    const refused = await anthropic(other, "forget", { memory_id });
    expect(refused.body.is_error).toBe(true);
    expect(JSON.parse(refused.body.content).code).toBe("not_found");
  });

  it.each([
    undefined,
    null,
    "",
    "not an id",
    7,
  ])("refuses the session id %j, and names it", async (session_id) => {
    const call = { type: "tool_use", id: "toolu_8", name: "recall", input: {} };
    const { status, body } = await client.call("POST", "/v1/tools/execute", { session_id, call });
    expect(status).toBe(400);
    expect(body.errors[0].path).toBe("session_id");
  });

  it("asks of the key what the tool asks", async () => {
    const reader = await newClient(["read"], client.tenant);
    const session = await newSession();
    await openAi(session, "remember", { content: "Readable" });
    const call = (name: string, input: object) =>
      reader.call("POST", "/v1/tools/execute", {
        session_id: session,
        call: { type: "tool_use", id: "toolu_9", name, input },
      });
    expect(JSON.parse((await call("recall", {})).body.content).count).toBe(1);
    expect((await call("remember", { content: "Not allowed" })).status).toBe(403);
  });
});
