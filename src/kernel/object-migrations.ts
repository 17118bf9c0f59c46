// Versioned SQLite schema of a Durable Object. Released steps are immutable: a change is a new step at the end.

/** Whether the object has ever stored anything. Reading an object that has not must not create it. */
export function isInitialised({ sql }: DurableObjectStorage): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'schema_version'").toArray().length > 0;
}

/** Applies the steps that an object's storage lacks. */
export function migrate(storage: DurableObjectStorage, steps: readonly string[]): void {
  const { sql } = storage;
  storage.transactionSync(() => {
    sql.exec(
      "CREATE TABLE IF NOT EXISTS schema_version (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL)",
    );
    const version =
      sql.exec<{ version: number }>("SELECT version FROM schema_version").toArray()[0]?.version ?? 0;
    if (version >= steps.length) return;
    for (const step of steps.slice(version)) sql.exec(step);
    sql.exec("INSERT OR REPLACE INTO schema_version (id, version) VALUES (1, ?)", steps.length);
  });
}
