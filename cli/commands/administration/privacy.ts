// kioku privacy: shows and sets the privacy policies of the tenant and its projects.
import type { PrivacyPolicy } from "../../../client/index";
import { type Command, type Context, defineCommand, getArgument } from "../../command";
import { renderFields } from "../../table";

const RULE = { type: "string", value: "<rule>", choices: ["allow", "mask", "refuse"] } as const;

export const privacyCommands: readonly Command[] = [
  defineCommand({
    name: "privacy show",
    summary: "Show the privacy policy of the tenant or a project",
    takes: [],
    options: { project: { type: "string", value: "<id>", about: "the one that holds in this project" } },
    example: "kioku privacy show --project shop",
    async run(context) {
      const { privacy } = context.api();
      const { project } = context.values;
      return showPolicy(context, await (project === undefined ? privacy.get() : privacy.getProject(project)));
    },
  }),
  defineCommand({
    name: "privacy set",
    summary: "Replace the privacy policy of the tenant or a project",
    takes: [],
    options: {
      project: { type: "string", value: "<id>", about: "of this project" },
      mode: {
        type: "string",
        value: "<mode>",
        choices: ["standard", "strict"],
        about: "standard, or strict: mask in windows and threads, too",
      },
      email: { ...RULE, about: "for e-mail addresses: allow, mask or refuse" },
      phone: { ...RULE, about: "for telephone numbers" },
      iban: { ...RULE, about: "for bank accounts" },
      "national-id": { ...RULE, about: "for national ids" },
    },
    about:
      "What is left out has its default, in a project the tenant's rule. Needs a key of the tenant with the scope admin",
    example: "kioku privacy set --email mask --national-id refuse",
    async run(context) {
      const { project, mode, email, phone, iban, "national-id": nationalId } = context.values;
      const policy = {
        privacy: mode,
        personal_data: {
          email,
          phone,
          iban,
          national_id: nationalId,
        },
      };
      const { privacy } = context.api();
      return showPolicy(
        context,
        await (project === undefined ? privacy.put(policy) : privacy.putProject(project, policy)),
      );
    },
  }),
  defineCommand({
    name: "privacy clear",
    summary: "Remove the privacy policy of a project, so that the tenant's applies",
    takes: ["project"],
    options: {},
    about: "Needs a key of the tenant with the scope admin",
    example: "kioku privacy clear shop",
    async run(context) {
      const { terminal, json } = context;
      const project = getArgument(context, 0);
      await context.api().privacy.deleteProject(project);
      if (json) await terminal.json({ cleared: project });
      else await terminal.line(`${project} has the tenant's policy`);
      return 0;
    },
  }),
];

async function showPolicy({ terminal, json }: Context, policy: PrivacyPolicy): Promise<number> {
  if (json) await terminal.json(policy);
  else await terminal.line(renderFields(terminal, { mode: policy.privacy, ...policy.personal_data }));
  return 0;
}
