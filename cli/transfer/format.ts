// Kioku's export format: one JSON object per line, as the API returns it, with its kind. docs/cli.md describes it.
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

/** Incremented when an older version could misread a newer file. */
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

export type Header = { kind: "kioku"; format: number; version: string; exported_at: string };
/** The last line: a file without it is truncated. */
export type End = { kind: "end"; lines: number };

/** Returns the kind under which a memory is exported: skills, learnings and patterns have their own endpoints. */
export function classifyMemory({ properties }: Pick<Memory, "properties">): Kind | "graph" | "mem0" {
  if (properties.skillBody !== undefined) return "skill";
  if (properties.trigger !== undefined) return "learning";
  if (properties.category !== undefined) return "pattern";
  if (properties.inGraph !== undefined) return "graph";
  if (properties.namespace?.[0]?.startsWith("mem0/")) return "mem0";
  return properties.namespace === undefined ? "memory" : "entry";
}
