// kioku agents, projects and tenants erase: erases everything of one owner, in every store.
import { type Command, type Context, defineCommand, getArgument } from "../command";
import { renderFields } from "../table";

type Receipt = { deleted: Record<string, number> };

export const eraseCommands: readonly Command[] = [
  defineCommand({
    name: "agents erase",
    summary: "Erase everything of an agent, in every store",
    takes: ["id"],
    options: {},
    about: "There is no way back",
    example: "kioku agents erase ada",
    run: (context) => showReceipt(context, (id) => context.api().agents(id).erase()),
  }),
  defineCommand({
    name: "projects erase",
    summary: "Erase everything of a project, in every store",
    takes: ["id"],
    options: {},
    about: "There is no way back",
    example: "kioku projects erase shop",
    run: (context) => showReceipt(context, (id) => context.api().projects.erase(id)),
  }),
  defineCommand({
    name: "tenants erase",
    summary: "Erase a tenant: its keys and everything that is stored for it",
    takes: ["tenant"],
    options: {},
    about: "Needs the admin key. There is no way back",
    example: "kioku tenants erase acme",
    run: (context) => showReceipt(context, (tenant) => context.admin().tenants.erase(tenant)),
  }),
];

async function showReceipt(context: Context, erase: (id: string) => Promise<Receipt>): Promise<number> {
  const { terminal, json } = context;
  const id = getArgument(context, 0);
  const receipt = await erase(id);
  if (json) await terminal.json(receipt);
  else await terminal.line(`Erased ${id}\n${renderFields(terminal, receipt.deleted)}`);
  return 0;
}
