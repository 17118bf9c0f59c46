// What was said so far → `world.summary`: a rolling summary that says what it covers. By a language model where there
// is one that answers, else the sentences that say most, in their own words.

import { COGNITION, LANGUAGE } from "../../../limits";
import type { Json } from "../../../platform/json";
import type { Covers } from "../../../schemas/cognition";
import type { Projector } from "../projector";
import { type Earlier, extracted } from "./extractive-summary";
import { told } from "./llm-summary";
import { asMap, asSeq, asText } from "./plain-values";
import { withoutSecrets } from "./redact-secrets";
import { spokenIn } from "./utterances";

const KEY = "summary";

/** Who wrote a summary that no model did. */
export const EXTRACT = "extract";

export const summary: Projector = {
  name: "summary",
  // What tools answer is data more often than words.
  reads: ["message", "note"],
  trigger: { tick: true, after: 50 },
  async project(entries, context) {
    const said = spokenIn(entries).flatMap(withoutSecrets);
    if (said.length === 0) return {};
    const { covers } = context;
    const there = context.spaces.map("world")[KEY];
    const earlier = earlierIn(there, covers);
    // A model that keeps failing must not keep the summary from ever being made; nor is one asked for nothing.
    const isAsked = context.failures < LANGUAGE.attempts && (there === undefined || isMade(there));
    const model = isAsked ? context.model : null;
    const read = async (seqs: readonly number[]) =>
      spokenIn(await context.entries(seqs)).flatMap(withoutSecrets);
    const { text, sources, by } = await (model === null
      ? extracted(earlier, said, read)
      : told(model, earlier?.text ?? "", said));
    if (sources.length === 0) return {};
    const value = {
      text,
      covers: { from: earlier?.from ?? covers.from, to: covers.to },
      projected_at: new Date(context.now).toISOString(),
      sources,
      by: by ?? EXTRACT,
    };
    return {
      edits: ({ map }) => {
        const found = map("world")[KEY];
        // What someone has taken away meanwhile would come back in what was made of it.
        const isFree = found === undefined ? earlier === null : isMade(found);
        return isFree ? [{ space: "world", ops: [{ op: "put", key: KEY, value }] }] : [];
      },
    };
  },
};

/** Whether this projector has put it there. What others have in the summary's place is theirs. */
function isMade(value: Json | undefined): boolean {
  const { covers, sources } = asMap(value) ?? {};
  const { from, to } = asMap(covers) ?? {};
  return Array.isArray(sources) && [from, to, ...sources].every((seq) => asSeq(seq) !== null);
}

/** The summary of what came before these entries; null when there is none to go on from. */
function earlierIn(value: Json | undefined, covers: Covers): Earlier | null {
  const made = isMade(value) ? asMap(value) : null;
  const text = asText(made?.text);
  const from = asSeq(asMap(made?.covers)?.from);
  if (text === null || from === null || from > covers.from) return null;
  const listed = Array.isArray(made?.sources) ? made.sources : [];
  const older = listed.map(asSeq).filter((seq): seq is number => seq !== null && seq < covers.from);
  const by = asText(made?.by);
  return {
    text,
    from,
    sources: [...new Set(older)].slice(-COGNITION.projectEntries),
    by: by === EXTRACT ? null : by,
  };
}
