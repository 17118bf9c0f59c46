// What is to be done next → `tasks`. Entry by entry, so that it does not matter how many come at once.

import { COGNITION } from "../../../limits";
import { sha256Hex } from "../../../platform/hash";
import type { JsonObject } from "../../../platform/json";
import type { SpaceOp } from "../../../schemas/space";
import { normaliseContent } from "../../../text/normalise-text";
import type { Projector } from "../projector";
import { extractActions, formatTaskText, type TaskAction } from "./extract-actions";
import { asText, toUtterances, truncateAtSentence, type Utterance } from "./utterances";

const SOURCE = "projector";

export const tasksProjector: Projector = {
  name: "tasks",
  reads: ["message", "note"],
  trigger: { tick: true, after: 50 },
  async project(entries) {
    const found = (await Promise.all(toUtterances(entries).map(planActions))).flat();
    return {
      edits: ({ list }) => {
        const ops = computeOps(list("tasks"), found);
        return ops.length === 0 ? [] : [{ space: "tasks", ops }];
      },
    };
  },
};

type PlannedAction = TaskAction & { id: string; seq: number };

async function planActions({ seq, role, text }: Utterance): Promise<PlannedAction[]> {
  if (role !== "user" && role !== "assistant") return [];
  return Promise.all(
    extractActions(truncateAtSentence(text), role).map(async (action) => {
      const hash = await sha256Hex(normaliseContent(action.text));
      return { ...action, id: `t-${hash.slice(0, 12)}`, seq };
    }),
  );
}

type KnownTask = { id: string | number | null; clause: string | null; open: boolean; ours: boolean };

function computeOps(tasks: readonly JsonObject[], found: readonly PlannedAction[]): SpaceOp[] {
  const agenda = tasks.map(toKnownTask);
  let room = COGNITION.projectedTasks - agenda.filter((task) => task.ours && task.open).length;
  const ops: SpaceOp[] = [];
  for (const { id, text, status, seq } of found) {
    const clause = normaliseClause(text);
    if (status === "done") {
      const task = agenda.find(
        (item) => item.ours && item.open && item.clause === clause && item.id !== null,
      );
      if (task === undefined || task.id === null) continue;
      task.open = false;
      room += 1;
      ops.push({ op: "update", id: task.id, changes: { status } });
    } else if (room > 0 && !agenda.some((item) => item.id === id || item.clause === clause)) {
      room -= 1;
      agenda.push({ id, clause, open: true, ours: true });
      ops.push({ op: "append", item: { id, text, status, source: SOURCE, seq } });
    }
  }
  return ops;
}

function toKnownTask({ id, text, status, source }: JsonObject): KnownTask {
  const said = asText(text);
  return {
    id: typeof id === "string" || typeof id === "number" ? id : null,
    clause: said === null ? null : normaliseClause(said),
    open: status === "open",
    ours: source === SOURCE,
  };
}

/** The form in which a task that was written by hand is the same as one that was said. */
function normaliseClause(text: string): string {
  return normaliseContent(formatTaskText(text));
}
