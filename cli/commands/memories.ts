// kioku list and show: memories without a search.
import type { Memory, MemoryDetail } from "../../client/index";
import {
  CLOCK_OPTIONS,
  type Command,
  defineCommand,
  getArgument,
  OWNER_OPTIONS,
  PAGE_OPTIONS,
  toClocks,
  toOwner,
} from "../command";
import { showPage } from "../list";
import { type Column, formatMinute, renderFields } from "../table";

const COLUMNS: readonly Column<Memory>[] = [
  { title: "id", of: ({ id }) => id },
  { title: "type", of: ({ type }) => type },
  { title: "status", of: ({ status }) => status },
  { title: "when", of: ({ timestamp }) => formatMinute(timestamp) },
  { title: "content", of: ({ content }) => content, free: true },
];

export const memoryCommands: readonly Command[] = [
  defineCommand({
    name: "list",
    summary: "List memories, newest first",
    takes: [],
    options: {
      ...OWNER_OPTIONS,
      type: { type: "string", value: "<type>", about: "only this kind, with its subclasses" },
      tag: { type: "string", value: "<tag>", about: "only with this tag" },
      all: { type: "boolean", about: "also what was superseded or forgotten" },
      ...CLOCK_OPTIONS,
      ...PAGE_OPTIONS,
    },
    example: "kioku list --project shop --type decision",
    async run(context) {
      const { values } = context;
      const memories = context.api().memories.list({
        ...toOwner(values),
        ...toClocks(values),
        type: values.type,
        tag: values.tag,
        include_superseded: values.all,
      });
      await showPage(context, memories, { columns: COLUMNS, none: "There are no such memories." });
      return 0;
    },
  }),
  defineCommand({
    name: "show",
    summary: "Show a memory with all its fields",
    takes: ["id"],
    options: CLOCK_OPTIONS,
    example: "kioku show f145f5220dc5acb88be9f088c39def83",
    async run(context) {
      const { terminal, json, values } = context;
      const memory = await context.api().memories.get(getArgument(context, 0), toClocks(values));
      if (json) await terminal.json(memory);
      else await terminal.line(renderFields(terminal, selectFields(memory)));
      return 0;
    },
  }),
];

/** Selects the fields that have a value. */
function selectFields(memory: MemoryDetail): Record<string, string | number> {
  const fields = {
    id: memory.id,
    content: memory.content,
    type: memory.type,
    status: memory.status,
    key: memory.key,
    tags: memory.tags.join(", "),
    rationale: memory.rationale,
    confidence: memory.confidence,
    importance: memory.importance,
    session: memory.session_id,
    user: memory.user_id,
    agent: memory.agent_id,
    project: memory.project_id,
    source: memory.source_type,
    evidence: memory.evidence.join(", "),
    stored: formatMinute(memory.timestamp),
    "valid from": formatMinute(memory.valid_from),
    "valid until": formatMinute(memory.valid_until),
    recalled: memory.access_count,
    forgotten: formatMinute(memory.forgotten_at),
    reason: memory.forget_reason,
    replaces: memory.supersedes.join(", "),
    "replaced by": memory.superseded_by,
    "invalidated by": memory.invalidated_by,
    links: memory.links.map(({ relation, direction, id }) => `${direction} ${relation} ${id}`).join(", "),
    metadata: Object.keys(memory.metadata).length === 0 ? null : JSON.stringify(memory.metadata),
  };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      value === null || value === "" ? [] : [[name, value]],
    ),
  );
}
