// Checks that a value is of its attribute's kind, so that "my e-mail is broken" states no address.
import type { ValueKind } from "./attribute-nouns";
import { isTechnology } from "./fact-words";

const MAX_VALUE_CHARS = 90;
const MAX_VALUE_WORDS = 9;

export const MONTH =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const WEEKDAY = "(?:mon|tues?|wed(?:nes)?|thur?s?|fri|sat(?:ur)?|sun)(?:day)?s?";
const CLOCK =
  "(?:half|quarter) (?:past|to) \\w{1,8}|\\d{1,2}(?:[:.h]\\d{2})?(?: ?[ap]\\.?m\\.?)?|noon|midnight|midday|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve";
const DATE_WORD = `${MONTH}|${WEEKDAY}|\\d{1,2}(?:st|nd|rd|th)|\\d{4}-\\d{2}-\\d{2}|\\d{1,2}[./]\\d{1,2}(?:[./]\\d{2,4})?|(?:19|20)\\d{2}|${CLOCK}|q[1-4]|every|each|next|coming|daily|weekdays|on|at|of|the|in|end|start|mid|early|late|beginning|first|second|third|last|week|month|day|mornings?|afternoons?|evenings?|nights?|[ap]m|utc|gmt|cet|cest|est|edt|pst|pdt|et|pt|ct|o'clock|half|quarter|past|eod|cob|sharp|by|week|${"christmas|easter|spring|summer|autumn|fall|winter"}`;
const DATE = new RegExp(`^(?:(?:${DATE_WORD})(?:,? |-|$)){1,9}$`, "i");
const HAS_DATE = new RegExp(
  `\\d|\\b(?:${MONTH}|${WEEKDAY}|noon|midnight|midday|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|q[1-4]|christmas|easter|daily|weekdays|spring|summer|autumn|fall|winter|eod)\\b`,
  "i",
);
const TIME_ONLY = new RegExp(
  `^(?:at )?(?:${CLOCK}|\\d{1,2} o'clock)(?: (?:utc|gmt|cet|cest|est|edt|pst|pdt|et|pt|ct|sharp|every day|daily|each day|in the (?:morning|afternoon|evening)))?$`,
  "i",
);

export const NUMBER_WORDS =
  "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|dozen";
const NUMBER = `[$€£¥₹]? ?\\d[\\d.,:' ]*(?:[kKmMbB]n?\\b)?%?|(?:${NUMBER_WORDS})(?:[ -](?:${NUMBER_WORDS}))*`;
const UNIT =
  "(?!(?:or|and|but|late|early|behind|ahead|away|left|off|too|more|less|times|to|from|until|since|with|because|if|than|in|on|at|for|by)\\b)[\\p{L}%°$€£/]{1,14}[23]?";
const AMOUNT = new RegExp(`^(?:${NUMBER})(?:[ -/]?${UNIT}){0,5}$`, "iu");

const NAME_WORD = "[\\p{Lu}\\p{N}][\\p{L}\\p{N}.+#'’&!/_-]*";
const JOINER = "(?:of|the|de|da|di|du|del|la|le|van|von|der|den|and|&|for|bin|al|y|on|in)";
const PROPER = new RegExp(`^(?:the )?${NAME_WORD}(?:,? (?:${JOINER} ){0,2}${NAME_WORD}){0,5}$`, "u");
const PERSON =
  /^(?:(?:Dr|Mr|Mrs|Ms|Miss|Prof|Professor|Sir)\.? )?\p{Lu}[\p{L}'’.-]*(?: (?:(?:de|da|di|van|von|der|den|del|la|bin|al) ){0,2}\p{Lu}[\p{L}'’.-]*){0,3}$/u;
const OFFICE =
  /^(?:the |our )(?:(?:[\p{L}-]+ ){0,3}(?:team|department|group)|(?:\p{Lu}{2,4}|head|director|vp|manager|lead)(?: of [\p{L} ]{2,30})?)$/iu;

const NATIONALITY =
  /^(?:american|australian|austrian|belgian|brazilian|british|canadian|chinese|czech|danish|dutch|english|finnish|french|german|greek|hungarian|indian|irish|israeli|italian|japanese|korean|mexican|norwegian|polish|portuguese|russian|scottish|spanish|swedish|swiss|turkish|ukrainian|welsh|catholic|jewish|muslim|christian|european|african|asian)$/i;

/** Descriptions that are not values: "the deadline is tight". */
const DESCRIPTION: ReadonlySet<string> = new Set(
  `broken fine ok okay good bad great nice high low tight small large big huge tiny important unknown wrong right correct
  missing unclear private long short slow fast hard easy ready late early close near far blocked stuck available
  unavailable full empty terrible awful boring exciting stressful flexible fixed optional required mandatory negotiable
  confidential secret invalid valid expired outdated stale up down off on gone lost dead working crazy weird funny cool hot
  cold cheap expensive reasonable fair unfair generous strict approaching coming looming killing making being getting
  better worse best worst different same similar new old true false yes no none null nil tbd tba undecided undefined unset
  here there mine yours ours hers his theirs complicated simple perfect amazing wonderful beautiful ugly pretty clean dirty
  safe unsafe secure insecure stable unstable public known lovely horrible rude kind friendly sick ill tired busy happy sad
  angry pregnant away home abroad back retired dying leaving coming moving changing rising falling increasing decreasing
  growing shrinking increased decreased ridiculous insane absurd acceptable unacceptable unrealistic realistic ambitious
  irrelevant relevant pointless useless useful lost stolen ringing charging overdue unlimited`.split(/\s+/),
);
const DESCRIPTIVE_OPENING =
  /^(?:too|very|so|quite|rather|really|extremely|a bit|a little|kind of|sort of|getting|being|always|almost|under|over|about|around|something|anything|nothing|someone|what|where|how|that|to|why|who|like|based|the same|the best|the worst|the reason|the one|subject|up|in|at|for|from|with|by|easy|hard|more|less|not|no|as|such|all|still|any|some|it|this|than|my|your|his|her|their|going|coming|due|just|only|because|if|when|made|done|taking|driving|killing)\b/i;

/** Returns the value without quotes and articles; null if it is not of the kind. */
export function parseValue(kind: ValueKind, raw: string): string | null {
  const quoted = /^(["'`])([^"'`]{1,80})\1$/.exec(raw.trim())?.[2];
  const value = (quoted ?? raw).trim().replace(/[\s.,;:!]+$/, "");
  if (value === "" || value.length > MAX_VALUE_CHARS || value.split(" ").length > MAX_VALUE_WORDS)
    return null;
  if (quoted === undefined && isDescription(value)) return null;
  return MATCHES[kind](value, quoted !== undefined) ? value : null;
}

function isDescription(value: string): boolean {
  const words = value.toLowerCase().split(" ");
  return DESCRIPTION.has(words[0] ?? "") && !/\d/.test(value) && !/^\p{Lu}/u.test(value);
}

/** Several values, or the begin of another clause. */
function isList(value: string): boolean {
  return /, | (?:and|or|but|plus|that|which|who|if|because|so|when|where) |[;|]| & /i.test(value);
}

const MATCHES: Readonly<Record<ValueKind, (value: string, isQuoted: boolean) => boolean>> = {
  email: (value) => /^[^\s@,;]+@[^\s@,;]+\.[^\s@,;]+$/.test(value),
  phone: (value) =>
    /^\+?[\d\s()./-]+(?:(?:x|ext\.?) ?\d+)?$/.test(value) && (value.match(/\d/g)?.length ?? 0) >= 4,
  date: isDate,
  amount: (value) => AMOUNT.test(value) && !isList(value),
  place: (value) => PROPER.test(value) && !/ and /.test(value),
  person: (value) => (PERSON.test(value) || OFFICE.test(value)) && !NATIONALITY.test(value),
  name: (value, isQuoted) =>
    isQuoted || (!isList(value) && !DESCRIPTIVE_OPENING.test(value) && !NATIONALITY.test(value)),
  address: (value) =>
    (/\d/.test(value) && / /.test(value) && !/;/.test(value)) ||
    MATCHES.email(value, false) ||
    MATCHES.url(value, false),
  url: (value) =>
    /^(?:https?:\/\/\S+|[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:\/\S*)?|localhost(?::\d+)?\S*|\/\S+)$/i.test(value),
  version: (value) => /\d/.test(value) && !isList(value) && value.split(" ").length <= 4,
  identifier: (value) => !isList(value) && !DESCRIPTIVE_OPENING.test(value) && value.split(" ").length <= 4,
  tool: (value) =>
    !isList(value) &&
    !/^v?\d/.test(value) &&
    (PROPER.test(value) || isTechnology(value) || /^[\p{Ll}\d]+[.\d][\p{L}\d.]*$/u.test(value)),
  text: (value, isQuoted) =>
    isQuoted || (!isList(value) && !DESCRIPTIVE_OPENING.test(value) && value.split(" ").length <= 7),
};

export function isDate(value: string): boolean {
  return DATE.test(value) && HAS_DATE.test(value);
}

export function isTimeOnly(value: string): boolean {
  return TIME_ONLY.test(value);
}
