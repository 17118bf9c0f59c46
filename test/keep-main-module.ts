// Every request to the Worker and every call of a Durable Object imports the Worker's main module, and vitest asks its
// server each time where that module is. Files share a runtime and its modules, so one answer holds for all calls.

type ModuleRunner = { import: (id: string) => Promise<unknown> };

const { moduleRunner } = Reflect.get(globalThis, "__vitest_mocker__") as { moduleRunner: ModuleRunner };

// Files share the runner, too, and this file runs before each of them.
if (moduleRunner.import.name !== "importOnce") {
  const load = moduleRunner.import;
  // Modules and no promises of them: a promise of one request cannot be awaited in another.
  const kept = new Map<string, unknown>();
  moduleRunner.import = async function importOnce(id) {
    if (!id.endsWith("/src/index.ts")) return load.call(moduleRunner, id);
    if (!kept.has(id)) kept.set(id, await load.call(moduleRunner, id));
    return kept.get(id);
  };
}
export {};
