// kioku shards, and tenants move: the databases of the service, and moves of tenants between them.
import { type Command, defineCommand, getArgument } from "../../command";
import { type Column, renderTable } from "../../table";

type ShardRow = { name: string; tenants: number; bytes: number; capacity: number };

const MEGABYTE = 1_000_000;
const WAIT_MS = 1_000;

const SHARDS: readonly Column<ShardRow>[] = [
  { title: "database", of: ({ name }) => name },
  { title: "tenants", of: ({ tenants }) => tenants },
  { title: "MB", of: ({ bytes }) => Math.round(bytes / MEGABYTE) },
  { title: "full", of: ({ bytes, capacity }) => `${Math.round((100 * bytes) / capacity)} %` },
];

export const shardCommands: readonly Command[] = [
  defineCommand({
    name: "shards",
    summary: "Show how full each database is, and which tenants to move",
    takes: [],
    options: {},
    about: "Needs the admin key",
    example: "kioku shards",
    async run({ terminal, json, admin }) {
      const report = await admin().shards();
      if (json) {
        await terminal.json(report);
        return 0;
      }
      await terminal.line(renderTable(terminal, SHARDS, report.shards));
      for (const { tenant, target, step, copied } of report.moves)
        await terminal.line(`Moving ${tenant} to ${target}: ${step}, ${copied} rows`);
      for (const { tenant, to, bytes } of report.suggestions)
        await terminal.line(
          `Move ${tenant} (about ${Math.round(bytes / MEGABYTE)} MB): kioku tenants move ${tenant} ${to}`,
        );
      return 0;
    },
  }),
  defineCommand({
    name: "tenants move",
    summary: "Move a tenant to another database while it is in use",
    takes: ["tenant", "shard"],
    options: {},
    about: "Needs the admin key. If it is interrupted, the cron job or the same command continues",
    example: "kioku tenants move acme DB_1",
    async run(context) {
      const { terminal, json, admin } = context;
      const [tenant, shard] = [getArgument(context, 0), getArgument(context, 1)];
      for (let last = ""; ; ) {
        const { finished, move } = await admin().tenants.move(tenant, { shard });
        // The cron job has the move, which then goes on without this command.
        const progress = JSON.stringify(move);
        if (progress === last) await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
        last = progress;
        if (json) await terminal.json({ finished, move });
        else if (move !== null) await terminal.line(`${move.step}: ${move.copied} rows`);
        if (!finished) continue;
        if (!json) await terminal.line(`${tenant} is in ${shard} now`);
        return 0;
      }
    },
  }),
];
