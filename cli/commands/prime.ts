// kioku prime: prints a briefing for a task.
import type { PrimeInput } from "../../client/index";
import { defineCommand, getArgument } from "../command";
import { parseNumber } from "../numbers";
import { replaceControlCharacters } from "../width";

export const prime = defineCommand({
  name: "prime",
  summary: "Print a briefing for a task, as Markdown",
  takes: ["goal"],
  options: {
    project: { type: "string", value: "<id>", about: "what was learnt there" },
    kind: { type: "string", value: "<kind>", about: "implementation, debugging, …: found out if not given" },
    budget: { type: "string", value: "<tokens>", about: "how long it may be" },
  },
  example: 'kioku prime "Upgrade the npm package vite" --project shop',
  async run(context) {
    const { values, terminal, json, api } = context;
    const answer = await api().prime({
      goal: getArgument(context, 0),
      project_id: values.project,
      // The service validates the kind and lists the kinds in its error.
      kind: values.kind as PrimeInput["kind"],
      token_budget: parseNumber("budget", values.budget),
    });
    if (json) await terminal.json(answer);
    else if (answer.prompt.trim() !== "")
      await terminal.line(replaceControlCharacters(answer.prompt.trimEnd()));
    else terminal.note("Nothing is known about such a task yet.");
    if (!json && answer.degraded !== undefined) terminal.note(`note: ${answer.degraded}`);
    return 0;
  },
});
