// kioku erase, and users, agents, projects and tenants erase: erases a memory, or everything of one owner, in every store.
// It asks first.
import type { Kioku } from "../../client/index";
import { type Command, defineCommand, getArgument } from "../command";
import { confirmErasure, ERASE_OPTIONS } from "../confirm-erasure";
import { renderFields } from "../table";

type Receipt = { deleted: Record<string, number> };

export const eraseMemory = defineEraseCommand({
  name: "erase",
  summary: "Erase a memory and its history; forget keeps the history",
  takes: "id",
  example: "kioku erase f145f5220dc5acb88be9f088c39def83",
  erase: ({ api }, id) => api().memories.delete(id),
});

export const eraseCommands: readonly Command[] = [
  defineEraseCommand({
    name: "users erase",
    summary: "Erase all data of a user",
    takes: "id",
    example: "kioku users erase mia",
    erase: ({ api }, id) => api().users.erase(id),
  }),
  defineEraseCommand({
    name: "agents erase",
    summary: "Erase all data of an agent",
    takes: "id",
    example: "kioku agents erase ada",
    erase: ({ api }, id) => api().agents(id).erase(),
  }),
  defineEraseCommand({
    name: "projects erase",
    summary: "Erase all data of a project",
    takes: "id",
    example: "kioku projects erase shop",
    erase: ({ api }, id) => api().projects.erase(id),
  }),
  defineEraseCommand({
    name: "tenants erase",
    summary: "Erase all data of a tenant, and its keys",
    takes: "tenant",
    about: "Needs the admin key. ",
    example: "kioku tenants erase acme",
    erase: ({ admin }, tenant) => admin().tenants.erase(tenant),
  }),
];

type Definition = Pick<Command, "name" | "summary" | "example"> & {
  takes: string;
  about?: string;
  erase: (clients: { api: () => Kioku; admin: () => Kioku }, id: string) => Promise<Receipt>;
};

function defineEraseCommand({ takes, about = "", erase, ...definition }: Definition): Command {
  return defineCommand({
    ...definition,
    takes: [takes],
    options: ERASE_OPTIONS,
    about: `${about}There is no way back`,
    async run(context) {
      const { terminal, json } = context;
      const id = getArgument(context, 0);
      if (!(await confirmErasure(context, id))) return 1;
      const receipt = await erase(context, id);
      if (json) await terminal.json(receipt);
      else await terminal.line(`Erased ${id}\n${renderFields(terminal, receipt.deleted)}`);
      return 0;
    },
  });
}
