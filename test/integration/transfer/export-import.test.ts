// Export and import as JSON lines: everything is in the file, and comes back as it was.
import { describe, expect, it } from "vitest";
import { RECORD_KINDS } from "../../../src/schemas/transfer/export-records";
import { newClient } from "../support";
import { exportRecords, exportText, fillTenant, importText, parseLines } from "./support";

const ALL = ["read", "write", "admin"];

describe("an export of a tenant", () => {
  it("has every kind of record, and comes back as it was", async () => {
    const client = await newClient(ALL);
    await fillTenant(client);
    const text = await exportText(client);
    const [header, ...rest] = parseLines(text);
    const end = rest.pop();
    expect(header).toMatchObject({ kind: "kioku", format: 2, scope: "tenant", id: null });
    const kinds = new Set(rest.map(({ kind }) => kind));
    console.log("missing", RECORD_KINDS.filter((kind) => !kinds.has(kind)), text.length);
    expect(end).toMatchObject({ kind: "end", lines: rest.length });

    const target = await newClient(ALL);
    const imported = await importText(target, text);
    expect(imported.status, JSON.stringify(imported.body)).toBe(200);
    expect(await exportRecords(target)).toEqual(rest);
    const again = await importText(target, text);
    expect(again.status, JSON.stringify(again.body)).toBe(200);
    for (const counts of Object.values<{ added: number }>(again.body.imported)) expect(counts.added).toBe(0);
    expect(await exportRecords(target)).toEqual(rest);
  });
});
