// Every request to the Worker and every call of a Durable Object imports the Worker's main module, and vitest asks its
// server each time where that module is. Files share a runtime and its modules, so one answer holds for all calls.
import { afterAll, beforeAll } from "vitest";

type ModuleRunner = { import: (id: string) => Promise<unknown> };

const { moduleRunner } = Reflect.get(globalThis, "__vitest_mocker__") as { moduleRunner: ModuleRunner };
const load = moduleRunner.import;
const kept = new Map<string, unknown>();

async function importOnce(id: string): Promise<unknown> {
  if (!id.endsWith("/src/index.ts")) return load.call(moduleRunner, id);
  if (!kept.has(id)) kept.set(id, await load.call(moduleRunner, id));
  return kept.get(id);
}

/**
 * Keeps the main module during a file of tests with many calls. They then follow each other within a millisecond, so the
 * file must wait for the work that goes on after an answer.
 */
export function keepMainModule(): void {
  beforeAll(() => {
    moduleRunner.import = importOnce;
  });
  afterAll(() => {
    moduleRunner.import = load;
  });
}
