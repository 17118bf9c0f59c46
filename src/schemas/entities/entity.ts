// Agents, projects and the resources that memories refer to, as subjects with properties of the ontology.

import { AGENT_CLASSES, type AgentClass, RESOURCE_CLASS_NAMES } from "../../ontology/entity-classes";
import { Id, PageQuery, PropertyInput, z } from "../common";
import { addExample } from "../examples";

const AGENT_CLASS_NAMES = Object.keys(AGENT_CLASSES) as [AgentClass, ...AgentClass[]];

export const AgentParams = z.object({ agent_id: Id });
export const ProjectParams = z.object({ project_id: Id });

const PropertiesInput = z.record(z.string(), PropertyInput).openapi({
  type: "object",
  additionalProperties: true,
  description:
    "Properties by their names in the ontology, each a value or a list. A reference is an id, or `class/id` where the class is open",
});

const Properties = z
  .record(z.string(), z.array(z.string()))
  .openapi({ type: "object", additionalProperties: true });

export const AgentPut = z
  .object({
    class: z
      .enum(AGENT_CLASS_NAMES, { error: `must be one of: ${AGENT_CLASS_NAMES.join(", ")}` })
      .optional()
      .openapi({ description: "By default `agent`" }),
    properties: PropertiesInput.default({}),
  })
  .strict()
  .openapi("AgentPut");
export type AgentPut = z.infer<typeof AgentPut>;
addExample(AgentPut, {
  class: "primary_agent",
  properties: {
    agentName: "Ada",
    hasRole: ["Planner", "Implementer"],
    hasCapability: ["CanWriteCode", "CanWriteMemory", "CanQueryMemory"],
  },
});

const DECLARED = "Whether it has been put. Others are known because a session, memory or episode names them";

export const AgentView = z
  .object({
    id: z.string(),
    class: z.enum(AGENT_CLASS_NAMES),
    declared: z.boolean().openapi({ description: DECLARED }),
    properties: Properties,
  })
  .openapi("Agent");
export type AgentView = z.infer<typeof AgentView>;
addExample(AgentView, {
  id: "ada",
  class: "primary_agent",
  declared: true,
  properties: {
    agentName: ["Ada"],
    hasRole: ["Planner", "Implementer"],
    hasCapability: ["CanWriteCode", "CanWriteMemory", "CanQueryMemory"],
  },
});

export const ProjectPut = z
  .object({ properties: PropertiesInput.default({}) })
  .strict()
  .openapi("ProjectPut");
export type ProjectPut = z.infer<typeof ProjectPut>;
addExample(ProjectPut, { properties: { projectName: "Shop", projectVersion: "2.4" } });

export const ProjectView = AgentView.omit({ class: true }).openapi("Project");
export type ProjectView = z.infer<typeof ProjectView>;
addExample(ProjectView, {
  id: "shop",
  declared: true,
  properties: { projectName: ["Shop"], projectVersion: ["2.4"] },
});

export const ResourceClassName = z.enum(RESOURCE_CLASS_NAMES, {
  error: `must be one of: ${RESOURCE_CLASS_NAMES.join(", ")}`,
});

export const ResourceParams = z.object({ class: ResourceClassName, id: Id });

export const ResourceQuery = PageQuery.extend({
  class: ResourceClassName.optional().openapi({ description: "Only of this class and its subclasses" }),
  project_id: Id.optional(),
});

export const ResourcePut = z
  .object({
    project_id: Id.optional().openapi({
      description: "The project it is part of; the same as partOfProject",
    }),
    properties: PropertiesInput.default({}),
  })
  .strict()
  .openapi("ResourcePut");
export type ResourcePut = z.infer<typeof ResourcePut>;
addExample(ResourcePut, { project_id: "shop", properties: { filePath: "lib/shop/checkout/guest.ex" } });

export const ResourceView = z
  .object({
    class: ResourceClassName,
    id: z.string(),
    project_id: z.string().nullable(),
    properties: Properties,
  })
  .openapi("Resource");
export type ResourceView = z.infer<typeof ResourceView>;
const RESOURCE_VIEW_EXAMPLE = addExample(ResourceView, {
  class: "source_file",
  id: "checkout-guest",
  project_id: "shop",
  properties: { filePath: ["lib/shop/checkout/guest.ex"], partOfProject: ["shop"] },
});

export const ResourceDetail = ResourceView.extend({
  references: z.number().openapi({ description: "How many live memories and entities refer to it" }),
  referred_by: z
    .array(
      z.object({
        relation: z.string().openapi({ description: "The property, such as appliesToFile" }),
        class: z.string().openapi({ description: "`memory`, or the class of an entity" }),
        id: z.string(),
      }),
    )
    .openapi({ description: "The newest of them" }),
}).openapi("ResourceDetail");
export type ResourceDetail = z.infer<typeof ResourceDetail>;
addExample(ResourceDetail, { ...RESOURCE_VIEW_EXAMPLE, references: 0, referred_by: [] });

export const ResourceReceipt = z
  .object({
    deleted: z.object({
      resources: z.number(),
      triples: z.number(),
      references: z
        .number()
        .openapi({ description: "References to it, which were removed from memories and entities" }),
    }),
  })
  .openapi("ResourceReceipt");
addExample(ResourceReceipt, { deleted: { resources: 1, triples: 3, references: 0 } });
