// What was said so far → `world.summary`: a rolling summary that says what it covers. By a language model where there
// is one that answers, else the sentences that say most, in their own words.
import { COGNITION, LANGUAGE } from "../../../limits";
import type { Json } from "../../../platform/json";
import type { Covers } from "../../../schemas/projection";
import { clip } from "../../../text/normalise-text";
import { countTokens } from "../../../text/token-count";
import { type Summary, summariseMessages } from "../../prompt/summarise-messages";
import type { Projector } from "../projector";
import type { SummaryDraft } from "./llm-summary";
import { summariseWithModel } from "./llm-summary";
import type { Utterance } from "./utterances";
import { asObject, asSeq, asText, redactSecrets, toUtterances } from "./utterances";

const KEY = "summary";

/** Who wrote a summary that no model did. */
export const EXTRACTIVE_AUTHOR = "extract";

export const summaryProjector: Projector = {
  name: "summary",
  // What tools answer is data more often than words.
  reads: ["message", "note"],
  trigger: { tick: true, after: 50 },
  async project(entries, context) {
    const said = toUtterances(entries).flatMap(redactSecrets);
    if (said.length === 0) return {};
    const { covers } = context;
    const there = context.spaces.map("world")[KEY];
    const earlier = parseEarlierSummary(there, covers);
    // A model that keeps failing must not keep the summary from ever being made; nor is one asked for nothing.
    const isAsked =
      context.failures < LANGUAGE.attempts && (there === undefined || isProjectedSummary(there));
    const model = isAsked ? context.model : null;
    const read = async (seqs: readonly number[]) =>
      toUtterances(await context.entries(seqs)).flatMap(redactSecrets);
    const { text, sources, by } = await (model === null
      ? summariseExtractively(earlier, said, read)
      : summariseWithModel(model, earlier?.text ?? "", said));
    if (sources.length === 0) return {};
    const value = {
      text,
      covers: { from: earlier?.from ?? covers.from, to: covers.to },
      projected_at: new Date(context.now).toISOString(),
      sources,
      by: by ?? EXTRACTIVE_AUTHOR,
    };
    return {
      edits: ({ map }) => {
        const found = map("world")[KEY];
        // What someone has taken away meanwhile would come back in what was made of it.
        const isFree = found === undefined ? earlier === null : isProjectedSummary(found);
        return isFree ? [{ space: "world", ops: [{ op: "put", key: KEY, value }] }] : [];
      },
    };
  },
};

/** Whether this projector has put it there. What others have in the summary's place is theirs. */
function isProjectedSummary(value: Json | undefined): boolean {
  const { covers, sources } = asObject(value) ?? {};
  const { from, to } = asObject(covers) ?? {};
  return Array.isArray(sources) && [from, to, ...sources].every((seq) => asSeq(seq) !== null);
}

/** The summary of what came before these entries; null when there is none to go on from. */
function parseEarlierSummary(value: Json | undefined, covers: Covers): EarlierSummary | null {
  const made = isProjectedSummary(value) ? asObject(value) : null;
  const text = asText(made?.text);
  const from = asSeq(asObject(made?.covers)?.from);
  if (text === null || from === null || from > covers.from) return null;
  const listed = Array.isArray(made?.sources) ? made.sources : [];
  const older = listed.map(asSeq).filter((seq): seq is number => seq !== null && seq < covers.from);
  const by = asText(made?.by);
  return {
    text,
    from,
    sources: [...new Set(older)].slice(-COGNITION.projectEntries),
    by: by === EXTRACTIVE_AUTHOR ? null : by,
  };
}

/** A summary to go on from; `by` is the model that wrote it, if one did. */
export type EarlierSummary = { text: string; from: number; sources: number[]; by: string | null };

type UtteranceReader = (seqs: readonly number[]) => Promise<Utterance[]>;

/** The messages that an earlier extract speaks for compete with the new ones. */
export async function summariseExtractively(
  earlier: EarlierSummary | null,
  said: readonly Utterance[],
  read: UtteranceReader,
): Promise<SummaryDraft> {
  const before = earlier === null ? [] : await read(earlier.sources);
  if (earlier === null || earlier.by === null) {
    const { text, used } = extractSummary([...before, ...said], COGNITION.summaryTokens);
    return { text, sources: used.map(Number), by: null };
  }
  const { told, added } = splitModelText(earlier.text, before);
  const { text, used } = extractSummary([...added, ...said], COGNITION.summaryTokens / 2);
  // At least the other half: nothing else says what the model has told.
  const kept = clipToTokens(told, COGNITION.summaryTokens - countTokens(text) - 1);
  return { text: `${kept}\n${text}`, sources: used.map(Number), by: earlier.by };
}

/** What a model has told, and the messages whose lines were added to it since, while there was none. */
function splitModelText(text: string, sources: Utterance[]): { told: string; added: Utterance[] } {
  const lines = `\n${extractSummary(sources, Number.POSITIVE_INFINITY).text}`;
  return text.endsWith(lines)
    ? { told: text.slice(0, -lines.length), added: sources }
    : { told: text, added: [] };
}

function extractSummary(said: readonly Utterance[], maxTokens: number): Summary {
  const messages = said.map(({ seq, role, text, at }) => ({
    id: String(seq),
    role,
    content: text,
    timestamp: at,
  }));
  return summariseMessages(messages, maxTokens);
}

/** Cut in proportion until it fits: how many characters a token has differs by language, and within a text. */
function clipToTokens(text: string, max: number): string {
  let short = clip(text, COGNITION.summaryTokens * 8);
  for (let tokens = countTokens(short); tokens > max; tokens = countTokens(short))
    short = clip(short, Math.floor((Array.from(short).length * max) / tokens));
  return short;
}
