// The client, with a method for every operation of the API. session.ts has the operations of a session.
import { createAgents } from "./agents";
import { createMethods } from "./call";
import { isKiokuError, type Result } from "./errors";
import { createRequest, type RequestCall } from "./request";
import { createSessionHandle, type SessionHandle } from "./session";
import {
  type BindingOptions,
  type KiokuBinding,
  type KiokuOptions,
  resolveSettings,
  toBindingOptions,
} from "./settings";
import { createSkills } from "./skills";
import { createTools } from "./tools";
import { createExport, createImport } from "./transfer";
import { createTransport, type Transport } from "./transport";
import { createUsers } from "./users";

export class Kioku {
  readonly #transport: Transport;
  /** Stores a memory for a session, an agent, a project or the tenant. */
  readonly remember;
  /** Stores up to 500 memories in one call and returns the result of each, in order. */
  readonly rememberMany;
  /** Searches memories by words and by semantic similarity. */
  readonly recall;
  readonly forget;
  /** Answers a SPARQL query: SELECT and ASK. `request` with `accept` returns graphs as text. */
  readonly sparql;
  /** Streams everything of the tenant, or of one owner: a backup. */
  readonly export;
  /** Imports an export, or a part of it. What is there stays as it is. */
  readonly import;
  /** Returns a briefing for a task. */
  readonly prime;
  readonly consolidate;
  readonly maintenance;
  readonly sessions;
  readonly memories;
  /** The people whom memories concern. */
  readonly users;
  readonly episodes;
  readonly patterns;
  readonly skills;
  readonly learnings;
  readonly links;
  readonly contradictions;
  readonly ledgers;
  readonly handoffs;
  readonly entries;
  /** The methods of one agent, and `agents.list`. */
  readonly agents;
  readonly projects;
  /** Files, modules, concepts and other things that memories refer to. */
  readonly resources;
  readonly namespaces;
  /** Returns metrics of episodes and briefings over a rolling window. */
  readonly metrics;
  /** Returns what the tenant stores, and its quotas. */
  readonly usage;
  /** Requires the admin key. */
  readonly keys;
  /** Where the events of the tenant are sent. */
  readonly webhooks;
  /** What is masked or refused in the tenant and its projects. Changes require the scope `admin`. */
  readonly privacy;
  /** Lists the audit log, newest first. Requires the scope `admin`. */
  readonly audit;
  /** Requires the admin key. */
  readonly tenants;
  /** Reports how full the databases are. Requires the admin key. */
  readonly shards;
  readonly tools;
  readonly ontology;
  readonly health;
  /** Sends any request by method and path, typed if the API defines it. */
  readonly request: RequestCall;

  constructor(options: KiokuOptions = {}) {
    const transport = createTransport(resolveSettings(options));
    const { call, bare, list } = createMethods(transport, {});
    this.#transport = transport;
    this.remember = call("POST /v1/remember");
    this.rememberMany = call("POST /v1/memories/batch");
    this.recall = call("POST /v1/recall");
    this.forget = call("POST /v1/forget");
    this.sparql = call("POST /v1/sparql");
    this.export = createExport(transport);
    this.import = createImport(transport);
    this.prime = call("POST /v1/prime");
    this.consolidate = call("POST /v1/consolidate");
    this.maintenance = call("POST /v1/maintenance");
    this.sessions = { create: call("POST /v1/sessions"), list: list("GET /v1/sessions") };
    this.memories = {
      /** Returns a memory; with `as_of`, as it was then. */
      get: call("GET /v1/memories/{id}"),
      list: list("GET /v1/memories"),
      /** Lists the memories that pass a filter by metadata, tags, type and source. */
      search: list("POST /v1/memories/search"),
      /** Changes a memory; another content or type makes a successor. */
      update: call("PATCH /v1/memories/{id}"),
      /** Returns the chain of supersession with the versions of each memory, oldest first. */
      history: call("GET /v1/memories/{id}/history"),
      triples: bare("GET /v1/memories/{id}/triples"),
      delete: bare("DELETE /v1/memories/{id}"),
    };
    this.users = createUsers(transport);
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
    this.skills = createSkills(transport);
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
      delete: bare("DELETE /v1/ledgers/{agent_id}"),
    };
    this.handoffs = {
      create: call("POST /v1/handoffs"),
      get: bare("GET /v1/handoffs/{id}"),
      list: list("GET /v1/handoffs"),
      acknowledge: call("POST /v1/handoffs/{id}/acknowledge"),
      delete: bare("DELETE /v1/handoffs/{id}"),
    };
    this.entries = {
      create: call("POST /v1/entries"),
      list: list("GET /v1/entries"),
      /** Lists the entries of a namespace that pass a filter by source and metadata. */
      search: list("POST /v1/entries/search"),
      /** Recalls entries without a turn, best first. */
      recall: call("POST /v1/entries/recall"),
    };
    this.namespaces = {
      list: list("GET /v1/namespaces"),
      /** Erases everything in a namespace and returns what was deleted. */
      erase: call("DELETE /v1/namespaces/{namespace}"),
    };
    this.metrics = call("GET /v1/metrics");
    this.usage = bare("GET /v1/usage");
    this.agents = createAgents(transport);
    this.projects = {
      put: call("PUT /v1/projects/{project_id}"),
      get: bare("GET /v1/projects/{project_id}"),
      list: list("GET /v1/projects"),
      triples: bare("GET /v1/projects/{project_id}/triples"),
      /** Erases everything of a project. A long erasure takes several calls; see docs/erasure.md. */
      erase: bare("DELETE /v1/projects/{project_id}"),
    };
    this.resources = {
      put: call("PUT /v1/resources/{class}/{id}"),
      get: bare("GET /v1/resources/{class}/{id}"),
      list: list("GET /v1/resources"),
      triples: bare("GET /v1/resources/{class}/{id}/triples"),
      delete: bare("DELETE /v1/resources/{class}/{id}"),
    };
    this.keys = {
      create: call("POST /v1/keys"),
      list: list("GET /v1/keys"),
      /** Returns a new key in place of this one, which works until the overlap ends. */
      rotate: call("POST /v1/keys/{id}/rotate"),
      delete: bare("DELETE /v1/keys/{id}"),
    };
    this.webhooks = {
      /** Returns the webhook with its secret, which is shown this once. */
      create: call("POST /v1/webhooks"),
      list: bare("GET /v1/webhooks"),
      get: bare("GET /v1/webhooks/{id}"),
      delete: bare("DELETE /v1/webhooks/{id}"),
      deliveries: list("GET /v1/webhooks/{id}/deliveries"),
      retry: bare("POST /v1/webhooks/{id}/deliveries/{delivery_id}/retry"),
    };
    this.privacy = {
      get: bare("GET /v1/privacy"),
      put: call("PUT /v1/privacy"),
      /** Returns the policy that holds in a project. */
      getProject: bare("GET /v1/projects/{project_id}/privacy"),
      putProject: call("PUT /v1/projects/{project_id}/privacy"),
      /** Removes the project's own policy: the tenant's holds again. */
      deleteProject: bare("DELETE /v1/projects/{project_id}/privacy"),
    };
    this.audit = list("GET /v1/audit");
    this.tenants = {
      /** Erases a tenant with its keys. A long erasure takes several calls; see docs/erasure.md. */
      erase: bare("DELETE /v1/tenants/{tenant}"),
      /** Moves a tenant to another database. Repeat it until it is finished; see docs/scaling.md. */
      move: call("POST /v1/tenants/{tenant}/move"),
    };
    this.shards = bare("GET /v1/admin/shards");
    this.tools = createTools(transport);
    this.ontology = bare("GET /v1/ontology");
    this.health = bare("GET /health");
    this.request = createRequest(transport);
  }

  /** Returns a client for a Worker that has the service as a binding: calls do not leave Cloudflare. */
  static fromBinding(binding: KiokuBinding, options: BindingOptions = {}): Kioku {
    return new Kioku(toBindingOptions(binding, options));
  }

  /** Returns the methods of one session, without sending a request. */
  session(id: string): SessionHandle {
    return createSessionHandle(this.#transport, id);
  }

  /** Returns the value or the failed call's error as a result. Other errors are still thrown. */
  async try<T>(work: () => Promise<T>): Promise<Result<T>> {
    try {
      return { ok: true, value: await work() };
    } catch (error) {
      if (isKiokuError(error)) return { ok: false, error };
      throw error;
    }
  }
}
