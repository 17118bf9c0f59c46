// The records of an export in JSON lines: what is written, and what an import takes.
import type { z } from "../kernel/common";
import {
  AccessRecord,
  ContainerRecord,
  ContextRecord,
  DirectiveRecord,
  EphemeralItemRecord,
  ExportedSessionRecord,
  InlineItemRecord,
  MessageRecord,
  PendingRecord,
  ProjectorRecord,
  SignalRecord,
  SpaceRecord,
  ThreadRecord,
} from "../sessions/session-records";
import {
  AgentRecord,
  BriefingCountRecord,
  EpisodeRecord,
  ExtensionRecord,
  HandoffRecord,
  ItemRecord,
  LedgerRecord,
  LinkRecord,
  MemoryRecord,
  PolicyRecord,
  PrivacyRecord,
  ProjectRecord,
  QuotationRecord,
  ResourceRecord,
  SkillProposalRecord,
  VersionRecord,
  WebhookRecord,
} from "./stored-records";

/** In the order of an export. What other records rest on comes first; rules that could refuse them come last. */
export const RECORD_SCHEMAS = {
  ontology_extension: ExtensionRecord,
  resource: ResourceRecord,
  project: ProjectRecord,
  session: ExportedSessionRecord,
  projector: ProjectorRecord,
  message: MessageRecord,
  context_item: ContextRecord,
  pending_item: PendingRecord,
  access: AccessRecord,
  space_container: ContainerRecord,
  space: SpaceRecord,
  thread_entry: ThreadRecord,
  inline_item: InlineItemRecord,
  ephemeral_item: EphemeralItemRecord,
  directive: DirectiveRecord,
  signal: SignalRecord,
  memory: MemoryRecord,
  memory_version: VersionRecord,
  episode: EpisodeRecord,
  link: LinkRecord,
  item: ItemRecord,
  quotation: QuotationRecord,
  skill_proposal: SkillProposalRecord,
  briefing_count: BriefingCountRecord,
  ledger: LedgerRecord,
  handoff: HandoffRecord,
  policy: PolicyRecord,
  agent: AgentRecord,
  privacy_policy: PrivacyRecord,
  webhook: WebhookRecord,
} as const;

export type RecordKind = keyof typeof RECORD_SCHEMAS;
export const RECORD_KINDS = Object.keys(RECORD_SCHEMAS) as RecordKind[];
export type ExportRecord<K extends RecordKind = RecordKind> = z.infer<(typeof RECORD_SCHEMAS)[K]>;

/** The kinds that the object of a session stores, in their order. */
export const SESSION_KINDS = [
  "session",
  "projector",
  "message",
  "context_item",
  "pending_item",
  "access",
  "space_container",
  "space",
  "thread_entry",
  "inline_item",
  "ephemeral_item",
  "directive",
  "signal",
] as const satisfies readonly RecordKind[];
export type SessionKind = (typeof SESSION_KINDS)[number];
