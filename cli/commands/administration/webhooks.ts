// kioku webhooks: manages webhooks, their deliveries and the dead ones among them.
import type { Webhook, WebhookCreate, WebhookDelivery } from "../../../client/index";
import { type Command, defineCommand, getArgument, PAGE_OPTIONS } from "../../command";
import { UsageError } from "../../failures";
import { showPage } from "../../list";
import { type Column, formatMinute, renderTable } from "../../table";

const COLUMNS: readonly Column<Webhook>[] = [
  { title: "id", of: ({ id }) => id },
  { title: "url", of: ({ url }) => url, free: true },
  { title: "events", of: ({ events }) => events.join(","), free: true },
  { title: "failing since", of: ({ failing_since }) => formatMinute(failing_since) },
  { title: "disabled", of: ({ disabled_at }) => formatMinute(disabled_at) },
];

const DELIVERY_COLUMNS: readonly Column<WebhookDelivery>[] = [
  { title: "id", of: ({ id }) => id },
  { title: "type", of: ({ type }) => type },
  { title: "status", of: ({ status }) => status },
  { title: "attempts", of: ({ attempts }) => attempts },
  { title: "last attempt", of: ({ attempted_at }) => formatMinute(attempted_at) },
  { title: "response", of: ({ response_status, error }) => error ?? response_status, free: true },
];

export const webhookCommands: readonly Command[] = [
  defineCommand({
    name: "webhooks create",
    summary: "Send events of the tenant to a URL, and print the secret once",
    takes: ["url"],
    options: {
      events: { type: "string", value: "<list>", about: "which, as in memory.created,memory.erased" },
      secret: { type: "string", value: "<text>", about: "signs deliveries (default: one is made)" },
    },
    about: "The secret alone is printed to stdout",
    example: "kioku webhooks create https://example.com/kioku --events memory.created > secret.txt",
    async run(context) {
      const { values, terminal, json, api } = context;
      if (values.events === undefined)
        throw new UsageError("--events is missing, as in --events memory.created,memory.erased.");
      const made = await api().webhooks.create({
        url: getArgument(context, 0),
        // The service validates the events and lists them in its error.
        events: values.events.split(",").map((event) => event.trim()) as WebhookCreate["events"],
        secret: values.secret,
      });
      if (json) await terminal.json(made);
      else {
        await terminal.line(made.secret);
        terminal.note(`${made.id} for ${made.url}. Its secret is not shown again.`);
      }
      return 0;
    },
  }),
  defineCommand({
    name: "webhooks list",
    summary: "List webhooks, without their secrets",
    takes: [],
    options: {},
    example: "kioku webhooks list",
    async run({ terminal, json, api }) {
      const answer = await api().webhooks.list();
      if (json) await terminal.json(answer);
      else if (answer.data.length === 0)
        terminal.note("There are no webhooks. Make one: kioku webhooks create <url> --events <list>");
      else await terminal.line(renderTable(terminal, COLUMNS, answer.data));
      return 0;
    },
  }),
  defineCommand({
    name: "webhooks delete",
    summary: "Delete a webhook and its deliveries",
    takes: ["id"],
    options: {},
    example: "kioku webhooks delete wh_0123456789abcdef01234567",
    async run(context) {
      const { terminal, json, api } = context;
      const id = getArgument(context, 0);
      await api().webhooks.delete(id);
      if (json) await terminal.json({ deleted: id });
      else await terminal.line(`Deleted ${id}`);
      return 0;
    },
  }),
  defineCommand({
    name: "webhooks deliveries",
    summary: "List the deliveries of a webhook, newest first",
    takes: ["id"],
    options: {
      status: {
        type: "string",
        value: "<word>",
        choices: ["pending", "delivered", "dead"],
        about: "only the pending, delivered or dead ones",
      },
      ...PAGE_OPTIONS,
    },
    example: "kioku webhooks deliveries wh_0123456789abcdef01234567 --status dead",
    async run(context) {
      const { status } = context.values;
      const list = context.api().webhooks.deliveries(getArgument(context, 0), { status });
      await showPage(context, list, { columns: DELIVERY_COLUMNS, none: "There are no such deliveries." });
      return 0;
    },
  }),
  defineCommand({
    name: "webhooks retry",
    summary: "Retry a failed delivery",
    takes: ["id", "delivery"],
    options: {},
    example: "kioku webhooks retry wh_0123456789abcdef01234567 evt_0123456789abcdef01234567_1",
    async run(context) {
      const { terminal, json, api } = context;
      const delivery = await api().webhooks.retry(getArgument(context, 0), getArgument(context, 1));
      if (json) await terminal.json(delivery);
      else await terminal.line(renderTable(terminal, DELIVERY_COLUMNS, [delivery]));
      return 0;
    },
  }),
];
