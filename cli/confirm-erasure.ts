// Asks before data is erased. A script cannot be asked, so it has to pass --yes.
import type { Context, Options } from "./command";
import { UsageError } from "./failures";

export const ERASE_OPTIONS = { yes: { type: "boolean", about: "without asking" } } as const satisfies Options;

export async function confirmErasure(
  { terminal, values }: Context<typeof ERASE_OPTIONS>,
  target: string,
): Promise<boolean> {
  if (values.yes === true) return true;
  if (!terminal.interactive)
    throw new UsageError(`Nothing was erased. Without a terminal, add --yes to erase ${target} for good.`);
  const confirmed = await terminal.confirm(`Erase ${target} for good?`);
  if (!confirmed) terminal.note("Nothing was erased.");
  return confirmed;
}
