// The estate of one owner: something of every kind that the service stores, each with a secret word in it, and all of it
// as its owner sees it. Checks of isolation compare it before and after a stranger's calls.
import { addTask, append, makeSpace, outcome } from "../cognition/cognition";
import { learn, statePattern, tellEpisode } from "../experience/experience";
import { checkpoint, handOff } from "../experience/handover";
import { entriesPath, note, setPolicy, takeTurn } from "../policy/policy";
import { propose, quietSession, remember, say } from "./actions";
import { type Answer, type Client, fresh } from "./client";
import type { Remembered } from "./contract";
import { bodyOf } from "./expectations";
import { type Belongings, fillPath, type OpenApi, type Route, sampleBody } from "./routes";

export type EstateOwner = { user_id?: string; agent_id: string; project_id: string };

const NAMESPACE = "team";
const MIND = ["memory", "tasks", "thread", "projectors", "signals"];

/** Fills an estate. Returns its ids, by the name that a field or a path parameter has for each. */
export async function fillEstate(api: Client, secret: string, owner: EstateOwner): Promise<Belongings> {
  const { agent_id, project_id } = owner;
  const { id } = await quietSession(api, { ...owner, metadata: { note: secret } });
  await say(api, id, [{ id: fresh("message"), role: "user", content: `${secret} in a message` }]);
  bodyOf(await api.put(`/v1/sessions/${id}/context/framework`, { value: secret }), 200);
  await propose(api, id, `${secret} in a candidate`, { importance_score: 0.1 });
  const { memory_id } = await remember(api, id, `${secret} in a memory`, {
    evidence: [secret],
    rationale: secret,
    key: "topic",
  });
  const lasting = { ...owner, content: `${secret} in a lasting memory`, key: "lasting" };
  bodyOf(await api.post<Remembered>("/v1/remember", lasting), 201);
  // Of the name of a projector, so that one name fits the paths of both.
  await makeSpace(api, id, "summary", { framework: `${secret} in a space` });
  const task = await addTask(api, id, `${secret} in a task`);
  await append(api, id, [{ kind: "note", payload: `${secret} in the thread` }]);
  const items = [{ key: "framework", value: `${secret} in an item` }];
  await outcome(api, id, { type: "upsert", provider: "d1", items, opts: { index: "framework" } });
  const metadata = { note: `${secret} in a policy` };
  await setPolicy(api, agent_id, { capture: "conversation", metadata });
  const entry = { namespace: NAMESPACE, metadata: { note: secret }, ...pickUser(owner) };
  await note(api, agent_id, `${secret} in an entry`, entry);
  await takeTurn(api, id, `${secret} in a turn`, "Noted", { request_id: "r1" });
  const told = { project_id, agent: agent_id, ...pickUser(owner) };
  const episode = await tellEpisode(api, `${secret} in an episode`, told);
  const pattern = await statePattern(api, `${secret} in a pattern`, { project_id });
  await learn(api, { trigger: `${secret} in a learning`, project_id });
  bodyOf(await api.put("/v1/skills/look", { name: `${secret} in a skill`, steps: ["Look"] }), 201);
  const link = { from: pattern.id, to: episode.id, relation: "contradicts" };
  const { id: link_id } = bodyOf(await api.post<{ id: string }>("/v1/links", link), 201);
  const declared = { properties: { agentName: `${secret} in an agent` } };
  bodyOf(await api.put(`/v1/agents/${agent_id}`, declared), 200);
  const project = { properties: { projectName: `${secret} in a project` } };
  bodyOf(await api.put(`/v1/projects/${project_id}`, project), 200);
  const file = { project_id, properties: { filePath: `${secret} in a resource` } };
  bodyOf(await api.put(`/v1/resources/source_file/${id}`, file), 200);
  await checkpoint(api, agent_id, { state: { note: `${secret} in a ledger` } });
  const handoff = await handOff(api, agent_id, { context: { what_was_done: `${secret} in a handoff` } });
  return {
    ...{ ...owner, session_id: id, memory_id, replacement_id: memory_id, continues: id, key: "framework" },
    ...{ episode_id: episode.id, pattern_id: pattern.id, link_id, handoff_id: handoff.id, slug: "look" },
    ...{ class: "source_file", resource_id: id },
    ...{ from: pattern.id, to: episode.id, goal: secret, agent: agent_id },
    ...{ namespace: NAMESPACE, input: secret, output: secret, request_id: "r1" },
    ...{ name: "summary", task_id: task.id, ids: [task.id], items, opts: { index: "framework" } },
    ...{ provider: "d1", keys: ["framework"] },
    ...{ query: secret, content: "Mine", memory_type: "fact", messages: [{ role: "user", content: "Mine" }] },
    ...{
      call: { type: "tool_use", id: "c1", name: "recall", input: { query: secret, scope: "tenant" } },
      scope: "tenant",
    },
    ...{ include_superseded: true, limit: 50, tenant: "stolen" },
  };
}

/** Adds what the surfaces of other memory services store, each with the secret word in it. */
export async function fillSurfaces(api: Client, secret: string, user: string): Promise<Belongings> {
  const messages = [{ role: "user", content: `${secret} in a mem0 memory` }];
  const added = { messages, user_id: user, infer: false };
  const { results } = bodyOf(
    await api.post<{ results: { id: string }[] }>("/mem0/v3/memories/add/", added),
    200,
  );
  const entities = [{ name: "Mia", entityType: "person", observations: [`${secret} in an observation`] }];
  bodyOf(await api.post("/v1/graph/create_entities", { entities }), 200);
  return { mem0_id: results[0]?.id };
}

function pickUser({ user_id }: EstateOwner): { user_id?: string } {
  return user_id === undefined ? {} : { user_id };
}

/** The namespaces of an estate's entries. */
export function listNamespaces({ agent_id, session_id, namespace }: Belongings): string[] {
  return [`agent:${agent_id}`, `agent:${agent_id}:session:${session_id}`, String(namespace)];
}

/** All that the owner has, as the owner sees it. */
export async function readEstate(api: Client, own: Belongings): Promise<string> {
  const { session_id, user_id, agent_id, project_id, episode_id, pattern_id } = own;
  const at = `/v1/sessions/${session_id}`;
  const owner = [`agent_id=${agent_id}`, `project_id=${project_id}`, user_id && `user_id=${user_id}`];
  const query = owner.filter(Boolean).join("&");
  const paths = [
    at,
    ...["messages", "context", "pending", ...MIND].map((list) => `${at}/${list}`),
    ...[`/v1/sessions?${query}`, `/v1/memories?${query}&include_superseded=true`],
    ...[`/v1/agents/${agent_id}/policy`, `/v1/episodes/${episode_id}`],
    ...[`/v1/patterns?project_id=${project_id}`, `/v1/learnings?project_id=${project_id}`],
    ...["/v1/skills", "/v1/handoffs", `/v1/links?of=${pattern_id}`, `/v1/ledgers/${agent_id}/history`],
    ...[`/v1/agents/${agent_id}`, `/v1/projects/${project_id}`, `/v1/resources?project_id=${project_id}`],
    ...listNamespaces(own).map(entriesPath),
  ];
  const parts: Answer<unknown>[] = [];
  for (const path of paths) parts.push(await api.get(path));
  for (const part of parts) bodyOf(part, 200);
  // Importance fades with every millisecond, whoever looks.
  return parts.map((part) => part.text.replace(/"importance":[\d.]+/g, "")).join("\n");
}

/** Matches what the owner of an estate wrote, as opposed to the secret itself, which may be the stranger's own query. */
export function matchWritten(secret: string): RegExp {
  return new RegExp(`${secret} in (an?|the) `);
}

/** Sends a plausible request to a route, made of the belongings. */
export function sendTo(
  client: Client,
  document: OpenApi,
  route: Route,
  own: Belongings,
): Promise<Answer<unknown>> {
  const body = sampleBody(document, route, own);
  return client.call(route.method, fillPath(route.template, own), body === undefined ? {} : { body });
}
