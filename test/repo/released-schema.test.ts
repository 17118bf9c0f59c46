// A migration does not change once it is released. Before the first release, a change of migrations/0001_schema.sql
// records its hash in test/data/released-data.json (CONTRIBUTING.md, "Stored data").
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../../scripts/lib/repository";
import released from "../data/released-data.json";

it.each(Object.entries(released.migrations))("%s is as it was released", async (name, hash) => {
  const text = await readFile(join(root, "migrations", name));
  expect(createHash("sha256").update(text).digest("hex"), "Add a migration instead of changing it.").toBe(
    hash,
  );
});
