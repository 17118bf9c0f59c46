// kioku remember: stores a memory.
import type { RememberInput } from "../../client/index";
import { defineCommand, getArgument, OWNER_OPTIONS, toOwner } from "../command";
import { UsageError } from "../failures";
import { readAll } from "../input";
import { parseConfidence } from "../numbers";

export const remember = defineCommand({
  name: "remember",
  summary: "Store a memory; - reads stdin",
  takes: ["text"],
  options: {
    ...OWNER_OPTIONS,
    type: {
      type: "string",
      value: "<type>",
      about: "fact (default), decision, convention, …: see GET /v1/ontology",
    },
    confidence: { type: "string", value: "<0..1>", about: "or high, medium, low (default 0.8)" },
    rationale: { type: "string", value: "<text>", about: "why it is worth keeping" },
    key: {
      type: "string",
      value: "<topic>",
      about: "a new memory with the same topic takes the place of the old one",
    },
    tag: { type: "string", value: "<tag>", repeats: true, about: "a label to filter by; may be repeated" },
  },
  about: "Without --session, --user, --agent or --project it belongs to the project default",
  example: 'kioku remember "We deploy on Fridays" --project shop --type process_convention --key deploy-day',
  async run(context) {
    const { values, terminal, json, api } = context;
    if (values.key?.startsWith("kioku_"))
      throw new UsageError(
        "--key names the topic of a memory here. Give an API key with --api-key or KIOKU_API_KEY.",
      );
    const [given] = context.args;
    const answer = await api().remember({
      content: given === "-" ? await readAll(terminal.input) : getArgument(context, 0),
      ...toOwner(values),
      // The service validates the type and lists the types in its error.
      type: values.type as RememberInput["type"],
      confidence: parseConfidence(values.confidence),
      rationale: values.rationale,
      key: values.key,
      tags: values.tag,
    });
    if (json) {
      await terminal.json(answer);
      return 0;
    }
    await terminal.line(answer.message);
    for (const id of answer.superseded) await terminal.line(`Replaces ${id}`);
    for (const warning of answer.warnings ?? []) terminal.note(`note: ${warning}`);
    return 0;
  },
});
