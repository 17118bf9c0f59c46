// Recognises named entities: people, organisations and products by capital letters; e-mail addresses, URLs, paths and
// versions by their form. Without a dictionary, only clear cases count.
import type { Sentence } from "../../language/sentences";

export type Entity = { name: string; type: "name" | "email" | "url" | "path" | "version" };

export type Mentions = {
  found: Entity[];
  /** Words capitalised by position or by a model: name variants that count if one of them is already known. */
  ambiguous: string[][];
};

/** Finds the entities of a message. With `introduces` false, capitalised names only count if they are already known. */
export function findMentions(sentences: readonly Sentence[], introduces: boolean): Mentions {
  const found = new Map<string, Entity>();
  const ambiguous: string[][] = [];
  const lower = collectLowerCaseWords(sentences);
  for (const { text, prose } of sentences) {
    for (const entity of findAddresses(text)) found.set(entity.name, entity);
    for (const { entity, first } of findNames(prose)) {
      if (entity.type === "version") found.set(entity.name, entity);
      else if (first || !introduces) ambiguous.push(listNameVariants(entity.name));
      else if (!entity.name.split(" ").every((word) => lower.has(word.toLowerCase())))
        found.set(entity.name, entity);
    }
  }
  return { found: [...found.values()], ambiguous };
}

const WORDS = /[\p{L}\p{N}][\p{L}\p{N}'’+#.-]*/gu;

/** Returns the words that also occur in lower case, and so are not names. */
function collectLowerCaseWords(sentences: readonly Sentence[]): Set<string> {
  return new Set(
    sentences.flatMap(({ prose }) =>
      [...prose.matchAll(/(?<![\p{L}\p{N}])\p{Ll}[\p{L}'’-]*/gu)].map(([word]) => word),
    ),
  );
}

/** Returns a name with and without its first word: "Yesterday Alice Smith" may mean "Alice Smith". */
function listNameVariants(name: string): string[] {
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
/** Products with names like files. */
const FILE_LIKE_PRODUCT = /^(?:[A-Z]\w*|node|next|vue|nuxt|react|express|three|d3|p5)\.js$/;

function findAddresses(text: string): Entity[] {
  const links = [...text.matchAll(LINK)].flatMap(([link]) => toUrlEntity(link));
  const words = text.replace(LINK, " ").split(/[\s,;()<>"`'“”‘’|]+/);
  return [
    ...links,
    ...words.flatMap((word) => toAddressEntity(word.replace(/[.:!?\]]+$/, "").replace(/^[[*]+/, ""))),
  ];
}

/** A path segment that may be a secret token. */
const TOKEN_IN_PATH = /\/(?=[^/]*\d)(?=[^/]*[A-Za-z])[\w.~%-]{20,}/;

/** Returns the URL without credentials, query and secret path segments. */
function toUrlEntity(link: string): Entity[] {
  const url = URL.parse(link.replace(/[.,;:!?*_]+$/, ""));
  if (url === null || url.username !== "" || !url.hostname.includes(".")) return [];
  const path = url.pathname === "/" || TOKEN_IN_PATH.test(url.pathname) ? "" : url.pathname;
  return [{ name: url.origin + path, type: "url" }];
}

function toAddressEntity(word: string): Entity[] {
  if (word.length > 254) return [];
  if (EMAIL.test(word)) return [{ name: word.toLowerCase(), type: "email" }];
  const path = word.replace(/(?::\d+){1,2}$/, "");
  return PATH.test(path) && !FILE_LIKE_PRODUCT.test(path) ? [{ name: path, type: "path" }] : [];
}

/** `gap` is the text before the word; `first` marks the start of a clause, where any word is capitalised. */
type Word = { text: string; gap: string; first: boolean };

/** Finds runs of capitalised words; `first` marks those at the start of a clause. */
function findNames(prose: string): { entity: Entity; first: boolean }[] {
  const plain = prose.replace(/\S+/g, (word) => (/[@/\\]/.test(word) ? " ".repeat(word.length) : word));
  const words = splitWords(plain);
  if (isHeadline(words) || GERMAN_PROSE.test(plain)) return [];
  const found: { entity: Entity; first: boolean }[] = [];
  for (let at = 0; at < words.length; ) {
    const run = readCapitalisedRun(words, at);
    const version = words[at + run.length];
    const product = parseProductVersion(run, version);
    if (product !== null) found.push({ entity: { name: product, type: "version" }, first: false });
    else if (run.length !== 1 || !INDEFINITE_WORDS.has(words[at - 1]?.text.toLowerCase() ?? ""))
      found.push(...toNameEntity(run));
    at += Math.max(1, run.length);
  }
  return found;
}

function splitWords(plain: string): Word[] {
  let end = 0;
  return [...plain.matchAll(WORDS)].map((match) => {
    const text = match[0].replace(/[.'’-]+$/, "");
    const gap = plain.slice(end, match.index);
    const first = end === 0 || CLAUSE_START.test(gap);
    end = match.index + text.length;
    return { text, gap, first };
  });
}

const CLAUSE_START = /[:;—–("“«/.!?*_|[]|^-|- /;

/** German capitalises all nouns. */
const GERMAN_PROSE = /(?:\b(?:und|der|das|ist|nicht|ich|wir|eine?|mit|für|auf|dem|zu|sind)\b.*){2}/;

/** In a headline, capital letters mark no names. */
function isHeadline(words: readonly Word[]): boolean {
  const capitals = words.filter(({ text }) => CAPITALISED.test(text) && text !== "I").length;
  return capitals >= 4 && capitals > words.length * 0.6;
}

const CAPITALISED = /^\p{Lu}/u;
const POSSESSIVE = /['’]s$/;
const MAX_RUN_WORDS = 5;

function readCapitalisedRun(words: readonly Word[], start: number): Word[] {
  const run: Word[] = [];
  for (let at = start; at < words.length && run.length < MAX_RUN_WORDS; at += 1) {
    const word = words[at];
    if (word === undefined || (run.length > 0 && word.gap !== " " && word.gap !== " & ")) break;
    const joins = word.text === "of" && run.length > 0 && CAPITALISED.test(words[at + 1]?.text ?? "");
    if (!joins && !CAPITALISED.test(word.text)) break;
    run.push(word);
    if (POSSESSIVE.test(word.text)) break;
  }
  return run;
}

/** Parses "Node 20"; products that are not listed need the form "Acme v2" or "Acme 2.1". */
function parseProductVersion(run: readonly Word[], version: Word | undefined): string | null {
  const last = run.at(-1)?.text;
  if (last === undefined || version === undefined || version.gap !== " ") return null;
  const known = VERSIONED_PRODUCTS.has(last.toLowerCase());
  const number = known
    ? /^v?\d{1,4}(?:\.\d{1,4}){0,3}$/
    : /^(?:v\d{1,4}|\d{1,4}\.\d{1,4})(?:\.\d{1,4}){0,2}$/;
  if (!number.test(version.text) || (!known && COMMON_WORDS.has(last.toLowerCase()))) return null;
  return `${last} ${version.text}`;
}

/** After these words a capitalised word is a common noun: "an Extension". */
const INDEFINITE_WORDS: ReadonlySet<string> = new Set(
  "a an this these those each every any some no".split(" "),
);

const MAX_NAME_CHARS = 60;

function toNameEntity(run: readonly Word[]): { entity: Entity; first: boolean }[] {
  const words = run.map((word) => ({ ...word, text: word.text.replace(POSSESSIVE, "") }));
  while (isCommon(words[0])) words.shift();
  while (isCommon(words.at(-1))) words.pop();
  const name = words.map(({ text, gap }, at) => (at === 0 ? text : `${gap}${text}`)).join("");
  if (!isName(name) || name.length > MAX_NAME_CHARS) return [];
  return [{ entity: { name, type: "name" }, first: words[0]?.first ?? false }];
}

function isCommon(word: { text: string } | undefined): boolean {
  return word !== undefined && isCommonWord(word.text.toLowerCase());
}

/** Returns whether a word in lower case is a function word, small talk, a date or a common noun of work. */
export function isCommonWord(word: string): boolean {
  return COMMON_WORDS.has(word);
}

/** Rejects single words that are acronyms, which are mostly common nouns, or classes in code. */
function isName(name: string): boolean {
  if (!/\p{Ll}/u.test(name)) return false;
  return (
    name.includes(" ") ||
    (name.length >= 3 && !/(?:Error|Exception)$|\d$|^\p{Lu}{2,}(?:s$|-\p{Ll})/u.test(name))
  );
}

/** Words that are sometimes capitalised without being names, in lower case. */
const COMMON_WORDS: ReadonlySet<string> = new Set(
  [
    // Function words and sentence openings.
    "i i'm i've i'll i'd a an the this that these those it it's its he she they we you me him her them us my your his our",
    "their who what when where why how which if unless because since so and or but not no yes nope yeah yep ok okay as at",
    "by for from in into of off on onto out over to under up with without about above after again against all also although",
    "always am any anyone anything are around be been before being below between both can cannot can't could did didn't do",
    "does doesn't doing don't done down during each either else enough even ever every everyone everything few first had",
    "has have having here here's hence however instead is isn't it'll just last later least less let let's like likely many",
    "maybe might more most much must neither never next nobody none nor nothing now often once one only other others",
    "otherwise perhaps please quite rather really same second several shall should some someone something sometimes soon",
    "still such than thank thanks then there there's therefore they're third though through thus too today tomorrow tonight",
    "together toward two three four five six seven eight nine ten until usually very was wasn't we'll we're we've well were",
    "what's whatever whether while will won't would yesterday yet you're you've yours",
    // Greetings, titles, small talk.
    "hi hello hey dear sir madam mr mrs ms miss dr prof mom mum dad mommy daddy grandma grandpa cheers best regards kind",
    "sincerely welcome sorry congrats congratulations great good nice cool awesome perfect sure right true false wow oh ah",
    "hmm lol btw fyi imo asap aka etc god lord guys folks everybody ps",
    // Days, months, seasons, feasts.
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays",
    "sundays mon tue tues wed thu thur thurs fri sat sun january february march april may june july august september october november december jan feb mar apr jun jul",
    "aug sep sept oct nov dec spring summer autumn fall winter christmas easter halloween thanksgiving ramadan diwali eve",
    // Languages and peoples.
    "english german french spanish italian portuguese dutch russian chinese japanese korean arabic hindi turkish polish",
    "swedish danish norwegian finnish greek hebrew latin american british european asian african canadian australian mexican",
    "indian irish scottish welsh swiss austrian belgian czech hungarian romanian ukrainian vietnamese thai indonesian",
    // Imperatives.
    "add ask book build buy call change check choose click close create delete deploy draft email explain find fix follow",
    "get give go help install keep look make meet merge move note open ping press push put read remember remind remove reply",
    "review run save search see select send set share show start stop submit take talk tell test try update upload use",
    "verify wait write work working using meeting need want think know read consider important urgent warning caution",
    // Common nouns of work and software.
    "agent ai api app application assistant backend bug build button client cloud code company config customer data",
    "database day department design developer docs document email engineering error feature file folder frontend goal",
    "header home idea internet issue item key language link list manager marketing menu message method mobile model month",
    "name network number option page part people phase plan platform point policy problem product profile program project",
    "question report request result risk role rule sales schema section security server service session settings site",
    "stage state status step store string summary support system tab table task team template text thread ticket time tip",
    "title todo tool topic type user users value version view web website week world year action object array function class",
    "module protocol chapter figure act level scene lesson unit release appendix exercise prompt series part daily weekly monthly",
  ]
    .join(" ")
    .split(" "),
);

/** Products known by their version, in lower case. A number after another word may be a price, a date or a count. */
const VERSIONED_PRODUCTS: ReadonlySet<string> = new Set(
  [
    "node node.js nodejs npm deno bun python java javascript typescript ruby rails go golang rust php perl elixir erlang otp",
    "phoenix kotlin swift scala clojure haskell julia lua dart flutter .net c# c++ react vue vue.js angular svelte",
    "sveltekit next.js nuxt remix astro ember django flask fastapi laravel symfony spring boot postgres postgresql mysql",
    "mariadb sqlite mongodb redis elasticsearch opensearch kafka rabbitmq cassandra clickhouse oracle windows macos ios",
    "android ubuntu debian fedora alpine centos rhel linux kubernetes docker terraform ansible helm nginx chrome firefox",
    "safari edge opengl vulkan cuda pytorch tensorflow numpy pandas gpt claude llama gemini mistral unity unreal blender",
    "webpack vite eslint jest vitest graphql http tls openapi oauth bootstrap tailwind jquery wordpress drupal magento",
    "xcode gradle maven bazel cmake wrangler hono drizzle prisma",
  ]
    .join(" ")
    .split(" "),
);
