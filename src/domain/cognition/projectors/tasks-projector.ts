// Projects next actions into the space `tasks`. Entries are processed one by one, so that the batch size does not
// matter.
import { sha256Hex } from "../../../platform/hash";
import type { JsonObject } from "../../../platform/json";
import type { SpaceOp } from "../../../schemas/space";
import { normaliseContent } from "../../../text/normalise-text";
import type { Projector } from "../projector";
import { extractActions, formatTaskText, type TaskAction } from "./extract-actions";
import { asText, toUtterances, truncateAtSentence, type Utterance } from "./utterances";

/** Open tasks that the projector retains. */
export const MAX_OPEN_TASKS = 200;

const SOURCE = "projector";

export const tasksProjector: Projector = {
  name: "tasks",
  reads: ["message", "note"],
  trigger: { tick: true, after: 50 },
  async project(entries) {
    const actions = (await Promise.all(toUtterances(entries).map(planActions))).flat();
    return {
      edits: ({ list }) => {
        const ops = computeOps(list("tasks"), actions);
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

/** `projected` marks tasks of this projector; those of others are never changed. */
type KnownTask = { id: string | number | null; clause: string | null; open: boolean; projected: boolean };

function computeOps(tasks: readonly JsonObject[], actions: readonly PlannedAction[]): SpaceOp[] {
  const agenda = tasks.map(toKnownTask);
  let room = MAX_OPEN_TASKS - agenda.filter((task) => task.projected && task.open).length;
  const ops: SpaceOp[] = [];
  for (const { id, text, status, seq } of actions) {
    const clause = normaliseClause(text);
    if (status === "done") {
      const task = agenda.find(
        (item) => item.projected && item.open && item.clause === clause && item.id !== null,
      );
      if (task === undefined || task.id === null) continue;
      task.open = false;
      room += 1;
      ops.push({ op: "update", id: task.id, changes: { status } });
    } else if (room > 0 && !agenda.some((item) => item.id === id || item.clause === clause)) {
      room -= 1;
      agenda.push({ id, clause, open: true, projected: true });
      ops.push({ op: "append", item: { id, text, status, source: SOURCE, seq } });
    }
  }
  return ops;
}

function toKnownTask({ id, text, status, source }: JsonObject): KnownTask {
  const taskText = asText(text);
  return {
    id: typeof id === "string" || typeof id === "number" ? id : null,
    clause: taskText === null ? null : normaliseClause(taskText),
    open: status === "open",
    projected: source === SOURCE,
  };
}

/** Returns the form in which a task entered by hand equals one from a message. */
function normaliseClause(text: string): string {
  return normaliseContent(formatTaskText(text));
}
