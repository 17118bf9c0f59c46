// Projects the conversation into `world.summary`, a rolling summary with its range: by a language model if one is
// available, otherwise extractively.
import type { Json } from "../../kernel/json";
import { clip } from "../../language/normalise-text";
import { countTokens } from "../../language/token-count";
import { type Summary, summariseMessages } from "../../recall/prompts/summarise-messages";
import { redactSecrets } from "../../trust/privacy/mask-values";
import type { Covers } from "../runtime/thread-schemas";
import { PROJECTOR_SOURCE } from "../spaces/space-data";
import { MAX_SUMMARY_CHARS, MAX_SUMMARY_TOKENS, type SummaryDraft, summariseWithModel } from "./llm-summary";
import { MAX_ENTRIES_PER_RUN, type Projector } from "./projector";
import { asObject, asSeq, asText, toUtterances, type Utterance } from "./utterances";

const KEY = "summary";

/** The stored author of a summary without a model. */
export const EXTRACTIVE_AUTHOR = "extract";

/** The stored author of a summary that another session wrote without a model, and this one continues. */
export const INHERITED_AUTHOR = "inherited";

/** Failures after which the summary is extractive: a failing model must not block it forever. */
export const MAX_MODEL_FAILURES = 3;

export const summaryProjector: Projector = {
  name: "summary",
  // Tool results are mostly data, not prose.
  reads: ["message", "note"],
  // No signals: a language model is not called for each of them.
  trigger: { tick: true, after: 50 },
  async project(entries, context) {
    const utterances = toUtterances(entries).flatMap(redactSecrets);
    if (utterances.length === 0) return {};
    const { covers } = context;
    const current = context.spaces.map("world")[KEY];
    const earlier = parseEarlierSummary(current, covers);
    // A summary that may not be stored is not worth a model call.
    const isModelUsed =
      context.failures < MAX_MODEL_FAILURES && (current === undefined || isProjectedSummary(current));
    const model = isModelUsed ? context.model : null;
    const loadUtterances = async (seqs: readonly number[]) =>
      toUtterances(await context.entries(seqs)).flatMap(redactSecrets);
    const { text, sources, by } = await (model === null
      ? summariseExtractively(earlier, utterances, loadUtterances)
      : summariseWithModel(model, earlier?.text ?? "", utterances));
    if (sources.length === 0) return {};
    const range = { from: earlier?.from ?? covers.from, to: covers.to };
    const value = {
      content: text,
      source: PROJECTOR_SOURCE,
      covers_seq: range,
      // Clients may read these two as well.
      text,
      covers: range,
      projected_at: new Date(context.now).toISOString(),
      sources,
      by: by ?? EXTRACTIVE_AUTHOR,
    };
    return {
      edits: ({ map }) => {
        const latest = map("world")[KEY];
        // A summary that was deleted meanwhile must not come back through the one derived from it.
        const isWritable = latest === undefined ? earlier === null : isProjectedSummary(latest);
        return isWritable ? [{ space: "world", ops: [{ op: "put", key: KEY, value }] }] : [];
      },
    };
  },
};

/** Whether this projector wrote the value; values by others under the same key stay untouched. */
function isProjectedSummary(value: Json | undefined): boolean {
  const { covers, sources } = asObject(value) ?? {};
  const { from, to } = asObject(covers) ?? {};
  return Array.isArray(sources) && [from, to, ...sources].every((seq) => asSeq(seq) !== null);
}

/** Returns the summary of the entries before this range; null if there is none to continue. */
function parseEarlierSummary(value: Json | undefined, covers: Covers): EarlierSummary | null {
  const summary = isProjectedSummary(value) ? asObject(value) : null;
  const text = asText(summary?.content);
  const from = asSeq(asObject(summary?.covers)?.from);
  if (text === null || from === null) return null;
  const author = asText(summary?.by);
  // Its messages are in the thread of another session.
  if (asText(summary?.session_id) !== null)
    return {
      text,
      from: covers.from,
      sources: [],
      by: author === EXTRACTIVE_AUTHOR ? INHERITED_AUTHOR : author,
    };
  if (from > covers.from) return null;
  const sources = Array.isArray(summary?.sources) ? summary.sources : [];
  const older = sources.map(asSeq).filter((seq): seq is number => seq !== null && seq < covers.from);
  return {
    text,
    from,
    sources: [...new Set(older)].slice(-MAX_ENTRIES_PER_RUN),
    by: author === EXTRACTIVE_AUTHOR ? null : author,
  };
}

/** A summary to continue; `by` is the model that wrote it, null for an extractive one. */
type EarlierSummary = { text: string; from: number; sources: number[]; by: string | null };

/** Extends an extractive summary by letting its source messages compete with the new ones. */
async function summariseExtractively(
  earlier: EarlierSummary | null,
  utterances: readonly Utterance[],
  loadUtterances: (seqs: readonly number[]) => Promise<Utterance[]>,
): Promise<SummaryDraft> {
  const before = earlier === null ? [] : await loadUtterances(earlier.sources);
  if (earlier === null || earlier.by === null) {
    const { text, used } = extractSummary([...before, ...utterances], MAX_SUMMARY_TOKENS);
    return { text, sources: used.map(Number), by: null };
  }
  const { modelText, added } = splitModelText(earlier.text, before);
  const { text, used } = extractSummary([...added, ...utterances], MAX_SUMMARY_TOKENS / 2);
  // The model's text retains at least half of the room, since it is the only record of its messages.
  const retained = clipToTokens(modelText, MAX_SUMMARY_TOKENS - countTokens(text) - 1);
  return { text: `${retained}\n${text}`, sources: used.map(Number), by: earlier.by };
}

/** Separates the text that a model wrote from the messages appended to it while no model was available. */
function splitModelText(text: string, sources: Utterance[]): { modelText: string; added: Utterance[] } {
  const lines = `\n${extractSummary(sources, Number.POSITIVE_INFINITY).text}`;
  return text.endsWith(lines)
    ? { modelText: text.slice(0, -lines.length), added: sources }
    : { modelText: text, added: [] };
}

function extractSummary(utterances: readonly Utterance[], maxTokens: number): Summary {
  const messages = utterances.map(({ seq, role, text, at }) => ({
    id: String(seq),
    role,
    content: text,
    timestamp: at,
  }));
  return summariseMessages(messages, maxTokens);
}

/** Shortens a text in proportion until it fits: characters per token differ by language, and within a text. */
function clipToTokens(text: string, max: number): string {
  let short = clip(text, MAX_SUMMARY_CHARS);
  for (let tokens = countTokens(short); tokens > max; tokens = countTokens(short))
    short = clip(short, Math.floor((Array.from(short).length * max) / tokens));
  return short;
}
