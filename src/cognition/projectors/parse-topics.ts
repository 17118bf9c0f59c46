// Parses the subject and value of a statement: "the deploy target is Fly.io" is about the deploy target. Newer
// statements replace older ones with the same subject, so a subject has one value at a time: "the app is written in
// Go" and "the app is slow" have different subjects.

export type TopicStatement = {
  /** Null when the statement replaces no other. */
  subject: string | null;
  /** The matched part of the sentence, and the value in it. */
  text: string;
  value: string;
};

/** Parses a statement whose form alone shows lasting value; null for any other sentence. */
export function parseTopicStatement(sentence: string): TopicStatement | null {
  return matchForms(sentence, PLAIN_FORMS);
}

/** Returns the subject of a sentence that other rules have found worth remembering. */
export function parseSubject(sentence: string): string | null {
  return matchForms(sentence, [...PLAIN_FORMS, ...LOOSE_FORMS])?.subject ?? null;
}

/** Parses the statement that a sentence retracts: "We no longer use Redis". */
export function parseRetraction(sentence: string): TopicStatement | null {
  const before = normaliseSentence(sentence)
    .replace(/ no longer /, " ")
    .replace(/^(we|i) (?:don't|do not) (.+?) (?:any ?more|any longer)(?=[.!]*$)/i, "$1 $2");
  return before === normaliseSentence(sentence) ? null : matchForms(before, PLAIN_FORMS);
}

const WORD = "[\\p{L}\\p{N}][\\p{L}\\p{N}_'/-]{0,40}";
const SUBJECT =
  `(?<subject>(?:[Tt]he|[Oo]ur|[Mm]y) (?:${WORD} ){0,3}?${WORD}` +
  `(?: (?:of|for) (?:(?:the|our|my) )?${WORD}(?: ${WORD})?)?)`;

/** Names, with joining words and a version: "Bank of America", "Alice and Bob", "PostgreSQL 16". */
const NAME = "\\p{Lu}[\\p{L}\\p{N}.+#'&/-]{0,40}(?<![.'-])";
const NAMES = `${NAME}(?: (?:(?:of|and|&|the) )?${NAME}){0,4}(?: v?\\d[\\d.]{0,12}(?<!\\.))?`;
const UNIT =
  "(?!(?:late|early|behind|ahead|ago|away|left|off|over|too|more|less|times|or|of|to|for|in|on|at|per|from|until|by" +
  "|since|with|via|and|but|so|is|are|if|when|while|than|because)\\b)[\\p{L}%°]{1,12}";
const AMOUNT = `[$€£¥]?\\d[\\d.,:/%-]{0,20}(?<![.,:/-])(?: ?${UNIT}(?: ${UNIT})?)?`;
const QUOTED = '`[^`]{1,80}`|"[^"]{1,80}"|“[^”]{1,80}”';
const ADDRESS = "(?:https?://|[\\w.+-]{1,64}@|(?:[\\w.~-]{0,40}/){1,10})[^\\s,;]{1,120}(?<![.,;:!)])";
const NO_VALUE =
  "(?!(?:[Oo][Kk]|N/A|TB[ADC]|TODO|WIP|None|NULL|Null|TRUE|True|FALSE|False|YES|Yes|NO|No|NOT|Not|DONE|Done|UP|DOWN" +
  "|Unknown|Here|There|The|An?|I)\\b)";
/** Expressions that can only be values. */
const VALUE = `(?<value>${NO_VALUE}(?:${QUOTED}|${ADDRESS}|${NAMES}|${AMOUNT}))`;

/** The scope of a statement, and other words that may follow a value. */
const STAGE =
  "(?:production|prod|staging|development|dev|testing|test|qa|ci|preview|sandbox|beta|windows|linux|mac(?:os)?|ios|android)";
const SCOPE = `(?<scope> for (?!now\\b|us\\b|me\\b|sure\\b)[^,;.?!]{1,60}?| (?:in|on) ${STAGE})?`;
const REST = "(?: (?:in|on|at|per|from|until|by|since|with|via) [^,;?!]{1,60}?| now| currently| these days)?";
const END =
  "(?=[.!)\\s]*$|;|\\s[—–(-]|,? (?:but|so|because|since|which|though|although|not)\\b" +
  "|,? and (?:the|our|my|we|i|it|i'm|please|that)\\b)";
const TAIL = SCOPE + REST + END;

const IS = "(?: is| are|'s| will be)(?: now| currently| still| called| named| set to)?";
const NOW = "(?: now| currently| mainly| mostly| still| also)?";
/** A tool, whose name may be in lower case at the end of a statement. */
const TOOL = `(?<value>${NAMES}|\\p{Ll}[\\w.+#-]{1,30}(?<![.-])(?: v?\\d[\\d.]{0,12}(?<!\\.))?)`;
const PLACE = `(?<value>${NAMES}(?:, ${NAMES})?)`;
const I_AM = "[Ii](?:'m| am)(?: now| currently| originally)?";

type Groups = Readonly<Record<string, string | undefined>>;
type SentenceForm = { pattern: RegExp; toSubject: (groups: Groups) => string | null };

const PLAIN_FORMS: readonly SentenceForm[] = [
  createForm(`${SUBJECT}${IS} ${VALUE}${TAIL}`, toNamedSubject),
  createForm(
    `(?:[Ww]e|[Ii])${NOW} (?<verb>use|run on|deploy to|host on) (?<value>${NAMES})${TAIL}`,
    toToolSubject,
  ),
  createForm(
    `${SUBJECT}${NOW} (?<verb>uses|runs on|relies on|depends on) (?<value>${NAMES})${TAIL}`,
    toToolSubject,
  ),
  createForm(
    `${SUBJECT} is${NOW} (?<verb>(?:written|built|hosted|deployed|located|based) (?:in|on|with|at|to)) (?<value>${NAMES})${TAIL}`,
    ({ subject = "", scope = "", verb }) => joinWords(normaliseTopic(subject), verb, stripDeterminers(scope)),
  ),
  createForm(`[Ii]${NOW} work (?:at|for) (?<value>${NAMES})${TAIL}`, () => "user.workplace"),
  createForm(`(?:[Ii]${NOW} live|${I_AM} (?:based|living)) in ${PLACE}${REST}${END}`, () => "user.home"),
  createForm(`${I_AM} from ${PLACE}${END}`, () => "user.origin"),
  createForm(`${I_AM} (?<value>\\d{1,3}) years old${END}`, () => "user.age"),
  createForm(
    `[Ii]${NOW} work as (?:an? |the )?(?<value>[\\p{L}][\\p{L} -]{1,60})${END}`,
    () => "user.occupation",
  ),
  createForm(`(?:The|Our|My) (?:${WORD} ){0,2}${WORD} prefers? (?<value>${NAMES})${TAIL}`, () => null),
  createForm(`${NAME}(?: ${NAME}){0,2} is (?<value>(?:our|my) ${WORD}(?: ${WORD}){0,2})${END}`, () => null),
];

/** Forms that show the subject of a sentence, but no lasting value. */
const LOOSE_FORMS: readonly SentenceForm[] = [
  createForm(
    "(?<subject>(?:[Mm]y|[Oo]ur|[Tt]he) (?:favou?rite (?:[\\w-]+ ){0,2}[\\w-]+|(?:[\\w'-]+ ){0,2}" +
      "(?:name|birthday|e-?mail(?: address)?|address|phone number|time ?zone|blood type|nationality|job title|pronouns)))" +
      `${IS} (?<value>(?!(?:not|no|never|too|so|very|hard|important|unknown|private|wrong)\\b)\\S.*)`,
    toNamedSubject,
  ),
  createForm(`(?:[Ww]e|[Ii])${NOW} (?<verb>use) ${TOOL}${TAIL}`, toToolSubject),
  createForm(`${SUBJECT}${NOW} (?<verb>uses|runs on) ${TOOL}${TAIL}`, toToolSubject),
];

function createForm(pattern: string, toSubject: SentenceForm["toSubject"]): SentenceForm {
  return { pattern: new RegExp(`^${pattern}`, "u"), toSubject };
}

function matchForms(sentence: string, forms: readonly SentenceForm[]): TopicStatement | null {
  const normalised = normaliseSentence(sentence);
  for (const { pattern, toSubject } of forms) {
    const match = pattern.exec(normalised);
    const groups = match?.groups ?? {};
    if (match === null || VAGUE.test(groups.subject ?? "")) continue;
    return { subject: toSubject(groups), text: match[0].trim(), value: groups.value ?? "" };
  }
  return null;
}

function normaliseSentence(sentence: string): string {
  return sentence.replace(/[‘’]/g, "'").replace(/\s+/g, " ").trim();
}

/** Subjects whose meaning depends on context, and subjects that contain part of another clause. */
const VAGUE = new RegExp(
  "\\b(?:problem|issue|question|answer|thing|point|idea|reason|cause|result|output|error|exception|example|trick|fact" +
    "|truth|rest|other|same|ones?|first|second|third|last|next|previous|former|latter|best|worst|only|most|following" +
    "|above|below|time(?! ?zone)|today|day|weather|way|difference|sum|total|count|average|score|chance|odds|solution" +
    "|equation|capital|meaning|word|sentence|variable|bug|status|state|focus|attention|bandwidth|opinion|mood|mind" +
    "|winner|movie|book|song|joke|story|character|speaker" +
    "|that|which|who|what|when|where|i|you|we|they|he|she|it|this|these|those|is|are|was|were|be|has|have|had|do|does" +
    "|did|can|could|would|should|will|might|may|if|not|than|said|told|says|thinks?|thought|wants?|needs?|and|or|but)\\b",
  "i",
);

/** People have many properties with capitalised values, so these subjects have no single value: "my boss is German". */
const PERSON =
  /^user\.(?:\w+ )?(?:wife|husband|partner|spouse|girlfriend|boyfriend|son|daughter|kids?|children|mother|father|mom|mum|dad|parents|brother|sister|dog|cat|boss|manager|doctor|friend|client|colleague|neighbou?r|teacher|family)$/;

function toNamedSubject({ subject = "", scope = "" }: Groups): string | null {
  const topic = normaliseTopic(subject);
  return PERSON.test(topic) ? null : joinWords(topic, stripDeterminers(scope));
}

/** Includes the tool in the subject: one may use many tools, but only one version of each. */
function toToolSubject({ subject = "", scope = "", verb = "", value = "" }: Groups): string {
  const name = value.toLowerCase().replace(/ v?\d[\d.]*$/, "");
  return joinWords(normaliseTopic(subject), verb === "use" ? "uses" : verb, name, stripDeterminers(scope));
}

/** Gives "the name of our project" and "our project's name" one form; "my" becomes the prefix "user.". */
function normaliseTopic(subject: string): string {
  const [, head = "", of = ""] = /^(.+?)(?: of (.+))?$/.exec(subject) ?? [];
  const isUsers = /^my /i.test(of === "" ? head : of);
  const words = joinWords(stripDeterminers(of), stripDeterminers(head))
    .replace(/\be-?mail address\b|\be-mail\b/, "email")
    .replace(/\bfavourite\b/, "favorite")
    .replace(/\btime zone\b/, "timezone");
  return isUsers ? `user.${words}` : words;
}

function stripDeterminers(words: string): string {
  return words
    .toLowerCase()
    .replace(/'s\b/g, "")
    .replace(/\b(?:the|our|my|current|present) /g, "")
    .trim();
}

function joinWords(...words: (string | undefined)[]): string {
  return words.filter(Boolean).join(" ");
}
