// Agents, projects, resources and users, and the receipts of erasures.

import { addExample, ForeignSource, Id, PageQuery, PropertyInput, UserId, z } from "../../kernel/common";
import { AGENT_CLASSES, type AgentClass, RESOURCE_CLASS_NAMES } from "../../ontology/entity-classes";

const AGENT_CLASS_NAMES = Object.keys(AGENT_CLASSES) as [AgentClass, ...AgentClass[]];

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

const ResourceClassName = z.enum(RESOURCE_CLASS_NAMES, {
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

export const UserParams = z.object({ id: UserId });

const seen = {
  first_seen: z.string().openapi({ description: "Time of the oldest record of the user" }),
  last_seen: z.string().openapi({ description: "Time of the newest record of the user" }),
  counts: z.object({
    sessions: z.number(),
    messages: z.number(),
    memories: z.number().openapi({ description: "Live memories" }),
  }),
};

export const UserSummary = z.object({ id: z.string(), ...seen }).openapi("UserSummary");
export type UserSummary = z.infer<typeof UserSummary>;
const USER_SUMMARY_EXAMPLE = addExample(UserSummary, {
  id: "mia",
  first_seen: "2026-11-16T09:02:00.000Z",
  last_seen: "2026-11-16T09:13:00.000Z",
  counts: { sessions: 0, messages: 0, memories: 2 },
});

export const UserStatement = z
  .object({
    id: z.string().openapi({ description: "The id of its memory" }),
    content: z.string(),
    type: z.string(),
    confidence: z.number(),
    timestamp: z.string(),
    source_type: ForeignSource,
  })
  .openapi("UserStatement");
export type UserStatement = z.infer<typeof UserStatement>;

export const UserProfile = UserSummary.extend({
  facts: z.array(UserStatement).openapi({ description: "The most important first, then the newest" }),
  preferences: z.array(UserStatement).openapi({ description: "The most important first, then the newest" }),
  topics: z.array(z.string()).openapi({ description: "Names and words of recent messages and memories" }),
}).openapi("UserProfile");
export type UserProfile = z.infer<typeof UserProfile>;
export const USER_PROFILE_EXAMPLE = addExample(UserProfile, {
  ...USER_SUMMARY_EXAMPLE,
  facts: [
    {
      id: "07812f11a2a2d74ab509d3e6b5298031",
      content: "Mia reviews everything that touches payments",
      type: "fact",
      confidence: 0.8,
      timestamp: "2026-11-16T09:13:00.000Z",
    },
  ],
  preferences: [
    {
      id: "1e8a6d8f704c5b6eaf9d8c7b6a594837",
      content: "Mia prefers short answers",
      type: "preference",
      confidence: 0.9,
      timestamp: "2026-11-16T09:02:00.000Z",
    },
  ],
  topics: ["payments", "checkout"],
});

export const UserReceipt = z
  .object({
    deleted: z.object({
      sessions: z.number(),
      messages: z.number(),
      memories: z.number(),
      episodes: z.number(),
      triples: z.number().openapi({ description: "Triples of the erased memories and episodes" }),
      vectors: z.number(),
    }),
  })
  .openapi("UserReceipt");
addExample(UserReceipt, {
  deleted: { sessions: 0, messages: 0, memories: 2, episodes: 0, triples: 26, vectors: 2 },
});

const count = z.number();

const Owned = z.object({
  sessions: count,
  messages: count,
  memories: count,
  episodes: count,
  triples: z.number().openapi({ description: "Triples of the erased memories, episodes and declarations" }),
  vectors: count,
});

export const AgentReceipt = z
  .object({ deleted: Owned.extend({ ledgers: count, handoffs: count, policies: count }) })
  .openapi("AgentReceipt");
addExample(AgentReceipt, {
  deleted: {
    ...{ sessions: 1, messages: 2, memories: 4, episodes: 1, triples: 61, vectors: 7 },
    ...{ ledgers: 1, handoffs: 1, policies: 1 },
  },
});

export const ProjectReceipt = z
  .object({
    deleted: Owned.extend({
      handoffs: count,
      skill_proposals: count,
      resources: count,
      privacy_policies: z.number().openapi({ description: "Always 0 for a key without the scope `admin`" }),
    }),
  })
  .openapi("ProjectReceipt");
addExample(ProjectReceipt, {
  deleted: {
    ...{ sessions: 1, messages: 2, memories: 4, episodes: 1, triples: 61, vectors: 7 },
    ...{ handoffs: 1, skill_proposals: 0, resources: 1, privacy_policies: 0 },
  },
});

export const TenantReceipt = z
  .object({
    deleted: Owned.extend({
      items: count,
      ledgers: count,
      handoffs: count,
      policies: count,
      skill_proposals: count,
      privacy_policies: count,
      keys: count,
    }),
  })
  .openapi("TenantReceipt");
addExample(TenantReceipt, {
  deleted: {
    ...{ sessions: 3, messages: 8, memories: 12, episodes: 2, items: 1, triples: 187, vectors: 23 },
    ...{ ledgers: 1, handoffs: 1, policies: 1, skill_proposals: 0, privacy_policies: 1, keys: 2 },
  },
});

export const LedgerReceipt = z.object({ deleted: z.object({ checkpoints: count }) }).openapi("LedgerReceipt");
addExample(LedgerReceipt, { deleted: { checkpoints: 1 } });
export const HandoffReceipt = z.object({ deleted: z.object({ handoffs: count }) }).openapi("HandoffReceipt");
addExample(HandoffReceipt, { deleted: { handoffs: 1 } });
export const PolicyReceipt = z.object({ deleted: z.object({ policies: count }) }).openapi("PolicyReceipt");
addExample(PolicyReceipt, { deleted: { policies: 1 } });
