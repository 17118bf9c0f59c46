// kioku prime
import type { PrimeInput } from "../../client/index";
import { argument, command } from "../command";
import { numberIn } from "../numbers";
import { harmless } from "../width";

export const prime = command({
  name: "prime",
  summary: "What to know before a task, as Markdown",
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
      goal: argument(context, 0),
      project_id: values.project,
      // The service knows its kinds, and names them when it is none.
      kind: values.kind as PrimeInput["kind"],
      token_budget: numberIn("budget", values.budget),
    });
    if (json) await terminal.json(answer);
    else if (answer.prompt.trim() !== "") await terminal.line(harmless(answer.prompt.trimEnd()));
    else terminal.note("Nothing is known about such a task yet.");
    if (!json && answer.degraded !== undefined) terminal.note(`note: ${answer.degraded}`);
    return 0;
  },
});
