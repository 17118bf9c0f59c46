// Who and what a message names: people, organisations and products by their capital letters, and e-mail addresses,
// links, paths and versions by their form. Without a dictionary only what is plain is taken.
import type { Sentence } from "../../../text/memory-text";
import { COMMON, VERSIONED } from "./common-words";

export type Entity = { name: string; type: "name" | "email" | "url" | "path" | "version" };

export type Mentions = {
  found: Entity[];
  /** Capitalised where any word would be: mentions of the first of these names that is known from elsewhere. */
  perhaps: string[][];
};

/** `introduces`: whether this speaker's capital letters make a name, or only mention a known one. */
export function mentionsIn(sentences: readonly Sentence[], introduces: boolean): Mentions {
  const found = new Map<string, Entity>();
  const perhaps: string[][] = [];
  const lower = lowerCased(sentences);
  for (const { text, prose } of sentences) {
    for (const entity of addressesIn(text)) found.set(entity.name, entity);
    for (const { entity, first } of namesIn(prose)) {
      if (entity.type === "version") found.set(entity.name, entity);
      else if (first || !introduces) perhaps.push(readings(entity.name));
      else if (!entity.name.split(" ").every((word) => lower.has(word.toLowerCase())))
        found.set(entity.name, entity);
    }
  }
  return { found: [...found.values()], perhaps };
}

const WORDS = /[\p{L}\p{N}][\p{L}\p{N}'’+#.-]*/gu;

/** Words that are also written small are words, and no name. */
function lowerCased(sentences: readonly Sentence[]): Set<string> {
  return new Set(
    sentences.flatMap(({ prose }) =>
      [...prose.matchAll(/(?<![\p{L}\p{N}])\p{Ll}[\p{L}'’-]*/gu)].map(([word]) => word),
    ),
  );
}

/** "Yesterday Alice Smith" may be that, or Alice Smith. */
function readings(name: string): string[] {
  const rest = name.split(" ").slice(1).join(" ");
  return rest === "" ? [name] : [name, rest];
}

const LINK = /https?:\/\/[^\s<>()[\]"'`|\\]{3,300}/g;
const EMAIL = /^[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}$/;
const EXTENSION =
  "(?:[cm]?[jt]sx?|py|rb|exs?|go|rs|java|kt|swift|c|h|cpp|cs|php|sql|sh|jsonc?|ya?ml|toml|ini|xml|mdx?|html|s?css|vue" +
  "|svelte|txt|csv|ttl|proto|graphql|tf|ipynb|pdf|docx?|xlsx?|pptx?)";
const PATH = new RegExp(
  `^(?:(?:~|\\.{1,2})?/)?(?:[\\w@.-]{1,80}/){0,12}[\\w@.-]{0,80}[\\w-]\\.${EXTENSION}$` +
    "|^(?:~|\\.{1,2})?(?:/[\\w@.-]{1,80}){2,12}/?$",
);
/** Products that are named like files. */
const LIKE_FILE = /^(?:[A-Z]\w*|node|next|vue|nuxt|react|express|three|d3|p5)\.js$/;

function addressesIn(text: string): Entity[] {
  const links = [...text.matchAll(LINK)].flatMap(([link]) => linkOf(link));
  const words = text.replace(LINK, " ").split(/[\s,;()<>"`'“”‘’|]+/);
  return [
    ...links,
    ...words.flatMap((word) => addressOf(word.replace(/[.:!?\]]+$/, "").replace(/^[[*]+/, ""))),
  ];
}

/** A part of a path that may be a key. */
const TOKEN = /\/(?=[^/]*\d)(?=[^/]*[A-Za-z])[\w.~%-]{20,}/;

/** Where it leads, without what may let someone in. */
function linkOf(link: string): Entity[] {
  const url = URL.parse(link.replace(/[.,;:!?*_]+$/, ""));
  if (url === null || url.username !== "" || !url.hostname.includes(".")) return [];
  const path = url.pathname === "/" || TOKEN.test(url.pathname) ? "" : url.pathname;
  return [{ name: url.origin + path, type: "url" }];
}

function addressOf(word: string): Entity[] {
  if (word.length > 254) return [];
  if (EMAIL.test(word)) return [{ name: word.toLowerCase(), type: "email" }];
  const path = word.replace(/(?::\d+){1,2}$/, "");
  return PATH.test(path) && !LIKE_FILE.test(path) ? [{ name: path, type: "path" }] : [];
}

/** `first`: where any word has a capital letter, at the beginning and after what begins anew. */
type Word = { text: string; gap: string; first: boolean };

/** Runs of capitalised words; `first` where a sentence or a part of one begins. */
function namesIn(prose: string): { entity: Entity; first: boolean }[] {
  const plain = prose.replace(/\S+/g, (word) => (/[@/\\]/.test(word) ? " ".repeat(word.length) : word));
  const words = wordsOf(plain);
  if (isHeadline(words) || GERMAN.test(plain)) return [];
  const found: { entity: Entity; first: boolean }[] = [];
  for (let at = 0; at < words.length; ) {
    const run = runAt(words, at);
    const version = words[at + run.length];
    const product = productOf(run, version);
    if (product !== null) found.push({ entity: { name: product, type: "version" }, first: false });
    else if (run.length !== 1 || !ONE_OF_MANY.has(words[at - 1]?.text.toLowerCase() ?? ""))
      found.push(...nameOf(run));
    at += Math.max(1, run.length);
  }
  return found;
}

function wordsOf(plain: string): Word[] {
  let end = 0;
  return [...plain.matchAll(WORDS)].map((match) => {
    const text = match[0].replace(/[.'’-]+$/, "");
    const gap = plain.slice(end, match.index);
    const first = end === 0 || BEGINS.test(gap);
    end = match.index + text.length;
    return { text, gap, first };
  });
}

const BEGINS = /[:;—–("“«/.!?*_|[]|^-|- /;

/** All nouns of German are capitalised. */
const GERMAN = /(?:\b(?:und|der|das|ist|nicht|ich|wir|eine?|mit|für|auf|dem|zu|sind)\b.*){2}/;

/** So many capital letters say nothing. */
function isHeadline(words: readonly Word[]): boolean {
  const capitals = words.filter(({ text }) => CAPITALISED.test(text) && text !== "I").length;
  return capitals >= 4 && capitals > words.length * 0.6;
}

const CAPITALISED = /^\p{Lu}/u;
const POSSESSIVE = /['’]s$/;
const RUN = 5;

function runAt(words: readonly Word[], start: number): Word[] {
  const run: Word[] = [];
  for (let at = start; at < words.length && run.length < RUN; at += 1) {
    const word = words[at];
    if (word === undefined || (run.length > 0 && word.gap !== " " && word.gap !== " & ")) break;
    const joins = word.text === "of" && run.length > 0 && CAPITALISED.test(words[at + 1]?.text ?? "");
    if (!joins && !CAPITALISED.test(word.text)) break;
    run.push(word);
    if (POSSESSIVE.test(word.text)) break;
  }
  return run;
}

/** "Node 20"; of what is not known to have versions, only "Acme v2" or "Acme 2.1". */
function productOf(run: readonly Word[], version: Word | undefined): string | null {
  const last = run.at(-1)?.text;
  if (last === undefined || version === undefined || version.gap !== " ") return null;
  const known = VERSIONED.has(last.toLowerCase());
  const number = known
    ? /^v?\d{1,4}(?:\.\d{1,4}){0,3}$/
    : /^(?:v\d{1,4}|\d{1,4}\.\d{1,4})(?:\.\d{1,4}){0,2}$/;
  if (!number.test(version.text) || (!known && COMMON.has(last.toLowerCase()))) return null;
  return `${last} ${version.text}`;
}

/** "An Extension" is one of many, whatever its letters. */
const ONE_OF_MANY: ReadonlySet<string> = new Set("a an this these those each every any some no".split(" "));

const MAX_NAME = 60;

function nameOf(run: readonly Word[]): { entity: Entity; first: boolean }[] {
  const words = run.map((word) => ({ ...word, text: word.text.replace(POSSESSIVE, "") }));
  while (isCommon(words[0])) words.shift();
  while (isCommon(words.at(-1))) words.pop();
  const name = words.map(({ text, gap }, at) => (at === 0 ? text : `${gap}${text}`)).join("");
  if (!isName(name) || name.length > MAX_NAME) return [];
  return [{ entity: { name, type: "name" }, first: words[0]?.first ?? false }];
}

function isCommon(word: { text: string } | undefined): boolean {
  return word !== undefined && COMMON.has(word.text.toLowerCase());
}

/** A single word is no acronym, as those are mostly common nouns, and no class in code. */
function isName(name: string): boolean {
  if (!/\p{Ll}/u.test(name)) return false;
  return (
    name.includes(" ") ||
    (name.length >= 3 && !/(?:Error|Exception)$|\d$|^\p{Lu}{2,}(?:s$|-\p{Ll})/u.test(name))
  );
}
