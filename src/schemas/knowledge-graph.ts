// A knowledge graph of entities, observations and relations, as `@modelcontextprotocol/server-memory` has it: the same
// names, in the same case, so that its users change nothing but an address.
import { GRAPH } from "../limits";
import { isCleanText, text, utf8Bytes, z } from "./common";

const Name = text(0, GRAPH.nameChars);
const ObservationText = z.string().superRefine((value, ctx) => {
  const bytes = utf8Bytes(value);
  if (!isCleanText(value))
    ctx.addIssue({ code: "custom", message: "must not contain NUL or lone surrogates: remove them" });
  else if (bytes > GRAPH.observationBytes)
    ctx.addIssue({
      code: "custom",
      message: `must be at most ${GRAPH.observationBytes} bytes, is ${bytes}: tell it in several`,
    });
});

/** A list whose items, with what is in them, are not too many for one batch. */
function fewEnough<T extends z.ZodType>(item: T, count: (item: z.output<T>) => number = () => 1) {
  return z.array(item).superRefine((items, ctx) => {
    const all = items.reduce((sum, one) => sum + count(one), 0);
    if (all > GRAPH.itemsPerCall)
      ctx.addIssue({
        code: "custom",
        message: `hold ${all} items with what is in them, at most ${GRAPH.itemsPerCall} go in one call: send them in parts`,
      });
  });
}

type MakeObject = <S extends z.core.$ZodShape>(shape: S) => z.ZodObject<S>;

/** The inputs. Over HTTP a member that is not known is refused; over MCP it is passed over, as the original does. */
function inputs(object: MakeObject) {
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
    create_entities: object({ entities: fewEnough(entity, (one) => 1 + one.observations.length) }),
    create_relations: object({ relations: fewEnough(relation) }),
    add_observations: object({ observations: fewEnough(addition, (one) => one.contents.length) }),
    delete_entities: object({
      entityNames: fewEnough(Name).meta({ description: "An array of entity names to delete" }),
    }),
    delete_observations: object({ deletions: fewEnough(deletion, (one) => one.observations.length) }),
    delete_relations: object({
      relations: fewEnough(relation).meta({ description: "An array of relations to delete" }),
    }),
    read_graph: object({}),
    search_nodes: object({
      query: text(0, GRAPH.nameChars).meta({
        description: "The search query to match against entity names, types, and observation content",
      }),
    }),
    open_nodes: object({
      names: fewEnough(Name).meta({ description: "An array of entity names to retrieve" }),
    }),
  };
}

export const GraphInputs = inputs(z.object);
export const StrictGraphInputs = inputs(z.strictObject);
export type GraphInputs = { [N in keyof typeof GraphInputs]: z.output<(typeof GraphInputs)[N]> };

export type GraphEntity = GraphInputs["create_entities"]["entities"][number];
export type GraphRelation = GraphInputs["create_relations"]["relations"][number];
export type ObservationsAdded = GraphInputs["add_observations"]["observations"][number];
export type ObservationsDeleted = GraphInputs["delete_observations"]["deletions"][number];

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
