// A knowledge graph of entities, observations and relations, with the names and letter case of
// `@modelcontextprotocol/server-memory`, so that its users change only the address.

import { boundedText, countUtf8Bytes, isCleanText, z } from "../kernel/common";
import { GRAPH } from "../kernel/limits";

const Name = boundedText(0, GRAPH.nameChars);
const ObservationText = z.string().superRefine((value, ctx) => {
  const bytes = countUtf8Bytes(value);
  if (!isCleanText(value))
    ctx.addIssue({ code: "custom", message: "must not contain NUL or lone surrogates: remove them" });
  else if (bytes > GRAPH.observationBytes)
    ctx.addIssue({
      code: "custom",
      message: `must be at most ${GRAPH.observationBytes} bytes, is ${bytes}: split it into several`,
    });
});

/** Returns the schema of a list whose items, nested ones included, fit one batch. */
function boundedList<T extends z.ZodType>(item: T, count: (item: z.output<T>) => number = () => 1) {
  return z.array(item).superRefine((items, ctx) => {
    const all = items.reduce((sum, one) => sum + count(one), 0);
    if (all > GRAPH.itemsPerCall)
      ctx.addIssue({
        code: "custom",
        message: `has ${all} items, nested ones included; one call takes at most ${GRAPH.itemsPerCall}: send them in several calls`,
      });
  });
}

type MakeObject = <S extends z.core.$ZodShape>(shape: S) => z.ZodObject<S>;

/** Builds the input schemas. HTTP rejects unknown members; MCP ignores them, as the original server does. */
function graphInputs(object: MakeObject) {
  const entity = object({
    name: Name.meta({ description: "The name of the entity" }),
    entityType: Name.meta({ description: "The type of the entity" }),
    observations: z.array(ObservationText).meta({
      description: "An array of observation contents associated with the entity",
    }),
  });
  const relation = object({
    from: Name.meta({ description: "The name of the entity where the relation starts" }),
    to: Name.meta({ description: "The name of the entity where the relation ends" }),
    relationType: Name.meta({ description: "The type of the relation" }),
  });
  const addition = object({
    entityName: Name.meta({ description: "The name of the entity to add the observations to" }),
    contents: z.array(ObservationText).meta({ description: "An array of observation contents to add" }),
  });
  const deletion = object({
    entityName: Name.meta({ description: "The name of the entity containing the observations" }),
    observations: z.array(ObservationText).meta({ description: "An array of observations to delete" }),
  });
  return {
    create_entities: object({ entities: boundedList(entity, (one) => 1 + one.observations.length) }),
    create_relations: object({ relations: boundedList(relation) }),
    add_observations: object({ observations: boundedList(addition, (one) => one.contents.length) }),
    delete_entities: object({
      entityNames: boundedList(Name).meta({ description: "An array of entity names to delete" }),
    }),
    delete_observations: object({ deletions: boundedList(deletion, (one) => one.observations.length) }),
    delete_relations: object({
      relations: boundedList(relation).meta({ description: "An array of relations to delete" }),
    }),
    read_graph: object({}),
    search_nodes: object({
      query: boundedText(0, GRAPH.nameChars).meta({
        description: "The search query to match against entity names, types, and observation content",
      }),
    }),
    open_nodes: object({
      names: boundedList(Name).meta({ description: "An array of entity names to retrieve" }),
    }),
  };
}

export const GraphInputs = graphInputs(z.object);
export const StrictGraphInputs = graphInputs(z.strictObject);
export type GraphInputs = { [N in keyof typeof GraphInputs]: z.output<(typeof GraphInputs)[N]> };

export type GraphEntity = GraphInputs["create_entities"]["entities"][number];
export type GraphRelation = GraphInputs["create_relations"]["relations"][number];
export type ObservationAddition = GraphInputs["add_observations"]["observations"][number];
export type ObservationDeletion = GraphInputs["delete_observations"]["deletions"][number];

const Entity = z
  .object({ name: z.string(), entityType: z.string(), observations: z.array(z.string()) })
  .openapi("GraphEntity");
const Relation = z
  .object({ from: z.string(), to: z.string(), relationType: z.string() })
  .openapi("GraphRelation");

export const EntitiesCreated = z.object({ entities: z.array(Entity) });
export const RelationsCreated = z.object({ relations: z.array(Relation) });
export const ObservationResults = z.object({
  results: z.array(z.object({ entityName: z.string(), addedObservations: z.array(z.string()) })),
});
export type ObservationResults = z.infer<typeof ObservationResults>;
export const GraphDeleted = z.object({ success: z.boolean(), message: z.string() }).openapi("GraphDeleted");
export const KnowledgeGraph = z
  .object({ entities: z.array(Entity), relations: z.array(Relation) })
  .openapi("KnowledgeGraph");
export type KnowledgeGraph = z.infer<typeof KnowledgeGraph>;
