// kioku remember: stores a memory.
import type { RememberInput } from "../../client/index";
import { defineCommand, getArgument, OWNER_OPTIONS, toOwner } from "../command";
import { UsageError } from "../failures";
import { readAll } from "../input";
import { parseConfidence } from "../numbers";

/** Used if no option selects an owner, since a memory always has one. */
const DEFAULT_OWNER = { project_id: "default" };

export const remember = defineCommand({
  name: "remember",
  summary: "Keep something; - reads it from stdin",
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
    const hasNoOwner = Object.values(toOwner(values)).every((id) => id === undefined);
    const answer = await api().remember({
      content: given === "-" ? await readAll(terminal.input) : getArgument(context, 0),
      ...(hasNoOwner ? DEFAULT_OWNER : toOwner(values)),
      // The service validates the type and lists the types in its error.
      type: values.type as RememberInput["type"],
      confidence: parseConfidence(values.confidence),
      rationale: values.rationale,
      key: values.key,
    });
    if (json) await terminal.json(answer);
    else await terminal.line(answer.message);
    for (const warning of json ? [] : (answer.warnings ?? [])) terminal.note(`note: ${warning}`);
    return 0;
  },
});
