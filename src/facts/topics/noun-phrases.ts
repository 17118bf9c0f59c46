// Resolves noun phrases to canonical subjects and attributes: "my wife's new e-mail address" is the attribute "email" of
// "user's wife", "the rate limit of our API" the attribute "rate_limit" of "api".
import { stem } from "../../language/words/stem";
import { ATTRIBUTE_NOUNS, ATTRIBUTE_QUALIFIERS, type ValueKind } from "./attribute-nouns";

export type ResolvedAttribute = { subject: string; attribute: string; kind: ValueKind };

/** Who "we" and "our" are without a noun. */
export const WE = "we";
export const USER = "user";

/** Words that no subject holds: other clauses, quantities, and pronouns without a referent. */
const NO_SUBJECT: ReadonlySet<string> = new Set(
  `a an who whom whose which what that this these those it he she they you your his her their its him them someone everyone
  somebody everybody nobody anyone anybody no none people folks some any every each all most many much few several both either neither
  another other others one ones only same thing things something anything everything nothing there here and or but nor if
  when where why how because although though than as is are am was were be been being has have had do does did can could
  would should will might must not never also too very so just even says said thinks told lives works uses likes loves
  hates wants needs knows goes gets makes stepped gave given passed handed stopped resigned got gotten become became moved changed switched left joined renamed called named go took taken i we me us my our mine yes please let today yesterday tomorrow then
  about between into through during before after above below out off over under again once by without within`.split(
    /\s+/,
  ),
);

const USERS = /^(?:i|me|my|myself|user|the user|this user)$/;
const TITLES = /^(?:dr|mr|mrs|ms|miss|prof|professor|sir)\.? (?=\S)/;
/** Of these relatives and colleagues a person has one, so that a name after them adds nothing. */
const ONLY_RELATIONS =
  /^(.*\b(?:wife|husband|spouse|fiancée?|mother|father|mom|mum|dad|boyfriend|girlfriend|boss|manager))(?: [\p{L}-]+){1,2}$/u;
const OUR_FAMILY =
  /^our (?:\p{L}+ )?(?:son|daughter|kids?|children|baby|dog|cat|puppy|kitten|parents|mother|father|grandmother|grandfather|grandma|grandpa)\b/u;
const MAX_SUBJECT_WORDS = 7;

/** Returns the canonical form of a subject; null if it is vague, plural in meaning, or no noun phrase at all. */
export function resolveSubject(phrase: string): string | null {
  const text = phrase
    .trim()
    .toLowerCase()
    .replace(/^the same /, "");
  if (USERS.test(text)) return USER;
  if (/^(?:we|us|our)$/.test(text)) return WE;
  if (OUR_FAMILY.test(text)) return resolveSubject(text.replace(/^our/, "my"));
  const isUsers = /^my /.test(text);
  const bare = text
    .replace(/^(?:my|our|the user's|user's|the) /, "")
    .replace(/\b(?:the|our|my|a|an) (?=\S)/g, "")
    .replace(/^(?:new|current|whole|entire) /, "")
    .replace(TITLES, "");
  const words = bare.split(" ");
  if (bare === "" || words.length > MAX_SUBJECT_WORDS) return null;
  if (/^(?:an?|some|his|her|their|its|your) /.test(text)) return null;
  if (words.some((word) => NO_SUBJECT.has(word) || !/^[\p{L}\p{N}#][\p{L}\p{N}._'’&+#/@-]*$/u.test(word)))
    return null;
  if (/^(?:\d+|two|three|four|five|six|seven|eight|nine|ten)$/.test(words[0] ?? "")) return null;
  const named = toEnvironmentFirst(bare);
  const owned = isUsers || /^(?:the )?user's /.test(text) ? `${USER}'s ${named}` : named;
  return owned.replace(ONLY_RELATIONS, "$1").replace(/^project (.+)$/, "$1 project");
}

const ENVIRONMENT =
  "production|prod|staging|development|dev|testing|test|qa|ci|preview|sandbox|beta|windows|linux|macos|ios|android";
const ENVIRONMENT_TAIL = new RegExp(`^(.+) (?:in|on|for) (${ENVIRONMENT})$`);

/** "API in staging" and "staging API" are one subject. */
function toEnvironmentFirst(text: string): string {
  return text
    .replace(ENVIRONMENT_TAIL, "$2 $1")
    .replace(/\bprod\b/g, "production")
    .replace(/\bdev\b/g, "development");
}

/** Words that say only that the value is the current one. */
const CURRENT =
  /\b(?:new|newest|current(?! release| version)|updated|present|correct|actual|real|right|proper|own) (?=\S)/g;
const FAVOURITE =
  /^(?:(my|our|the user's|user's|.{1,60}?(?:'s|s')) )?(?:new |current |all-time |absolute |number one )*(favou?rite|best-loved|most-loved|preferred|go-to|usual) (.{1,60})$/;
const LIKED_BEST = /^the ([\p{L} -]{2,40}) (?:that )?(i|we) (?:like|love|prefer) (?:best|most|the most)$/u;
/** Alone after "the", their subject is in another sentence. */
const CONTEXTUAL: ReadonlySet<string> = new Set(
  `name date title role position job state size length width height weight depth age score number duration link room floor
  colour color path format phone first_name job_title balance anniversary birthday`.split(/\s+/),
);

/** Resolves "the rate limit of our API", "Maria's e-mail", "my favourite colour"; null if the noun may have many values. */
export function resolveAttribute(phrase: string): ResolvedAttribute | null {
  const text = phrase
    .trim()
    .toLowerCase()
    .replace(/^the user's /, "my ")
    .replace(CURRENT, "");
  return resolveFavourite(text) ?? resolveRelated(text) ?? resolveOwned(text) ?? resolveTool(text);
}

/** Nouns that add nothing to a purpose: "our monitoring stack" is what is used for monitoring. */
const TOOL_HEAD =
  /^(?:(my|our|the|[^,]{1,40}(?:'s|s')) )?([\p{L}/-]+(?: [\p{L}/-]+){0,2}) (?:stack|tool|tooling|provider|platform|system|software|solution|service|engine|library|app|suite|vendor|backend)$/u;
const TOOL_NOUN =
  /^(?:(my|our|the|[^,]{1,40}(?:'s|s')) )?((?:[\p{L}-]+ )?(?:warehouse|gateway|registry|scheduler|proxy|tracking|monitoring|logging|hosting|analytics|authentication|billing|payroll|ticketing|messaging|observability|alerting|bundling|linting|formatting|bookkeeping|accounting))$/u;

function resolveTool(text: string): ResolvedAttribute | null {
  const [, owner = "", purpose = ""] = TOOL_HEAD.exec(text) ?? TOOL_NOUN.exec(text) ?? [];
  const words = toAttributeWords(purpose);
  if (words === null || purpose.split(" ").some((word) => ATTRIBUTE_QUALIFIERS.has(word))) return null;
  const subject = /^(?:the|our|)$/.test(owner) ? WE : resolveSubject(stripPossessive(owner));
  return subject === null ? null : { subject, attribute: `tool_for_${words}`, kind: "tool" };
}

function resolveFavourite(text: string): ResolvedAttribute | null {
  const [, liked, person] = LIKED_BEST.exec(text) ?? [];
  const [, owner = person, relation = "favourite", thing = liked ?? ""] = FAVOURITE.exec(text) ?? [];
  const subject = owner === undefined ? null : resolveSubject(stripPossessive(owner));
  const words = toAttributeWords(thing);
  const isPlural = /(?<!s|u|i|serie)s$/.test(thing);
  if (subject === null || words === null || isPlural) return null;
  const prefix = relation.replace(/^(?:favorite|best-loved|most-loved)$/, "favourite").replace("-", "");
  return { subject, attribute: `${prefix}_${words}`, kind: "text" };
}

/** Resolves "the N of S" and "the N for S". */
function resolveRelated(text: string): ResolvedAttribute | null {
  const [, left = "", link, right = ""] = /^(.{1,60}?) (of|for|at|in|on) (.{1,60})$/.exec(text) ?? [];
  if (link === undefined || ATTRIBUTE_NOUNS.has(text.replace(/^(?:the|our|my) /, ""))) return null;
  const owned = resolveOwned(left);
  if (owned === null) return null;
  const isPersonal = /^my |'s |s' /.test(left);
  const scope = resolveSubject(right);
  if (scope === null) return null;
  if (isPersonal) {
    const words = toAttributeWords(right);
    return words === null ? null : { ...owned, attribute: `${owned.attribute}_for_${words}` };
  }
  return { ...owned, subject: owned.subject === WE ? scope : `${scope} ${owned.subject}` };
}

function resolveOwned(text: string): ResolvedAttribute | null {
  const [, owner = "", rest = text] = /^(?:(.{1,60}(?:'s|s')|my|our|the) )?(.{1,60})$/.exec(text) ?? [];
  const [environment, phrase] = splitEnvironment(rest);
  const words = phrase.split(" ");
  const at = words.findIndex((_, index) => ATTRIBUTE_NOUNS.has(words.slice(index).join(" ")));
  const noun = ATTRIBUTE_NOUNS.get(words.slice(at).join(" "));
  if (at < 0 || noun === undefined || at > 4) return null;
  const modifiers = words.slice(0, at);
  if (modifiers.some((word) => NO_SUBJECT.has(word) || !/^[\p{L}\p{N}][\p{L}\p{N}._&+#/-]*$/u.test(word)))
    return null;
  if (/(?:'s|s')$|^my$/.test(owner)) {
    const subject = resolveSubject(stripPossessive(owner));
    const attribute = [environment, ...modifiers, noun.attribute].filter(Boolean).join("_");
    return subject === null ? null : { ...noun, subject, attribute };
  }
  const isQualifier = (word: string) => ATTRIBUTE_QUALIFIERS.has(word);
  const subject = [environment, ...modifiers.filter((word) => !isQualifier(word))].filter(Boolean).join(" ");
  const attribute = [...modifiers.filter(isQualifier), noun.attribute].join("_");
  // A job that runs, a role of a database user: only a person has a title.
  if (noun.attribute === "job_title") return null;
  if (at === 0 && environment === "" && owner !== "our" && CONTEXTUAL.has(noun.attribute)) return null;
  return { ...noun, subject: subject === "" ? WE : toEnvironmentFirst(subject), attribute };
}

function splitEnvironment(text: string): [environment: string, rest: string] {
  const [, rest, environment = ""] = ENVIRONMENT_TAIL.exec(text) ?? [];
  return rest === undefined ? ["", text] : [environment, rest];
}

/** Returns the possessive of a subject: "my" for "I", "Ana's" for "Ana". */
export function toPossessive(subject: string): string {
  if (/^i$/i.test(subject)) return "my";
  return /^we$/i.test(subject) ? "our" : `${subject}'s`;
}

function stripPossessive(owner: string): string {
  return owner.replace(/^(my|our)$/, (word) => (word === "my" ? "i" : "we")).replace(/'s$|(?<=s)'$/, "");
}

const SAME_PURPOSE: ReadonlyMap<string, string> = new Map([
  ["deployment", "deploy"],
  ["deploys", "deploy"],
  ["deployments", "deploy"],
  ["db", "database"],
  ["color", "colour"],
  ["ci/cd", "ci"],
  ["movie", "film"],
  ["unit-tests", "unit_test"],
  ["tests", "test"],
  ["testing", "test"],
  ["hosting", "host"],
]);
const VAGUE_PURPOSE =
  /^(?:(?:work|fun|everything|things?|stuff|projects?|school|free|years?|a while|ages|everyone|everybody|us|me|it|that|this|now|sure|example|some|most|many|several|a few|(?:a |an )?(?:long|short) time|\d+|one|two|three|four|five|personal use|all|any|other|various|different|small|big|reasons?|instance|clients?|home)\b.*)$/;

/** Returns the words of a purpose or thing in a canonical form for an attribute's name; null if they are vague. */
export function toAttributeWords(phrase: string): string | null {
  const text = phrase
    .trim()
    .toLowerCase()
    .replace(/^(?:(?:the|our|my|his|her|their|its|all|doing|all of|most) )+(?=\S)/, "");
  const words = text.split(/[\s-]+/).filter((word) => !/^(?:the|our|my|a|an|your|of|new)$/.test(word));
  if (words.length === 0 || words.length > 5 || VAGUE_PURPOSE.test(text)) return null;
  if (words.some((word) => NO_SUBJECT.has(word) || !/^[\p{L}\p{N}][\p{L}\p{N}.'+#/-]*$/u.test(word)))
    return null;
  return words.map((word) => SAME_PURPOSE.get(word) ?? SAME_PURPOSE.get(stem(word)) ?? stem(word)).join("_");
}
