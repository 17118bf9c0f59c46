// kioku keys: manages API keys with the admin key.
import type { Key, KeyCreate } from "../../../client/index";
import {
  type Command,
  defineCommand,
  getArgument,
  type Options,
  PAGE_OPTIONS,
  type Values,
} from "../../command";
import { showPage } from "../../list";
import { parseNumber } from "../../numbers";
import { type Column, formatMinute } from "../../table";

const COLUMNS: readonly Column<Key>[] = [
  { title: "id", of: ({ id }) => id },
  { title: "tenant", of: ({ tenant }) => tenant },
  { title: "name", of: ({ name }) => name, free: true },
  { title: "scopes", of: ({ scopes }) => scopes.join(",") },
  { title: "bound to", of: ({ bind }) => bind && formatBinding(bind) },
  { title: "created", of: ({ created_at }) => formatMinute(created_at) },
  { title: "expires", of: ({ expires_at }) => formatMinute(expires_at) },
  { title: "last used", of: ({ last_used_at }) => formatMinute(last_used_at) },
];

/** Options that bind a key to an owner. */
const BIND_OPTIONS = {
  user: { type: "string", value: "<id>", about: "sees and writes only what belongs to this user" },
  agent: { type: "string", value: "<id>", about: "only what belongs to this agent" },
  project: { type: "string", value: "<id>", about: "only what belongs to this project" },
} as const satisfies Options;

/** Returns undefined for a key of the whole tenant. */
function toBinding({ user, agent, project }: Values<typeof BIND_OPTIONS>): KeyCreate["bind"] {
  const isBound = [user, agent, project].some((id) => id !== undefined);
  return isBound ? { user_id: user, agent_id: agent, project_id: project } : undefined;
}

function formatBinding(bind: NonNullable<Key["bind"]>): string {
  return Object.entries(bind)
    .map(([name, id]) => `${name.replace(/_id$/, "")} ${id}`)
    .join(", ");
}

export const keyCommands: readonly Command[] = [
  defineCommand({
    name: "keys create",
    summary: "Create a key for a tenant, and print it once",
    takes: ["tenant"],
    options: {
      name: { type: "string", value: "<text>", about: "what it is for" },
      scopes: { type: "string", value: "<list>", about: "of read, write, admin (default read,write)" },
      expires: { type: "string", value: "<time>", about: "when it ends, as in 2027-01-31T00:00:00Z" },
      ...BIND_OPTIONS,
    },
    about: "The key alone is printed, so that KIOKU_API_KEY=$(kioku keys create me) works",
    example: "export KIOKU_API_KEY=$(kioku keys create acme --name laptop)",
    async run(context) {
      const { values, terminal, json, admin } = context;
      const made = await admin().keys.create({
        tenant: getArgument(context, 0),
        name: values.name,
        // The service validates the scopes and lists them in its error.
        scopes: values.scopes?.split(",").map((scope) => scope.trim()) as KeyCreate["scopes"],
        expires_at: values.expires,
        bind: toBinding(values),
      });
      if (json) await terminal.json(made);
      else {
        await terminal.line(made.key);
        const bound = made.bind === null ? "" : `, bound to ${formatBinding(made.bind)}`;
        terminal.note(
          `${made.id} for ${made.tenant} (${made.scopes.join(", ")})${bound}. It is not shown again.`,
        );
      }
      return 0;
    },
  }),
  defineCommand({
    name: "keys list",
    summary: "List keys, without their secrets",
    takes: [],
    options: { tenant: { type: "string", value: "<id>", about: "only of this tenant" }, ...PAGE_OPTIONS },
    example: "kioku keys list --tenant acme",
    async run(context) {
      const list = context.admin().keys.list({ tenant: context.values.tenant });
      await showPage(context, list, {
        columns: COLUMNS,
        none: "There are no keys. Make one: kioku keys create <tenant>",
      });
      return 0;
    },
  }),
  defineCommand({
    name: "keys rotate",
    summary: "Replace a key, and print the new one once",
    takes: ["id"],
    options: {
      overlap: { type: "string", value: "<seconds>", about: "how long the old key still works (default 0)" },
      expires: { type: "string", value: "<time>", about: "when the new key ends (default: as the old one)" },
    },
    about: "The new key has the tenant, name, scopes and binding of the old one",
    example: "kioku keys rotate key_f57b2c6f9a1c7c2d275d12ac --overlap 3600",
    async run(context) {
      const { values, terminal, json, admin } = context;
      const made = await admin().keys.rotate(getArgument(context, 0), {
        overlap_seconds: parseNumber("overlap", values.overlap),
        expires_at: values.expires,
      });
      if (json) await terminal.json(made);
      else {
        await terminal.line(made.key);
        terminal.note(`${made.id} for ${made.tenant} replaces ${getArgument(context, 0)}.`);
      }
      return 0;
    },
  }),
  defineCommand({
    name: "keys delete",
    summary: "Delete a key; it stops working at once",
    takes: ["id"],
    options: {},
    example: "kioku keys delete key_f57b2c6f9a1c7c2d275d12ac",
    async run(context) {
      const { terminal, json } = context;
      const id = getArgument(context, 0);
      await context.admin().keys.delete(id);
      if (json) await terminal.json({ deleted: id });
      else await terminal.line(`Deleted ${id}`);
      return 0;
    },
  }),
];
