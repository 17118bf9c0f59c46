// kioku forget: removes a memory from recall.
import { defineCommand, getArgument } from "../command";

export const forget = defineCommand({
  name: "forget",
  summary: "Hide a memory from recall; its history stays",
  takes: ["id"],
  options: {
    reason: { type: "string", value: "<text>", about: "why it no longer holds" },
    replacement: { type: "string", value: "<id>", about: "the memory that takes its place" },
  },
  example: 'kioku forget f145f5220dc5acb88be9f088c39def83 --reason "the team has moved on"',
  async run(context) {
    const { values, terminal, json, api } = context;
    const answer = await api().forget({
      memory_id: getArgument(context, 0),
      reason: values.reason,
      replacement_id: values.replacement,
    });
    if (json) await terminal.json(answer);
    else
      await terminal.line(
        values.replacement === undefined ? describeForgotten(answer.message) : answer.message,
      );
    return 0;
  },
});

/** The API's message names the status of a memory with a replacement. Without one it is `forgotten`. */
function describeForgotten(message: string): string {
  return message.replace(/been superseded$/, "been forgotten");
}
