// Kioku's own export: one JSON object a line, as the API shows it, with its kind. docs/cli.md describes it.
import type {
  Episode,
  GraphEntity,
  GraphRelation,
  Learning,
  Memory,
  Pattern,
  Skill,
} from "../../client/index";

/** Raised when an older command could misread a newer file. */
export const FORMAT = 1;

/** Whose a knowledge graph is; the tenant's own without either. */
export type Owner = { agent_id?: string | null; project_id?: string | null };

/** What may stand on a line. Entries of policies are memories too, but not written by remember. */
export type Lines = {
  memory: Memory;
  entry: Omit<Memory, "kind">;
  episode: Episode;
  skill: Skill;
  learning: Learning;
  pattern: Pattern;
  entity: GraphEntity & Owner;
  relation: GraphRelation & Owner;
};
export type Kind = keyof Lines;

export const KINDS = [
  "memory",
  "entry",
  "episode",
  "skill",
  "learning",
  "pattern",
  "entity",
  "relation",
] as const satisfies readonly Kind[];

export type Header = { kind: "kioku"; format: number; version: string; exported_at: string };
/** The last line: a file without it was cut off. */
export type End = { kind: "end"; lines: number };

/** As what a memory is carried: skills and the like are memories that have calls of their own. */
export function carriedAs({ properties }: Pick<Memory, "properties">): Kind | "graph" | "mem0" {
  if (properties.skillBody !== undefined) return "skill";
  if (properties.trigger !== undefined) return "learning";
  if (properties.category !== undefined) return "pattern";
  if (properties.inGraph !== undefined) return "graph";
  if (properties.namespace?.[0]?.startsWith("mem0/")) return "mem0";
  return properties.namespace === undefined ? "memory" : "entry";
}
