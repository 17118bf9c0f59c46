// Streams the records of a tenant, a project or an agent, one line at a time.
import type { Kioku, Memory } from "../../client/index";
import { VERSION } from "../../src/version";
import { exportAgents, exportProjects } from "./entities";
import { classifyMemory, type End, FORMAT, type Header, type Owner } from "./format";

export type Selection = {
  project?: string | undefined;
  agent?: string | undefined;
  /** Includes superseded, forgotten and archived records. */
  all: boolean;
};

type Line = { kind: string };

export async function* exportLines(api: Kioku, selection: Selection): AsyncGenerator<Header | Line | End> {
  const exported_at = new Date().toISOString();
  yield { kind: "kioku", format: FORMAT, version: VERSION, exported_at } satisfies Header;
  let lines = 0;
  for await (const line of exportRecords(api, selection)) {
    lines += 1;
    yield line;
  }
  yield { kind: "end", lines } satisfies End;
}

async function* exportRecords(api: Kioku, selection: Selection): AsyncGenerator<Line> {
  const { project, agent, all } = selection;
  const graphs = new Map<string, Owner>();
  for await (const memory of listMemories(api, selection)) {
    const { kind: _, ...fields } = memory;
    const { agent_id, project_id } = fields;
    const kind = classifyMemory(memory);
    if (kind === "graph") graphs.set(JSON.stringify([agent_id, project_id]), { agent_id, project_id });
    else if (kind === "memory" || kind === "entry") yield { kind, ...fields };
  }
  for (const owner of graphs.values()) yield* exportGraph(api, owner);
  const episodes = api.episodes.list({ project_id: project, agent, include_archived: all });
  for await (const episode of episodes) yield { kind: "episode", ...episode };
  if (project === undefined) yield* exportAgents(api, agent);
  // Records shared by all agents, or by all projects, are not part of an export of one.
  if (agent !== undefined) return;
  yield* exportProjects(api, project);
  for await (const learning of api.learnings.list({ project_id: project }))
    yield { kind: "learning", ...learning };
  for await (const pattern of api.patterns.list({ project_id: project }))
    yield { kind: "pattern", ...pattern };
  for await (const skill of api.skills.list({ project_id: project, all_projects: project === undefined }))
    if (project === undefined || skill.project_id === project) yield { kind: "skill", ...skill };
}

export function listMemories(api: Kioku, { project, agent, all }: Selection): AsyncIterable<Memory> {
  return api.memories.list({ project_id: project, agent_id: agent, include_superseded: all });
}

async function* exportGraph(api: Kioku, owner: Owner): AsyncGenerator<Line> {
  const { entities, relations } = await api.request("POST", "/v1/graph/read_graph", {
    body: { agent_id: owner.agent_id ?? undefined, project_id: owner.project_id ?? undefined },
  });
  for (const entity of entities) yield { kind: "entity", ...owner, ...entity };
  for (const relation of relations) yield { kind: "relation", ...owner, ...relation };
}
