// Properties of space containers under random changes.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { updateContainer } from "../../../src/cognition/spaces/container-changes";
import {
  applyOps,
  createSpaceContainer,
  deleteSpace,
  putSpace,
  type SpaceContainer,
} from "../../../src/cognition/spaces/space-container";
import type { ExpectedRevisions, SpaceOp } from "../../../src/cognition/spaces/space-schemas";
import {
  addTask,
  completeTask,
  listTasks,
  orderTasks,
  removeTask,
} from "../../../src/cognition/spaces/task-list";
import { countUtf8Bytes } from "../../../src/kernel/common";
import type { Result } from "../../../src/kernel/errors";
import type { Json } from "../../../src/kernel/json";
import { scaleCases } from "../../patience";

const T0 = "2026-01-31T12:00:00.000Z";
const T1 = "2026-01-31T12:01:00.000Z";

/** Few names, so that operations collide; some are inherited by every object. */
const name = fc.constantFrom("tasks", "world", "list", "map", "constructor");
const id = fc.constantFrom<string | number>("a", "b", "1", 1, "toString");
const key = fc.constantFrom("a", "b", "constructor", "toString");
const leaf = fc.oneof(fc.constantFrom(null, true, -0.5), fc.string({ unit: "grapheme", maxLength: 4 }));
const value: fc.Arbitrary<Json> = fc.oneof(leaf, fc.array(leaf, { maxLength: 2 }), fc.dictionary(key, leaf));
const task = fc.record({
  id: fc.constantFrom("a", "b", "1"),
  text: fc.constantFrom("x", "é"),
  status: fc.constantFrom("open", "done"),
});
const item: fc.Arbitrary<Json> = fc.oneof(leaf, task, fc.record({ id, n: leaf }));
const changes = fc.dictionary(fc.constantFrom("n", "text", "valueOf"), leaf);

const mapOp = fc.oneof<fc.Arbitrary<SpaceOp>[]>(
  fc.record({ op: fc.constant("put"), key, value }),
  fc.record({ op: fc.constant("delete"), key }),
  fc.record({ op: fc.constant("update"), key, changes }),
);
const listOp = fc.oneof<fc.Arbitrary<SpaceOp>[]>(
  fc.record({ op: fc.constant("append"), item }),
  fc.record({ op: fc.constant("prepend"), item }),
  fc.record({ op: fc.constant("insert"), index: fc.nat(4), item }),
  fc.record({ op: fc.constant("remove"), id }),
  fc.record({ op: fc.constant("update"), id, changes }),
);
const batch = fc.oneof(
  fc.array(mapOp, { minLength: 1, maxLength: 5 }),
  fc.array(listOp, { minLength: 1, maxLength: 5 }),
);
const data = fc.oneof(fc.dictionary(key, value), fc.array(item, { maxLength: 4 }));
const expected: fc.Arbitrary<ExpectedRevisions> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.record({ expected_rev: fc.nat(4), expected_memory_rev: fc.nat(8) }, { requiredKeys: [] }),
  },
);

/** A change to a container, and the space it may touch. */
type Change = { touches: string | null; apply: (container: SpaceContainer) => Result<SpaceContainer> };

function changedBy(outcome: Result<{ container: SpaceContainer }>): Result<SpaceContainer> {
  return outcome.ok ? { ok: true, value: outcome.value.container } : outcome;
}

const onTasks = fc.tuple(task, expected).chain(([{ id: taskId, text }, revs]) =>
  fc.constantFrom<Change["apply"][]>(
    (container) => changedBy(addTask(container, { id: taskId, text }, revs, T1)),
    (container) => changedBy(completeTask(container, taskId, revs, T1)),
    (container) => removeTask(container, taskId, revs, T1),
    (container) =>
      changedBy(
        orderTasks(
          container,
          listTasks(container)
            .map((one) => one.id)
            .reverse(),
          revs,
          T1,
        ),
      ),
  ),
);

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(name, batch, expected).map(([touches, ops, revs]) => ({
      touches,
      apply: (m: SpaceContainer) => applyOps(m, touches, ops, revs, T1),
    })),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(name, data, fc.boolean(), expected).map(([touches, put, ensure, revs]) => ({
      touches,
      apply: (m: SpaceContainer) => changedBy(putSpace(m, touches, { data: put, ensure, ...revs }, T1)),
    })),
  },
  { weight: 2, arbitrary: onTasks.map((apply) => ({ touches: "tasks", apply })) },
  {
    weight: 1,
    arbitrary: fc.tuple(name, expected).map(([touches, revs]) => ({
      touches,
      apply: (m: SpaceContainer) => deleteSpace(m, touches, revs, T1),
    })),
  },
  {
    weight: 1,
    arbitrary: fc.dictionary(key, leaf).map((metadata) => ({
      touches: null,
      apply: (m: SpaceContainer) => updateContainer(m, { metadata }, T1),
    })),
  },
);
const changes10 = fc.array(change, { maxLength: 10 });

/** Freezes a value deeply: a mutation throws. */
function frozen<T>(whole: T): T {
  if (typeof whole === "object" && whole !== null)
    for (const part of Object.values(Object.freeze(whole))) frozen(part);
  return whole;
}

function memoryAfter(changes: readonly Change[], container = createSpaceContainer("s1", T0)): SpaceContainer {
  return changes.reduce((current, { apply }) => {
    const outcome = apply(frozen(current));
    return outcome.ok ? outcome.value : current;
  }, container);
}

function spaceAt(container: SpaceContainer, at: string) {
  return Object.hasOwn(container.spaces, at) ? container.spaces[at] : undefined;
}

describe("any change", () => {
  it("raises the container's rev by one, the touched space's rev by one, and leaves every other space the same", () => {
    fc.assert(
      fc.property(changes10, change, (before, { touches, apply }) => {
        const container = frozen(memoryAfter(before));
        const outcome = apply(container);
        if (!outcome.ok || outcome.value === container) return;
        const changed = outcome.value;
        expect(changed.rev).toBe(container.rev + 1);
        expect(changed.updated_at).toBe(T1);
        for (const at of Object.keys({ ...container.spaces, ...changed.spaces }))
          if (at !== touches) expect(spaceAt(changed, at)).toBe(spaceAt(container, at));
        if (touches === null) return;
        const [was, is] = [spaceAt(container, touches), spaceAt(changed, touches)];
        if (is === undefined)
          expect(changed.deleted_rev).toBe(Math.max(container.deleted_rev, was?.rev ?? 0));
        else expect(is.rev).toBe((was?.rev ?? container.deleted_rev) + 1);
      }),
      { numRuns: scaleCases(500) },
    );
  });

  it("keeps the totals at the sums, and ids apart within each list", () => {
    fc.assert(
      fc.property(changes10, (changes) => {
        const container = memoryAfter(changes);
        const spaces = Object.values(container.spaces);
        for (const { data, metadata, bytes, kind } of spaces) {
          expect(bytes).toBe(countUtf8Bytes(JSON.stringify(data)) + countUtf8Bytes(JSON.stringify(metadata)));
          expect(kind).toBe(Array.isArray(data) ? "list" : "map");
          const ids = Array.isArray(data)
            ? data.flatMap((one) => (Object(one) === one ? [Object(one).id] : []))
            : [];
          const named = ids.filter((one) => typeof one === "string" || typeof one === "number");
          expect(new Set(named).size).toBe(named.length);
        }
        expect(container.totals).toEqual({
          spaces: spaces.length,
          bytes: spaces.reduce((sum, { bytes }) => sum + bytes, 0),
        });
      }),
      { numRuns: scaleCases(300) },
    );
  });

  it("gives a space a rev that it never had, also when it was deleted and made anew", () => {
    const step = fc.record({ at: fc.constantFrom("x", "y"), deletes: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        let container = createSpaceContainer("s1", T0);
        const had = new Set<string>();
        for (const { at, deletes } of steps) {
          const outcome = deletes
            ? deleteSpace(container, at, {}, T1)
            : changedBy(putSpace(container, at, { data: {}, ensure: false }, T1));
          if (outcome.ok) container = outcome.value;
          const rev = spaceAt(container, at)?.rev;
          if (deletes || rev === undefined) continue;
          expect(rev).toBeGreaterThan(0);
          expect(had).not.toContain(`${at} ${rev}`);
          had.add(`${at} ${rev}`);
        }
      }),
      { numRuns: scaleCases(300) },
    );
  });
});

describe("a batch of operations", () => {
  it("equals its operations one by one, in a single rev; or fails where they fail and changes nothing", () => {
    fc.assert(
      fc.property(changes10, name, batch, (before, at, ops) => {
        const container = frozen(memoryAfter(before));
        const image = JSON.stringify(container);
        const together = applyOps(container, at, ops, {}, T1);
        let steps: Result<SpaceContainer> = { ok: true, value: container };
        for (const op of ops) if (steps.ok) steps = applyOps(steps.value, at, [op], {}, T1);
        expect(together.ok).toBe(steps.ok);
        expect(JSON.stringify(container)).toBe(image);
        if (together.ok && steps.ok) {
          expect(spaceAt(together.value, at)?.data).toEqual(spaceAt(steps.value, at)?.data);
          expect(together.value.rev).toBe(container.rev + 1);
        } else if (!together.ok && !steps.ok) {
          expect(together.failure.code).toBe(steps.failure.code);
        }
      }),
      { numRuns: scaleCases(500) },
    );
  });
});
