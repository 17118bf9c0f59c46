// Likes and dislikes of the speaker, and objects that only the conversation explains.
import type { VerbPhrase } from "./clauses";

const LIKING =
  /^(?:like|love|hate|enjoy|prefer|adore|dislike|detest|loathe|favou?r|despise|fancy|likes|loves|liked|loved|hated|enjoyed|preferred)$/;

export function isPreference({ auxiliaries, verb, rest, adverbs, negated }: VerbPhrase): boolean {
  if (auxiliaries.includes("am") || auxiliaries.includes("are"))
    return (
      /^(?:into|keen|fond|partial|crazy|mad|obsessed|passionate|hooked)$/.test(verb) ||
      (/^an?$/.test(verb) && /^(?:\w+ ){0,3}(?:fan|person|lover|admirer|nut|buff|enthusiast)\b/.test(rest))
    );
  if (auxiliaries.includes("would"))
    return (
      /^(?:prefer|sooner)$/.test(verb) ||
      adverbs.includes("rather") ||
      (adverbs.includes("always") && /^(?:go|pick|choose|take|buy|order|opt)$/.test(verb)) ||
      (/^(?:go|pick|choose|take)$/.test(verb) && / (?:over|any day|any time|every time)\b/.test(rest))
    );
  if (auxiliaries.includes("did") || auxiliaries.includes("will")) return false;
  // "I enjoyed our chat" is a reaction; "I always loved trains" and "I loved living there" are not.
  if (/ed$/.test(verb) && auxiliaries.length === 0 && !/^\w+ing\b/.test(rest) && !adverbs.includes("always"))
    return false;
  return (
    LIKING.test(verb) ||
    (verb === "stand" && negated && auxiliaries.includes("can")) ||
    (verb === "care" && negated && rest.startsWith("for ")) ||
    (verb === "find" &&
      /\b(?:too|boring|relaxing|annoying|distracting|delicious|disgusting|fascinating)\b/.test(rest) &&
      /^(?:\w+s|\w+ing)\b/.test(rest))
  );
}

/** An object that only the conversation explains: "I like it", "I prefer the second one". */
export function isAnaphoric({ verb, rest, auxiliaries }: VerbPhrase): boolean {
  const object = rest.replace(
    /^(?:to|of|on|about|with|for|in|at|into|having|seeing|watching|making|using) /,
    "",
  );
  if (rest === "" && (LIKING.test(verb) || auxiliaries.includes("am"))) return true;
  if (LIKING.test(verb) && /^(?:all|everything)\b/.test(object)) return true;
  if (/^(?:if|when|where) (?:you|we|it|this|that)\b/.test(rest)) return true;
  return /^(?:(?:the|a) [\w-]+ ones?|it|this|that|these|those|them|him|her|his|hers|their|its|you|your|yours|so|how|what|both(?= of\b|$)|one|(?:all )?of (?:it|them|this|these|those)|to (?:see|know|hear|think|say|ask|be (?:honest|fair|sure|clear)|help|just)|the (?:(?:first|second|third|last)(?! (?:\w+day|day|week|month|quarter|weekend|weekday|working day|of (?:each|every|the month))\b)|former|latter|other|(?:new|old)(?= \w+$|$)|one|way|idea|sound|look|feel|part|fact|tone|option|draft|version|result|answer|design|layout|colou?rs?|title|name|suggestion|ending|text|wording|format|style)|option|number|version|draft|answer)\b(?! (?:when|that|way) )/.test(
    object,
  );
}
