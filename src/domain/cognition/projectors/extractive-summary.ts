// A summary without a language model: the sentences that say most, beside what a model has written before.
import { COGNITION } from "../../../limits";
import { clip } from "../../../text/memory-text";
import { countTokens } from "../../../text/token-count";
import { type Summary, summarise } from "../../prompt/summarise-messages";
import type { Spoken } from "./utterances";

/** A summary to go on from; `by` is the model that wrote it, if one did. */
export type Earlier = { text: string; from: number; sources: number[]; by: string | null };

export type Written = { text: string; sources: number[]; by: string | null };

type Reading = (seqs: readonly number[]) => Promise<Spoken[]>;

/** The messages that an earlier extract speaks for compete with the new ones. */
export async function extracted(
  earlier: Earlier | null,
  said: readonly Spoken[],
  read: Reading,
): Promise<Written> {
  const before = earlier === null ? [] : await read(earlier.sources);
  if (earlier === null || earlier.by === null) {
    const { text, used } = extract([...before, ...said], COGNITION.summaryTokens);
    return { text, sources: used.map(Number), by: null };
  }
  const { told, added } = parted(earlier.text, before);
  const { text, used } = extract([...added, ...said], COGNITION.summaryTokens / 2);
  // At least the other half: nothing else says what the model has told.
  const kept = clipTokens(told, COGNITION.summaryTokens - countTokens(text) - 1);
  return { text: `${kept}\n${text}`, sources: used.map(Number), by: earlier.by };
}

/** What a model has told, and the messages whose lines were added to it since, while there was none. */
function parted(text: string, sources: Spoken[]): { told: string; added: Spoken[] } {
  const lines = `\n${extract(sources, Number.POSITIVE_INFINITY).text}`;
  return text.endsWith(lines)
    ? { told: text.slice(0, -lines.length), added: sources }
    : { told: text, added: [] };
}

function extract(said: readonly Spoken[], maxTokens: number): Summary {
  const messages = said.map(({ seq, role, text, at }) => ({
    id: String(seq),
    role,
    content: text,
    timestamp: at,
  }));
  return summarise(messages, maxTokens);
}

/** Cut in proportion until it fits: how many characters a token has differs by language, and within a text. */
function clipTokens(text: string, max: number): string {
  let short = clip(text, COGNITION.summaryTokens * 8);
  for (let tokens = countTokens(short); tokens > max; tokens = countTokens(short))
    short = clip(short, Math.floor((Array.from(short).length * max) / tokens));
  return short;
}
