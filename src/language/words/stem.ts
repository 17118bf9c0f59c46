// A light English stemmer: it removes inflection, never derivation, so that "user" stays distinct from "use" and
// "careless" from "careful".

/** Irregular verbs: base, past, participle. */
const IRREGULAR = `arise arose arisen, be was been, become became become, begin began begun, bite bit bitten,
break broke broken, bring brought brought, build built built, buy bought bought, catch caught caught,
choose chose chosen, come came come, cost cost cost, cut cut cut, deal dealt dealt, do did done, draw drew drawn,
drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed fed, feel felt felt,
find found found, fly flew flown, forget forgot forgotten, freeze froze frozen, get got gotten, give gave given,
go went gone, grow grew grown, hang hung hung, have had had, hear heard heard, hide hid hidden, hit hit hit,
hold held held, keep kept kept, know knew known, lead led led, learn learnt learnt, leave left left,
lend lent lent, let let let, lose lost lost, make made made, mean meant meant, meet met met, pay paid paid,
put put put, quit quit quit, read read read, rise rose risen, run ran run, say said said, see saw seen,
sell sold sold, send sent sent, set set set, shake shook shaken, show showed shown, shut shut shut, sing sang sung,
sit sat sat, sleep slept slept, speak spoke spoken, spend spent spent, split split split, stand stood stood,
steal stole stolen, stick stuck stuck, swim swam swum, take took taken, teach taught taught, tell told told,
think thought thought, throw threw thrown, understand understood understood, wake woke woken, wear wore worn,
win won won, write wrote written, rewrite rewrote rewritten, rebuild rebuilt rebuilt`;

/** The verb form that a word looks like. "either" is a past tense or a participle; "same" may be any of the three. */
export type Inflection = "base" | "past" | "participle" | "either" | "same" | "ing";

const irregular = new Map<string, { base: string; inflection: Inflection }>();
for (const verb of IRREGULAR.split(",")) {
  const [base = "", past = "", participle = ""] = verb.trim().split(/\s+/);
  if (past === base || participle === base) irregular.set(base, { base, inflection: "same" });
  if (past === participle && past !== base) irregular.set(past, { base, inflection: "either" });
  if (past === participle) continue;
  if (past !== base) irregular.set(past, { base, inflection: "past" });
  if (participle !== base) irregular.set(participle, { base, inflection: "participle" });
}

/** Words that only look inflected, and words whose final e distinguishes them from another word. */
const UNINFLECTED = new Set(
  `string thing king ring bring spring sibling morning evening ceiling nothing something anything everything during
need feed speed seed bleed bed red hundred shed sled breed exceed succeed proceed indeed embed
plane stare spine stripe paste slope scrape breathe clothe canvas alias always perhaps series species news
glasses physics mathematics`.split(/\s+/),
);

export function detectInflection(word: string): Inflection {
  const known = irregular.get(word);
  if (known !== undefined) return known.inflection;
  if (UNINFLECTED.has(word)) return "base";
  const vowelBefore = (ending: string) =>
    word.endsWith(ending) && /[aeiouy]/.test(word.slice(0, -ending.length));
  if (word.length > 3 && vowelBefore("ed")) return "either";
  return word.length > 4 && vowelBefore("ing") ? "ing" : "base";
}

export function stem(word: string): string {
  const known = irregular.get(word);
  if (known !== undefined) return trimEnding(known.base);
  if (word.length <= 3 || UNINFLECTED.has(word)) return word;
  const inflection = detectInflection(word);
  if (inflection === "ing") return restoreStem(word.slice(0, -3));
  if (inflection === "either")
    return word.endsWith("ied") ? `${word.slice(0, -3)}y` : restoreStem(word.slice(0, -2));
  return trimEnding(toSingular(word));
}

function toSingular(word: string): string {
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:x|ch|sh|ss|o)es$/.test(word)) return word.slice(0, -2);
  return /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
}

/** Restores the stem of "using", "planned" and "controlled" to that of "use", "plan" and "control". */
function restoreStem(cut: string): string {
  if (/([bdgmnprt])\1$/.test(cut) && cut.length > 3) return cut.slice(0, -1);
  // A short verb without a final e would have doubled its consonant.
  if (/^[^aeiouy]?[aeiouy][^aeiouwxy]$/.test(cut)) return `${cut}e`;
  return trimEnding(cut);
}

/** Drops a final e, and one l of a final double l. */
function trimEnding(base: string): string {
  if (base.length > 5 && base.endsWith("ll")) return base.slice(0, -1);
  return base.length > 4 && base.endsWith("e") && !UNINFLECTED.has(base) ? base.slice(0, -1) : base;
}
