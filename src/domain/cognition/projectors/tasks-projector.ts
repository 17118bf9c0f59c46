// What is to be done next → `tasks`. Entry by entry, so that it does not matter how many come at once.

import { COGNITION } from "../../../limits";
import { sha256Hex } from "../../../platform/hash";
import type { JsonObject } from "../../../platform/json";
import type { SpaceOp } from "../../../schemas/cognition";
import { normaliseContent } from "../../../text/memory-text";
import type { Projector } from "../projector";
import { type Action, actionsIn, taskText } from "./action-rules";
import { asText } from "./plain-values";
import { opening, type Spoken, spokenIn } from "./utterances";

const SOURCE = "projector";

export const nextActions: Projector = {
  name: "tasks",
  reads: ["message", "note"],
  trigger: { tick: true, after: 50 },
  async project(entries) {
    const found = (await Promise.all(spokenIn(entries).map(planned))).flat();
    return {
      edits: ({ list }) => {
        const ops = changes(list("tasks"), found);
        return ops.length === 0 ? [] : [{ space: "tasks", ops }];
      },
    };
  },
};

type Planned = Action & { id: string; seq: number };

async function planned({ seq, role, text }: Spoken): Promise<Planned[]> {
  if (role !== "user" && role !== "assistant") return [];
  return Promise.all(
    actionsIn(opening(text), role).map(async (action) => {
      const hash = await sha256Hex(normaliseContent(action.text));
      return { ...action, id: `t-${hash.slice(0, 12)}`, seq };
    }),
  );
}

type Known = { id: string | number | null; clause: string | null; open: boolean; ours: boolean };

function changes(tasks: readonly JsonObject[], found: readonly Planned[]): SpaceOp[] {
  const agenda = tasks.map(known);
  let room = COGNITION.projectedTasks - agenda.filter((task) => task.ours && task.open).length;
  const ops: SpaceOp[] = [];
  for (const { id, text, status, seq } of found) {
    const clause = clauseOf(text);
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

function known({ id, text, status, source }: JsonObject): Known {
  const said = asText(text);
  return {
    id: typeof id === "string" || typeof id === "number" ? id : null,
    clause: said === null ? null : clauseOf(said),
    open: status === "open",
    ours: source === SOURCE,
  };
}

/** The form in which a task that was written by hand is the same as one that was said. */
function clauseOf(text: string): string {
  return normaliseContent(taskText(text));
}
