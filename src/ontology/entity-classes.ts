// Entities that callers declare: agents, projects, and the resources that memories refer to. Their classes by wire name,
// and references to them in the values of properties.
import { listSubclasses } from "./classes";
import type { CLASSES } from "./generated/terms.generated";

type ClassName = keyof typeof CLASSES;

export const AGENT_CLASSES = {
  agent: "Agent",
  primary_agent: "PrimaryAgent",
  sub_agent: "SubAgent",
} as const satisfies Record<string, ClassName>;
export type AgentClass = keyof typeof AGENT_CLASSES;

export const RESOURCE_CLASSES = {
  repository: "Repository",
  module: "Module",
  domain: "Domain",
  source_file: "SourceFile",
  code_concept: "CodeConcept",
  elixir_module: "ElixirModule",
  ash_resource: "AshResource",
  dsl: "DSL",
  command: "Command",
  event: "Event",
  projection: "Projection",
  justification: "Justification",
} as const satisfies Record<string, ClassName>;
export type ResourceClass = keyof typeof RESOURCE_CLASSES;

export const RESOURCE_CLASS_NAMES = Object.keys(RESOURCE_CLASSES) as [ResourceClass, ...ResourceClass[]];

/** What an agent with capabilities needs to write and to read long-term memory. */
export type MemoryCapability = "CanWriteMemory" | "CanQueryMemory";

/** The kinds of entities, by the prefix of their IRIs: `jido:agent_ada`, `jido:source_file_router`. */
const ENTITY_KINDS = { agent: "Agent", project: "Project", ...RESOURCE_CLASSES } as const;
type EntityKind = keyof typeof ENTITY_KINDS;

/** A reference to an entity. All classes of agents share one kind. */
export type EntityReference = { kind: EntityKind; id: string };

/** Lists the kinds of entities that a property with this range may refer to; none for any other range. */
export function listReferableKinds(range: string): EntityKind[] {
  const isOfAgents = Object.values<string>(AGENT_CLASSES).includes(range);
  const classes = new Set(isOfAgents ? ["Agent"] : listSubclasses(range));
  return (Object.keys(ENTITY_KINDS) as EntityKind[]).filter((kind) => classes.has(ENTITY_KINDS[kind]));
}

/** Returns the kind that an id alone refers to. A range such as Entity has none: the value names the kind itself. */
function findDefaultKind(range: string): EntityKind | undefined {
  const kinds = listReferableKinds(range);
  return kinds.length === 1 ? kinds[0] : kinds.find((kind) => ENTITY_KINDS[kind] === range);
}

/** Reads `router` or `source_file/router` as a value of a property with this range; null if it refers to no such entity. */
export function parseReference(range: string, value: string): EntityReference | null {
  const slash = value.indexOf("/");
  const named = slash === -1 ? findDefaultKind(range) : value.slice(0, slash);
  const kind = listReferableKinds(range).find((one) => one === named);
  return kind === undefined ? null : { kind, id: value.slice(slash + 1) };
}

/** Writes a reference as parseReference reads it: the id alone if that is unambiguous. */
export function formatReference(range: string, { kind, id }: EntityReference): string {
  return findDefaultKind(range) === kind ? id : `${kind}/${id}`;
}

/** Says what a value of a property with this range must be. */
export function describeReference(range: string): string {
  const kinds = listReferableKinds(range);
  if (kinds.length !== 1) return `must be class/id, with a class of: ${kinds.join(", ")}`;
  return `must be the id of ${kinds[0] === "agent" ? "an" : "a"} ${kinds[0]}`;
}

/** Whether an entity is a resource, which has to be declared. Agents and projects need no declaration. */
export function isResource({ kind }: EntityReference): boolean {
  return kind !== "agent" && kind !== "project";
}

/** Returns the local name of an entity's IRI. */
export function toEntityName({ kind, id }: EntityReference): string {
  return `${kind}_${id}`;
}

/** Reads the local name of an entity's IRI; null if it names none. No kind is the beginning of another. */
export function parseEntityName(name: string): EntityReference | null {
  const kind = (Object.keys(ENTITY_KINDS) as EntityKind[]).find((one) => name.startsWith(`${one}_`));
  return kind === undefined ? null : { kind, id: name.slice(kind.length + 1) };
}
