// A project's object may fail or die at any point of its work. Whoever comes next carries it on: nothing is done twice,
// and it ends as if nothing had happened.
import { afterEach, describe, expect, it, vi } from "vitest";
import { STEPS_PER_BATCH } from "../../src/experience/consolidation/consolidate";
import {
  FINISHED_TASK_MS,
  IDLE_MS,
  MAINTENANCE_MS,
  MAX_WAIT_MS,
  RESUME_MS,
} from "../../src/experience/consolidation/project-schedule";
import { newExperience } from "../integration/experience/support";
import { breakEmbedder, type IndexerStub, mendEmbedders } from "../integration/indexing/support";
import { fullRun } from "../patience";
import {
  type Accident,
  breakCall,
  counts,
  DAY,
  iso,
  newOp,
  newProject,
  type Op,
  type Project,
} from "./project-support";
import { breakBatches, breakStatements, COMMIT, failuresOfD1, MINUTE, mendD1, stickBatches } from "./support";

afterEach(() => {
  mendD1();
  mendEmbedders();
});

const RULE = "Express route handlers _ explicit return types in strict mode";
/** More than one page of steps. */
const TYPES = Array.from({ length: STEPS_PER_BATCH + 8 }, (_, n) => `Failure number ${n}`);

/** Two errors that were resolved. */
const [NEW, KNOWN] = [
  { type: "Compilation", message: "Missing return type", resolution: "Added the type" },
  { type: "Lint", message: "Unused import", resolution: "Removed the import" },
];

/**
 * A project in which a consolidation has everything to do: to create, to strengthen and to merge patterns, to create and
 * to confirm a learning, to propose a skill and to find a contradiction.
 */
async function busyProject(): Promise<Project> {
  const project = await newProject();
  const { tellIt, state, learn } = project;
  const errors_encountered = TYPES.map((type) => ({ type, message: `${type} was met` }));
  const told = { confidence: 0.88, source_episodes: ["ep-a1", "ep-a2"] };
  const work = {
    action_log: [{ action: "read_contract" }, { action: "write_handler" }],
    errors_encountered: [NEW, KNOWN],
  };
  await Promise.all([
    ...["ep-a1", "ep-a2", "ep-a3"].map((id) => tellIt(id, "Implement the orders endpoint of the shop", work)),
    learn({ trigger: KNOWN.type, root_cause: KNOWN.message }),
    state("Run the database migrations before the deployment"),
    state("Run the database migrations after the deployment"),
    ...["ep-b1", "ep-b2"].map((id) => tellIt(id, "Fix the flaky login test of the web client")),
    tellIt("ep-c1", "Restore the backup of last night", { outcome: "failure", errors_encountered }),
    state("Implement the orders endpoint of the shop", told),
    state(RULE.replace("_", "need"), { confidence: 0.82, source_episodes: ["ep-x"] }),
    state(RULE.replace("_", "require"), { confidence: 0.91, source_episodes: ["ep-y"] }),
  ]);
  return project;
}

async function undisturbed() {
  const project = await busyProject();
  const answer = await project.run();
  if (!answer.ok) throw new Error("the undisturbed run failed");
  const { created, updated, anti_patterns, merged } = answer.value;
  expect([created, updated, anti_patterns].map(({ length }) => length)).toEqual([1, 1, TYPES.length + 2]);
  expect(merged.length).toBeGreaterThan(0);
  const { learnings, contradictions, proposed_skills } = answer.value;
  expect([learnings, contradictions, proposed_skills].map(({ length }) => length)).toEqual([2, 1, 1]);
  return { answer: counts(answer.value), result: await project.result() };
}

/** Has a consolidation go wrong at its n-th call of D1; gives whether there was such a call. */
async function goWrong(project: Project, n: number, accident: Accident, key: Op | null): Promise<boolean> {
  const fault = breakCall(n, accident);
  let over = false;
  const run = project
    .run(key)
    .catch(() => null)
    .finally(() => {
      over = true;
    });
  await vi.waitUntil(() => over || fault.stuck());
  if (accident === "stuck") await project.kill();
  await run;
  mendD1();
  return fault.struck();
}

/** The first call of D1 that goes wrong. Each accident begins at another, so that together they meet every call. */
const FIRST_CALL: Readonly<Record<Accident, number>> = { before: 1, after: 2, stuck: 3 };

/** Does so at every third call of D1, in a full run at every one, each time in a new project. */
async function everywhere(
  accident: Accident,
  key: Op | null,
  check: (project: Project, n: number) => Promise<void>,
): Promise<void> {
  for (let n = fullRun ? 1 : FIRST_CALL[accident]; ; n += fullRun ? 1 : 3) {
    const project = await busyProject();
    const struck = await goWrong(project, n, accident, key);
    await check(project, n);
    if (struck) continue;
    expect(n, "a fault that never struck proves nothing").toBeGreaterThan(5);
    return;
  }
}

describe("a consolidation that fails or dies at any call of D1", () => {
  it("before the call is done, is whole when it is sent again", async () => {
    const expected = await undisturbed();
    const key = newOp();
    await everywhere("before", key, async (project, n) => {
      const again = await project.run(key);
      expect(again.ok && counts(again.value), `call ${n}`).toEqual(expected.answer);
      expect(await project.result(), `call ${n}`).toEqual(expected.result);
    });
  });

  it("after the call was done, is carried on by another call", async () => {
    const expected = await undisturbed();
    await everywhere("after", null, async (project, n) => {
      expect((await project.run()).ok).toBe(true);
      expect(await project.result(), `call ${n}`).toEqual(expected.result);
    });
  });

  it("in the middle of the call, is carried on by the alarm", async () => {
    const expected = await undisturbed();
    await everywhere("stuck", null, async (project, n) => {
      await project.ring();
      expect(await project.result(), `call ${n}`).toEqual(expected.result);
    });
  });

  it("has its whole answer for its key, whoever carried it on", async () => {
    const expected = await undisturbed();
    const project = await busyProject();
    const key = newOp();
    // The first write of a run comes when its plan stands.
    stickBatches(COMMIT);
    const run = project.run(key).catch(() => null);
    await vi.waitUntil(() => failuresOfD1() > 0);
    await project.kill();
    await run;
    mendD1();
    await project.ring();
    await project.evict();
    const again = await project.run(key);
    expect(again.ok && counts(again.value)).toEqual(expected.answer);
    expect(await project.run({ ...key, fingerprint: "other" })).toMatchObject({
      failure: { code: "conflict" },
    });
    expect(await project.result()).toEqual(expected.result);
  });
});

describe("consolidations and maintenances at once", () => {
  it("happen one at a time, and come to what one of each comes to", async () => {
    const alone = await busyProject();
    await alone.run();
    await alone.maintainAt(alone.start);
    const project = await busyProject();
    const runs = Array.from({ length: 5 }, () => project.run());
    const cares = Array.from({ length: 3 }, () => project.maintainAt(project.start));
    const answers = await Promise.all(runs);
    const created = answers.flatMap((answer) => (answer.ok ? answer.value.created : []));
    const updated = answers.flatMap((answer) => (answer.ok ? answer.value.updated : []));
    expect([created.length, updated.length]).toEqual([1, 1]);
    for (const { ok } of [...answers, ...(await Promise.all(cares))]) expect(ok).toBe(true);
    expect(await project.result()).toEqual(await alone.result());
  });

  it("do not keep each other up when one of them fails", async () => {
    const project = await busyProject();
    breakBatches({ moment: "before", matching: COMMIT, times: 1 });
    const answers = await Promise.all([project.run(), project.run(), project.maintainAt(project.start)]);
    expect(answers.map(({ ok }) => ok)).toEqual([false, true, true]);
  });
});

describe("maintenance that fails at any call of D1", () => {
  async function agedProject(): Promise<Project> {
    const project = await newProject();
    for (const days of [1, 10, 40])
      await project.tellIt(`ep-${days}`, `Attempt of ${days} days`, { importance: 0.6 }, days * 24);
    for (const verb of ["need", "require"])
      await project.state(RULE.replace("_", verb), { confidence: verb === "need" ? 0.82 : 0.9 });
    await project.learn();
    return project;
  }

  it("and is sent again with the same time leaves what an undisturbed one leaves", async () => {
    const expected = await agedProject();
    const later = (project: Project) => project.start + 5 * DAY;
    await expected.maintainAt(later(expected));
    for (const accident of ["before", "after"] as const) {
      for (let n = 1; ; n += 1) {
        const project = await agedProject();
        const fault = breakCall(n, accident);
        await project.maintainAt(later(project));
        mendD1();
        expect(await project.maintainAt(later(project))).toMatchObject({ ok: true });
        expect(await project.result(), `call ${n}`).toEqual(await expected.result());
        if (fault.struck()) continue;
        expect(n, "a fault that never struck proves nothing").toBeGreaterThan(1);
        break;
      }
    }
  });
});

describe("the alarm of a project", () => {
  const GOAL = "Implement the orders endpoint of the shop";
  const patternsOf = async (project: Project) => (await project.patterns()).length;

  it("comes when the project has been idle, and makes patterns of what was told", async () => {
    const project = await newProject();
    expect(await project.alarm()).toBeNull();
    await project.tellIt("ep-1", GOAL);
    expect(await project.alarm()).toBe(project.start + IDLE_MS);
    await project.at(project.start + 5 * MINUTE);
    await project.tellIt("ep-2", GOAL);
    expect(await project.alarm()).toBe(project.start + 5 * MINUTE + IDLE_MS);
    await project.ring();
    expect(await patternsOf(project)).toBe(1);
  });

  it("comes soon after a task that is over, whatever is told then", async () => {
    const project = await newProject();
    await project.tellIt("ep-1", GOAL);
    await project.tellIt("ep-2", GOAL, { consolidate: true });
    await project.tellIt("ep-3", "Water the plants");
    expect(await project.alarm()).toBe(project.start + FINISHED_TASK_MS);
    await project.evict();
    await project.ring();
    expect(await patternsOf(project)).toBe(1);
  });

  it("comes within an hour although episodes keep coming", async () => {
    const project = await newProject();
    for (let minutes = 0; minutes < 60; minutes += 9) {
      await project.at(project.start + minutes * MINUTE);
      await project.tellIt(`ep-${minutes}`, GOAL);
      expect(await project.alarm()).toBeLessThanOrEqual(project.start + MAX_WAIT_MS);
    }
    expect(await project.ring()).toBe(project.start + MAX_WAIT_MS);
    expect(await patternsOf(project)).toBe(1);
  });

  it("comes once a day for maintenance, and sets itself again", async () => {
    const project = await newProject();
    await project.tellIt("ep-week", GOAL, {}, 6.5 * 24);
    await project.tellIt("ep-month", "Water the plants", {}, 28.5 * 24);
    await project.ring();
    const seen = [];
    for (const day of [1, 2, 3]) {
      expect(await project.alarm()).toBe(project.start + day * MAINTENANCE_MS);
      await project.evict();
      await project.ring();
      const [week, month] = [await project.episode("ep-week"), await project.episode("ep-month")];
      seen.push([week.summarised, month.archived]);
    }
    expect(seen).toEqual([
      [true, false],
      [true, true],
      [true, true],
    ]);
  });

  it.each([
    [false, IDLE_MS],
    [true, FINISHED_TASK_MS],
  ])("comes again for an episode that is told in the middle of a run (its task over: %s)", async (over, wait) => {
    const project = await newProject();
    for (const n of [1, 2]) await project.tellIt(`ep-${n}`, GOAL);
    let waiting = false;
    let told = false;
    await project.whileEmbedding(async () => {
      waiting = true;
      while (!told) await scheduler.wait(2);
    });
    const ringing = project.ring();
    await vi.waitUntil(() => waiting);
    await project.tellIt("ep-3", GOAL, { consolidate: over });
    told = true;
    const at = await ringing;
    expect((await project.patterns())[0].source_episodes).toEqual(["ep-1", "ep-2"]);
    expect(await project.alarm()).toBe(at + wait);
    await project.ring();
    expect((await project.patterns())[0].source_episodes).toEqual(["ep-1", "ep-2", "ep-3"]);
    expect(await project.alarm()).toBe(project.start + MAINTENANCE_MS);
  });

  it("comes back later and later while something fails, whatever is told meanwhile, and never gives up", async () => {
    const project = await newProject();
    for (const n of [1, 2]) await project.tellIt(`ep-${n}`, GOAL);
    const waits: number[] = [];
    for (let n = 0; n < 9; n += 1) {
      breakBatches({ moment: "before" });
      breakStatements({ moment: "before" });
      const at = await project.ring();
      mendD1();
      const next = (await project.alarm()) ?? 0;
      waits.push((next - at) / 1_000);
      await project.at(at + 10_000);
      await project.object().noteEpisode(project.ref, { finished: n % 2 === 0 });
      expect(await project.alarm()).toBe(next);
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 960, 960, 960, 960]);
    await project.evict();
    await project.ring();
    expect(await patternsOf(project)).toBe(1);
    expect(await project.alarm()).toBeGreaterThan(project.now + MINUTE);
  });

  it("goes on with a run that was cut off, although episodes keep coming", async () => {
    const project = await newProject();
    for (const n of [1, 2]) await project.tellIt(`ep-${n}`, GOAL);
    breakBatches({ moment: "before", matching: COMMIT, times: 1 });
    expect((await project.run()).ok).toBe(false);
    for (const seconds of [20, 40]) {
      await project.at(project.start + seconds * 1_000);
      await project.tellIt(`ep-later-${seconds}`, "Water the plants");
    }
    expect(await project.ring()).toBe(project.start + RESUME_MS);
    expect(await patternsOf(project)).toBe(1);
  });

  it("is gone when there is nothing to do", async () => {
    const project = await newProject();
    expect((await project.run()).ok).toBe(true);
    await project.ring();
    expect(await project.alarm()).toBeNull();
  });
});

describe("an embedder that fails", () => {
  const body = (project: Project) => ({ project_id: project.project_id, now: iso(project.start) });

  it("costs a consolidation, which changes nothing and may be sent again", async () => {
    const project = await busyProject();
    const before = await project.result();
    await breakEmbedder(project.object() as unknown as IndexerStub);
    // What it has embedded before it does not ask for again.
    await project.tellIt("ep-new", "Paint the fence green");
    const key = { "Idempotency-Key": newOp().op };
    const failed = await project.call("POST", "/v1/consolidate", body(project), key);
    expect(failed).toMatchObject({ status: 503, body: { code: "unavailable" } });
    expect(failed.headers.get("Retry-After")).not.toBeNull();
    const { memories } = await project.result();
    expect(memories).toEqual(before.memories);
    mendEmbedders();
    const again = await project.call("POST", "/v1/consolidate", body(project), key);
    expect(again).toMatchObject({ status: 200, body: { created: [expect.any(String)] } });
  });

  it("costs a maintenance likewise", async () => {
    const project = await busyProject();
    const before = await project.result();
    await breakEmbedder(project.object() as unknown as IndexerStub);
    const failed = await project.call("POST", "/v1/maintenance", body(project));
    expect(failed).toMatchObject({ status: 503, body: { code: "unavailable" } });
    expect(await project.result()).toEqual(before);
    mendEmbedders();
    const again = await project.call("POST", "/v1/maintenance", body(project));
    expect(again).toMatchObject({ status: 200, body: { merged: 1 } });
  });
});

describe("a service without an embedder", () => {
  const old = { importance: 0.6, action_log: [{ action: "run_test" }] };

  it("says so when it shall consolidate, and changes nothing", async () => {
    const project = await busyProject();
    await project.settings({ EMBEDDER: "none" });
    const before = await project.result();
    const { status, body } = await project.call("POST", "/v1/consolidate", {
      project_id: project.project_id,
      now: iso(project.start),
    });
    expect(status).toBe(503);
    expect(body).toMatchObject({ code: "not_configured", detail: expect.stringContaining("EMBEDDER") });
    expect(await project.result()).toEqual(before);
  });

  it("still lets importance decline, summarises and archives, on demand and by itself", async () => {
    const project = await newProject();
    await project.settings({ EMBEDDER: "none" });
    await project.tellIt("ep-10", "Sort the mail", old, 10 * 24);
    await project.tellIt("ep-40", "Sort the shelves", old, 40 * 24);
    expect(await project.maintainAt(project.start)).toMatchObject({
      ok: true,
      value: { summarised: 1, archived: 1, decayed: 2, merged: 0 },
    });
    await project.tellIt("ep-week", "Sort the photographs", old, 6.5 * 24);
    // The consolidation that is due can never be made, and is in nobody's way.
    while (((await project.alarm()) ?? 0) < project.start + DAY) await project.ring();
    await project.ring();
    expect(await project.episode("ep-week")).toMatchObject({ summarised: true });
  });

  it("prepares for a task by the words alone", async () => {
    const home = await newExperience({ EMBEDDER: "none" });
    const id = await home.tell("Implement the checkout endpoint");
    const pattern = await home.state("Every checkout endpoint checks its input");
    const { similar_episodes, relevant_patterns, degraded } = await home.prime("The checkout endpoint");
    expect(similar_episodes.map((episode: { id: string }) => episode.id)).toEqual([id]);
    expect(relevant_patterns.map((one: { id: string }) => one.id)).toEqual([pattern.id]);
    expect(degraded).toContain("EMBEDDER");
  });
});
