// The client: every call of the service, made from its contract. Sessions have theirs in session.ts.
import { methodsOf } from "./call";
import { isKiokuError, type Result } from "./errors";
import { type RequestCall, requestOver } from "./request";
import type { Operations } from "./schema.generated";
import { type SessionHandle, sessionOf } from "./session";
import { type KiokuOptions, settingsOf } from "./settings";
import { skillsOf } from "./skills";
import { type CallOptions, createTransport, type Transport } from "./transport";

type ToolFormat = NonNullable<Operations["GET /v1/tools"]["input"]["format"]>;

export class Kioku {
  readonly #transport: Transport;
  /** Keep something, for a session, an agent, a project or everybody. */
  readonly remember;
  /** Find what was kept, by its words and its meaning. */
  readonly recall;
  readonly forget;
  /** What is worth knowing before a task. */
  readonly prime;
  readonly consolidate;
  readonly maintenance;
  readonly sessions;
  readonly memories;
  readonly episodes;
  readonly patterns;
  readonly skills;
  readonly learnings;
  readonly links;
  readonly contradictions;
  readonly ledgers;
  readonly handoffs;
  readonly entries;
  /** For the admin key alone. */
  readonly keys;
  readonly tools;
  readonly ontology;
  readonly health;
  /** Any call by its method and path, typed where the contract knows it. */
  readonly request: RequestCall;

  constructor(options: KiokuOptions = {}) {
    const transport = createTransport(settingsOf(options));
    const { call, bare, list } = methodsOf(transport, {});
    this.#transport = transport;
    this.remember = call("POST /v1/remember");
    this.recall = call("POST /v1/recall");
    this.forget = call("POST /v1/forget");
    this.prime = call("POST /v1/prime");
    this.consolidate = call("POST /v1/consolidate");
    this.maintenance = call("POST /v1/maintenance");
    this.sessions = { create: call("POST /v1/sessions"), list: list("GET /v1/sessions") };
    this.memories = {
      get: bare("GET /v1/memories/{id}"),
      list: list("GET /v1/memories"),
      /** The chain of supersession, oldest first. */
      history: bare("GET /v1/memories/{id}/history"),
      triples: bare("GET /v1/memories/{id}/triples"),
      delete: bare("DELETE /v1/memories/{id}"),
    };
    this.episodes = {
      create: call("POST /v1/episodes"),
      get: bare("GET /v1/episodes/{id}"),
      list: list("GET /v1/episodes"),
      delete: bare("DELETE /v1/episodes/{id}"),
    };
    this.patterns = {
      create: call("POST /v1/patterns"),
      get: bare("GET /v1/patterns/{id}"),
      list: list("GET /v1/patterns"),
    };
    this.skills = skillsOf(transport);
    this.learnings = { create: call("POST /v1/learnings"), list: list("GET /v1/learnings") };
    this.links = {
      create: call("POST /v1/links"),
      list: list("GET /v1/links"),
      delete: bare("DELETE /v1/links/{id}"),
    };
    this.contradictions = {
      list: list("GET /v1/contradictions"),
      resolve: call("POST /v1/contradictions/{id}/resolve"),
    };
    this.ledgers = {
      put: call("PUT /v1/ledgers/{agent_id}"),
      get: bare("GET /v1/ledgers/{agent_id}"),
      history: list("GET /v1/ledgers/{agent_id}/history"),
    };
    this.handoffs = {
      create: call("POST /v1/handoffs"),
      get: bare("GET /v1/handoffs/{id}"),
      list: list("GET /v1/handoffs"),
      acknowledge: call("POST /v1/handoffs/{id}/acknowledge"),
    };
    this.entries = { create: call("POST /v1/entries"), list: list("GET /v1/entries") };
    this.keys = {
      create: call("POST /v1/keys"),
      list: list("GET /v1/keys"),
      delete: bare("DELETE /v1/keys/{id}"),
    };
    const definitions = call("GET /v1/tools");
    this.tools = {
      /** The tools' definitions, ready to pass to a model. */
      list: (format: ToolFormat = "openai", options?: CallOptions) => definitions({ format }, options),
      /** A model's tool call, as the model gave it. */
      execute: call("POST /v1/tools/execute"),
    };
    this.ontology = bare("GET /v1/ontology");
    this.health = bare("GET /health");
    this.request = requestOver(transport);
  }

  /** The calls of one session. Nothing is sent yet. */
  session(id: string): SessionHandle {
    return sessionOf(this.#transport, id);
  }

  agents(agent_id: string) {
    const { call, bare } = methodsOf(this.#transport, { agent_id });
    return {
      policy: {
        put: call("PUT /v1/agents/{agent_id}/policy"),
        get: bare("GET /v1/agents/{agent_id}/policy"),
      },
    };
  }

  /** The value, or the failure as a value. What is no failure of a call is still thrown. */
  async try<T>(work: () => Promise<T>): Promise<Result<T>> {
    try {
      return { ok: true, value: await work() };
    } catch (error) {
      if (isKiokuError(error)) return { ok: false, error };
      throw error;
    }
  }
}
