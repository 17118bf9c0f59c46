// The earlier format of `kioku export`: one JSON object per line, as the API returns it, with its kind. Files of it are
// still imported.
import type {
  Agent,
  Episode,
  GraphEntity,
  GraphRelation,
  Learning,
  Memory,
  Pattern,
  Project,
  Resource,
  Skill,
} from "../../client/index";

export const FORMAT = 1;

/** Owner of a knowledge graph; the tenant if neither is set. */
export type Owner = { agent_id?: string | null; project_id?: string | null };

/** The record of each kind of line. Policy entries are memories, too, but are not written by remember. */
export type RecordByKind = {
  memory: Memory;
  entry: Omit<Memory, "kind">;
  episode: Episode;
  skill: Skill;
  learning: Learning;
  pattern: Pattern;
  entity: GraphEntity & Owner;
  relation: GraphRelation & Owner;
  resource: Resource;
  project: Project;
  agent: Agent;
};
export type Kind = keyof RecordByKind;

export const KINDS = [
  "memory",
  "entry",
  "episode",
  "skill",
  "learning",
  "pattern",
  "entity",
  "relation",
  "resource",
  "project",
  "agent",
] as const satisfies readonly Kind[];
