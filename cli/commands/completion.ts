// kioku completion: prints the completion script of a shell.
import { type Command, defineCommand, getArgument } from "../command";
import { renderCompletion, SHELLS } from "../completion";
import { UsageError } from "../failures";
import { findNearest } from "../suggest";

/** Takes the list of all commands, which includes this one. */
export function defineCompletion(listCommands: () => readonly Command[]): Command {
  return defineCommand({
    name: "completion",
    summary: "Print the completion script of bash, zsh or fish",
    takes: ["shell"],
    words: SHELLS,
    options: {},
    example: `eval "$(kioku completion bash)"`,
    async run(context) {
      const given = getArgument(context, 0);
      const shell = SHELLS.find((name) => name === given);
      const nearest = findNearest(given, SHELLS);
      if (shell === undefined)
        throw new UsageError(
          `<shell> must be ${SHELLS.join(", ")}; is "${given}".${nearest === undefined ? "" : ` Did you mean ${nearest}?`}`,
        );
      await context.terminal.line(renderCompletion(shell, listCommands()));
      return 0;
    },
  });
}
