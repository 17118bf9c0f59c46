// A turn as the text that is captured of it. Pure.
import { LIMITS } from "../../limits";
import { codePoints } from "../../schemas/common";
import { clip } from "../../text/memory-text";

const USER = "User: ";
const ASSISTANT = "\nAssistant: ";

/** Who speaks is ours to say: a line of one side that names a speaker is marked as part of what was said. */
const SPEAKER = /^(?=\s*(?:user|assistant|system|tool|developer)\s*:)/gim;

function quoted(text: string): string {
  return text.trim().replace(SPEAKER, "> ");
}

/** Both sides, as far as a memory takes them: what one side does not need, the other may use. */
export function turnText(input: string, output: string): string {
  const room = LIMITS.contentChars - USER.length - ASSISTANT.length;
  const [said, answered] = [quoted(input), quoted(output)];
  const half = Math.floor(room / 2);
  const forInput = Math.max(half, room - codePoints(answered));
  const shortInput = clip(said, forInput);
  return `${USER}${shortInput}${ASSISTANT}${clip(answered, room - codePoints(shortInput))}`;
}
