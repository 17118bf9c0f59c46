// Content negotiation: selects the media type of a response by the Accept header (RFC 9110, section 12.5.1).

type MediaRange = { type: string; quality: number };

/** Ranges of a header beyond these are ignored: no client sends as many. */
const MAX_RANGES = 50;

/**
 * Returns the supported type that the header prefers; null if it accepts none. Of types with the same quality the first
 * supported one is selected.
 */
export function negotiateType(accept: string | undefined, supported: readonly string[]): string | null {
  if (accept === undefined || accept.trim() === "") return supported[0] ?? null;
  const ranges = accept.split(",").slice(0, MAX_RANGES).map(parseRange);
  let best: MediaRange | null = null;
  for (const type of supported) {
    const quality = findQuality(type, ranges);
    if (quality > (best?.quality ?? 0)) best = { type, quality };
  }
  return best?.type ?? null;
}

function parseRange(text: string): MediaRange {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  const quality = weight === undefined ? 1 : Number(weight.slice(2));
  return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 };
}

/** The most specific range decides: a type before its group, the group before everything. */
function findQuality(type: string, ranges: readonly MediaRange[]): number {
  const [group = ""] = type.split("/");
  for (const pattern of [type, `${group}/*`, "*/*"]) {
    const match = ranges.find((range) => range.type === pattern);
    if (match !== undefined) return match.quality;
  }
  return 0;
}
