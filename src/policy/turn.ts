// A turn as the text that is captured of it. Pure.
import { LIMITS } from "../limits";
import { clip } from "../memory-text";
import { codePoints } from "../schemas/common";

const USER = "User: ";
const ASSISTANT = "\nAssistant: ";

/** Both sides, as far as a memory takes them: what one side does not need, the other may use. */
export function turnText(input: string, output: string): string {
  const room = LIMITS.contentChars - USER.length - ASSISTANT.length;
  const [said, answered] = [input.trim(), output.trim()];
  const half = Math.floor(room / 2);
  const forInput = Math.max(half, room - codePoints(answered));
  const shortInput = clip(said, forInput);
  return `${USER}${shortInput}${ASSISTANT}${clip(answered, room - codePoints(shortInput))}`;
}
