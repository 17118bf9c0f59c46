// What was said, without the sentences that tell a secret: a summary goes into prompts, and to whoever runs the model.
import { sentences } from "../../../text/memory-text";
import { PRIVATE } from "../../promotion/extract-candidates";
import { oneLine, type Spoken } from "./utterances";

/** Nothing when no words are left. Where there is a secret, code and quotations go as well: it may stand in them. */
export function withoutSecrets(said: Spoken): Spoken[] {
  const line = oneLine(said.text);
  // Most messages tell none, and need not be taken apart.
  if (!PRIVATE.test(line)) return line === "" ? [] : [said];
  const text = openAmong(sentences(said.text).map((sentence) => oneLine(sentence.text))).join("\n");
  return text === "" ? [] : [{ ...said, text }];
}

function openAmong(parts: readonly string[]): string[] {
  const secret = parts.map((part) => PRIVATE.test(part));
  // The value may follow on a line of its own.
  const begins = parts.map(
    (part, at) =>
      secret[at] === false && secret[at + 1] === false && PRIVATE.test(`${part} ${parts[at + 1]}`),
  );
  return parts.filter((_, at) => !(secret[at] || begins[at] || begins[at - 1]));
}
