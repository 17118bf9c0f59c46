// kioku audit: prints the audit log, or exports it whole.
import type { AuditRecord } from "../../../client/index";
import { defineCommand, PAGE_OPTIONS } from "../../command";
import { showPage } from "../../list";
import type { Column } from "../../table";

const COLUMNS: readonly Column<AuditRecord>[] = [
  { title: "at", of: ({ at }) => at },
  { title: "action", of: ({ action }) => action },
  { title: "key", of: ({ key_id }) => key_id },
  { title: "target", of: ({ target }) => target, free: true },
  { title: "outcome", of: ({ outcome, code }) => (code === null ? outcome : `${outcome} (${code})`) },
  { title: "count", of: ({ count }) => count },
];

const FIELDS = [
  "at",
  "action",
  "key_id",
  "target",
  "outcome",
  "code",
  "request_id",
  "count",
] as const satisfies readonly (keyof AuditRecord)[];

export const audit = defineCommand({
  name: "audit",
  summary: "List the audit log, newest first",
  takes: [],
  options: {
    since: { type: "string", value: "<time>", about: "from this time, as in 2026-11-01T00:00:00Z" },
    until: { type: "string", value: "<time>", about: "to this time" },
    action: { type: "string", value: "<action>", about: "such as key.create, or key for all of keys" },
    tenant: {
      type: "string",
      value: "<id>",
      about: "with the admin key: of this tenant (local service: local)",
    },
    format: {
      type: "string",
      value: "<format>",
      choices: ["ndjson", "csv"],
      about: "ndjson or csv: exports all records, not a page",
    },
    ...PAGE_OPTIONS,
  },
  example: "kioku audit --tenant acme --since 2026-11-01T00:00:00Z --format csv",
  async run(context) {
    const { values, terminal, admin } = context;
    const { since, until, action, format, tenant = context.localTenant } = values;
    const list = admin().audit({ since, until, action, tenant });
    if (format === undefined) {
      await showPage(context, list, { columns: COLUMNS, none: describeNone(tenant) });
      return 0;
    }
    if (format === "csv") await terminal.line(FIELDS.join(","));
    for await (const record of list)
      await terminal.line(
        format === "csv"
          ? FIELDS.map((field) => formatCell(record[field])).join(",")
          : JSON.stringify(record),
      );
    return 0;
  },
});

/** Without a tenant, the admin key reads the records that concern all tenants. */
function describeNone(tenant: string | undefined): string {
  if (tenant === undefined) return "There are no records. With the admin key, add --tenant <id>.";
  return `There are no records of the tenant ${tenant}.`;
}

/** Quotes a value as RFC 4180 does. A spreadsheet would run a cell that begins with one of these signs. */
function formatCell(value: string | number | null): string {
  const text = String(value ?? "").replace(/^[=+\-@]/, "'$&");
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
