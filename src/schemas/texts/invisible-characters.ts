// Removes characters that a person does not see and a model reads: zero-width and bidirectional marks, tags, fillers and
// runs of variation selectors. They hide instructions, and make two equal texts look different to a machine.

/** Default-ignorable code points, the Unicode term for "shown as nothing", and the annotation marks. */
const IGNORABLE_RUN = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]+/gu;

/** Variation selectors choose between the forms of one character: text or emoji, or the forms of a kanji. */
const VARIATION_SELECTOR = /[\u180b-\u180d\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u;

/** The two joiners: emoji sequences and the scripts below need them, other text does not. */
const JOINER = /[\u200c\u200d]/u;

/** Letters and marks of scripts that are written with joiners. All other scripts are written without them. */
const JOINED_SCRIPT = /[\p{M}\p{L}]/u;
const UNJOINED_SCRIPT =
  /[\p{scx=Latin}\p{scx=Greek}\p{scx=Cyrillic}\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Hebr}\p{scx=Armn}\p{scx=Geor}]/u;
const EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Modifier}]/u;

/** The flags of England, Scotland and Wales: the only emoji that are spelt with tags. */
const FLAG = "\u{1f3f4}";
const FLAG_TAGS: ReadonlySet<string> = new Set(["gbeng", "gbsct", "gbwls"].map(toTags));

/** Removes invisible characters. Joiners of scripts and emoji, single variation selectors and flags stay. */
export function removeInvisible(text: string): string {
  return text.replace(IGNORABLE_RUN, (run: string, at: number) => {
    const base = getCharBefore(text, at);
    if (base === FLAG && FLAG_TAGS.has(run)) return run;
    const [first = "", second = ""] = run;
    const selector = base !== "" && VARIATION_SELECTOR.test(first) ? first : "";
    const joiner = selector === "" ? first : second;
    return selector + (JOINER.test(joiner) && takesJoiner(base) ? joiner : "");
  });
}

function takesJoiner(base: string): boolean {
  return EMOJI.test(base) || (JOINED_SCRIPT.test(base) && !UNJOINED_SCRIPT.test(base));
}

function getCharBefore(text: string, at: number): string {
  const unit = text.charAt(at - 1);
  return /[\udc00-\udfff]/.test(unit) ? text.slice(at - 2, at) : unit;
}

function toTags(name: string): string {
  const tags = Array.from(name, (char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0)));
  return `${tags.join("")}\u{e007f}`;
}
