// Forms of statements with an amount. The unit tells the attribute: "the course is 200 euros" gives a price, "the course is
// six weeks" a duration, so that any noun can be measured without a list of nouns.
import { stem } from "../../language/words/stem";
import { parseValue } from "./fact-values";
import { PERSON_NOUN } from "./fact-words";
import { resolveSubject } from "./noun-phrases";
import {
  BE,
  defineForm,
  type Fact,
  type FormGroups,
  HAVE,
  isThing,
  makeFact,
  type SentenceForm,
  SUBJECT,
} from "./sentence-rule";

/** Attributes by unit of measurement. */
const DIMENSIONS: readonly (readonly [attribute: string, unit: RegExp])[] = [
  ["price", /^[$€£¥₹]|(?:€|\b(?:euros?|eur|dollars?|usd|bucks|gbp|pounds|chf|francs|yen|kronor|cents))\b|€/i],
  [
    "duration",
    /\d ?(?:h|d)\b|\b(?:secs?|seconds?|mins?|minutes?|hrs?|hours?|days?|nights?|weeks?|months?|quarters?|years?)$/i,
  ],
  ["size", /\b(?:[kmgt]i?b|bytes|kilobytes|megabytes|gigabytes|terabytes)$/i],
  ["area", /\b(?:m2|sqm|sq ?ft|acres|hectares|square \p{L}+)$/iu],
  ["length", /\b(?:mm|cm|m|km|miles?|feet|ft|inch|inches|met(?:re|er)s?|kilomet(?:re|er)s?)$/i],
  ["weight", /\b(?:g|kg|kilos?|grams|lbs?|tons?|tonnes?)$/i],
  ["share", /%$|\bpercent$/i],
  ["temperature", /°|\bdegrees(?: celsius| fahrenheit)?$/i],
];
const RATE =
  / (?:an?|per|each|every|\/) ?(?:second|minute|hour|day|night|week|month|quarter|year|person|user|seat|request|call|client|customer|account)$| ?\/ ?(?:s|sec|min|h|hour|day|month|year|mo)$| (?:monthly|annually|yearly|daily|weekly)$/i;

/** Returns the attribute that an amount measures; null if it has no unit. */
function findDimension(amount: string): string | null {
  const quantity = amount.replace(RATE, "");
  const known = DIMENSIONS.find(([, unit]) => unit.test(quantity));
  if (known !== undefined) return known[0];
  const [, noun] =
    /^\S+(?: hundred| thousand| million)? (?:[\p{L}-]+ )?([\p{L}-]{3,}(?:s|people|staff))$/iu.exec(
      quantity,
    ) ?? [];
  return noun === undefined ? null : `count_of_${stem(noun.toLowerCase())}`;
}

/** Things that have a unit of their own: an unlisted thing may be "3 weeks late" in one sense and "3 weeks" in another. */
const DEFINITE = /^(?:the|our|my|your|all|this|an?) |'s |s' |^[\p{Ll}]/u;
const BOUND = /\b(?:min|max|minimum|maximum|target|goal|limit|cap|quota|order|allowance|threshold)\b/i;

function toMeasure({ s = "", v = "" }: FormGroups): Fact | null {
  const dimension = findDimension(v);
  const subject = resolveSubject(s);
  if (
    dimension === null ||
    subject === null ||
    !DEFINITE.test(s) ||
    !isThing(subject.replace(/^user's /, ""))
  )
    return null;
  if (PERSON_NOUN.test(subject) || (dimension.startsWith("count_of_") && !BOUND.test(s))) return null;
  return makeFact(subject, dimension, parseValue("amount", v));
}

/** Verbs that take an amount, each with the attribute it states. */
const VERBS: readonly (readonly [attribute: string, verbs: string, dimension: RegExp])[] = [
  ["duration", "takes?|lasts?|runs? for|goes on for|needs", /^duration$/],
  [
    "price",
    `costs|(?<=s )cost|${BE} priced at|goes for|sells? for|retails? for|runs?|comes to|amounts? to`,
    /^price$/,
  ],
  [
    "allows",
    `allows?|permits?|accepts?|supports? up to|handles?|covers?|includes?|offers?|provides?|gives?(?: me| us| you)?|grants?|holds?|fits?|seats?|comes? with|${BE} (?:capped|limited|restricted|set|fixed) (?:at|to)|caps? at|tops? out at|maxes out at`,
    /./,
  ],
  [
    "lifetime",
    `expires? (?:after|in|within)|times? out after|${BE} (?:valid|good|kept|stored|retained|cached|saved) for|${BE} (?:deleted|purged|removed|rotated|archived) after|lives? for|stays? valid for`,
    /^duration$/,
  ],
  [
    "interval",
    `(?:runs?|rotates?|refreshes|renews?|polls?|syncs?|updates?|happens?|fires?|occurs?|repeats?|${BE} (?:rotated|refreshed|renewed|synced|updated|run|backed up|checked)) every`,
    /^duration$/,
  ],
  [
    "minimum",
    `(?:${BE}|needs?|requires?|have|has|takes?) (?:at least|a minimum of|no less than|no fewer than)`,
    /./,
  ],
  ["maximum", `(?:${BE}|have|has|takes?) (?:at most|a maximum of|up to|no more than|not more than)`, /./],
];

function toVerbMeasure(attribute: string, allowed: RegExp): SentenceForm["toFact"] {
  return ({ s = "", v = "" }) => {
    const dimension = findDimension(v) ?? "amount";
    if (!allowed.test(dimension)) return null;
    const isNamed = ["duration", "price", "lifetime", "interval"].includes(attribute);
    return makeFact(
      resolveSubject(s),
      isNamed ? attribute : `${attribute}_${dimension}`,
      parseValue("amount", v),
    );
  };
}

const AMOUNT =
  "(?<v>(?:[$€£¥₹] ?)?(?:\\d|an? (?:hour|minute|week|day|month|year)\\b|(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety)\\b).{0,40})";
const HABIT =
  "run|walk|cycle|swim|sleep|drink|smoke|read|save|pay|spend|earn|make|practi[sc]e|study|work|meditate|write|bill|donate|invest";

export const MEASURE_FORMS: readonly SentenceForm[] = [
  ...VERBS.map(([attribute, verbs, dimension]) =>
    defineForm(`(?:an? )?${SUBJECT} (?:${verbs}) ${AMOUNT}`, toVerbMeasure(attribute, dimension)),
  ),
  defineForm(
    `${SUBJECT} (?<verb>${HABIT})s? ${AMOUNT.replace(".{0,40}", ".{0,40}?")} (?:an?|per|each|every) (?<period>day|night|morning|evening|week|month|year|weekend)`,
    ({ s = "", verb = "", v = "", period = "" }) =>
      makeFact(resolveSubject(s), `${verb}_per_${period}`.toLowerCase(), parseValue("amount", v)),
  ),
  defineForm(
    `${SUBJECT} (?:${BE}|measures?|${HAVE}(?: been)? (?:gone|went|risen|rose|dropped|fallen|fell|grown|grew|increased|decreased|raised|lowered|reduced|cut|shortened|extended|doubled|shrunk)(?: up| down)? to|${BE} (?:up|down) to) ${AMOUNT}`,
    toMeasure,
  ),
];
