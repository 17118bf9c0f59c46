// Forms of statements about where someone lives.
import { parseValue } from "./fact-values";
import { DEPARTMENT, isKnownPlace, isOrganisation, isTechnology } from "./fact-words";
import { resolveSubject, WE } from "./noun-phrases";
import { toFloor, toRegion, toSchedule } from "./possession-rules";
import {
  BE,
  CHANGE_TAIL,
  defineForm,
  type Fact,
  type FormGroups,
  HAVE,
  isThing,
  makeFact,
  type SentenceForm,
  SUBJECT,
  stateAttribute,
  VALUE,
} from "./sentence-rule";
import { toPlan } from "./tool-rules";

const NO_PLACE =
  /^(?:an?|the|my|his|her|their|our|fear|peace|sin|poverty|luxury|exile|denial|harmony|town|dorms?|halls|caves?|houses?|flats?|tents?|hope|constant|extreme|different|separate|same|cities|rural|urban|student|shared|social)\b/;

/** Returns the place at the end of "a flat in Leith". Names count in lower case only where nothing else fits. */
function parsePlace(raw: string, allowsLowerCase: boolean): string | null {
  const text = raw
    .replace(CHANGE_TAIL, "")
    .replace(/^(?:an?|the|his|her|their|my|our|its) (?:[\p{L}-]+ ){1,4}?(?:in|near|of) (?=\S)/iu, "")
    .replace(
      /^(?:downtown|central|greater|north|south|east|west|northern|southern|eastern|western) (?=\p{L})/iu,
      "",
    );
  if (
    /\d{4}|\band\b|\bor\b/.test(text) ||
    isTechnology(text) ||
    isOrganisation(text) ||
    DEPARTMENT.test(text)
  )
    return null;
  const place = parseValue("place", text);
  if (place !== null) return place;
  const isLower = /^\p{Ll}[\p{L}-]+(?:,? \p{Ll}[\p{L}-]+)?$/u.test(text);
  return isLower && (isKnownPlace(text) || (allowsLowerCase && !NO_PLACE.test(text))) ? text : null;
}

export const STREET =
  /^(?!its |the way|my way|google )(?:.*)\b(?:street|st|road|rd|avenue|ave|lane|drive|boulevard|blvd|square|close|way|court|terrace)\.?$|stra(?:ß|ss)e\b/i;

function toResidence({ s = "", v = "" }: FormGroups): Fact | null {
  return makeFact(resolveSubject(s), "residence", parsePlace(v, true));
}

function toStreet({ s = "", v = "" }: FormGroups): Fact | null {
  return STREET.test(v)
    ? makeFact(resolveSubject(s), "address", parseValue("text", v.replace(/,/g, "")))
    : null;
}

/** "Moved to" takes a place, a plan, a date or a region; for "we" and things an unknown name may be a tool. */
function toMove({ s = "", v = "" }: FormGroups): Fact | null {
  const subject = resolveSubject(s);
  if (subject === null) return null;
  const other =
    toPlan({ s, v }) ?? toSchedule(s, v) ?? toRegion(subject, v) ?? toFloor(subject, v) ?? toStreet({ s, v });
  if (other !== null) return other;
  const isPlain = /^\p{Lu}\p{Ll}+(?:, \p{Lu}|$)/u.test(v) || isKnownPlace(v.replace(CHANGE_TAIL, ""));
  const isMovable =
    subject === WE ? isPlain : !isThing(subject) || /^\p{Lu}/u.test(s) || BUILDING.test(subject);
  return isMovable ? makeFact(subject, "residence", parsePlace(v, false)) : null;
}

const BUILDING =
  /\b(?:office|headquarters|hq|shop|store|studio|warehouse|clinic|lab|practice|branch|school|team|company|firm|startup|club|gym|family|parents|family|factory|restaurant|user)$/;

export const HOME_FORMS: readonly SentenceForm[] = [
  defineForm(
    `${SUBJECT} (?:lives?|resides?|dwells?)(?: (?:with [^,]{1,40}?|alone|by (?:my|him|her|them)self|on (?:my|his|her|their) own|together))? in ${VALUE}`,
    toResidence,
  ),
  defineForm(
    `${SUBJECT} (?:has|have) (?:lived|been living|been based) in (?<v>.{1,60}?)(?: (?:for|since) .{1,40})?`,
    toResidence,
  ),
  defineForm(
    `${SUBJECT} ${BE} (?:living|based|located|headquartered|residing|settled|(?:an? )?resident)(?: with [^,]{1,40}?)? (?:in|out of|of) ${VALUE}`,
    toResidence,
  ),
  defineForm(
    `${SUBJECT} rents? (?:an? )?(?:[\\p{L}-]+ )?(?:flat|studio|house|apartment|room|place) in ${VALUE}`,
    toResidence,
  ),
  defineForm(
    `${SUBJECT} (?:calls?|made|has made|have made) (?<v>[^,]{1,40}?) (?:my |her |his |their |our )?(?:new )?home`,
    toResidence,
  ),
  defineForm(`home (?:for (?<s>me|us) )?is (?:in )?${VALUE}`, ({ s = "me", v = "" }) =>
    toResidence({ s, v }),
  ),
  defineForm(
    `(?<s>my|our|[^,]{1,40}?'s) (?:new )?(?:home|house|flat|apartment|place|family home) is in ${VALUE}`,
    ({ s = "", v = "" }) =>
      toResidence({ s: s.replace(/^my$/i, "I").replace(/^our$/i, "we").replace(/'s$/, ""), v }),
  ),
  defineForm(
    `${SUBJECT}${HAVE}(?: been| was| were)? (?:moved|relocated|returned|gone back|went back|settled|settled down|resettled|emigrated|moved in with [^,]{1,30}?|bought a (?:house|flat|home) and moved|packed up and moved)(?: (?:back|over|house|down|up|away|permanently|offices|out))?(?: from [^,]{1,40}?)? (?:to|in|into) ${VALUE}`,
    toMove,
  ),
  defineForm(`${SUBJECT} (?:lives?|resides?) at (?<v>.{5,80})`, ({ s = "", v = "" }) =>
    parseValue("url", v) === null
      ? stateAttribute("address", "address")({ s, v })
      : stateAttribute("url", "url")({ s, v }),
  ),
  defineForm(`${SUBJECT} (?:lives?|${BE}|${BE} located) (?:on|at|in) ${VALUE}`, toStreet),
  defineForm(`${SUBJECT} (?:is|are) (?:located |based )?in ${VALUE}`, ({ s = "", v = "" }) => {
    const subject = resolveSubject(s);
    return subject !== null && BUILDING.test(subject)
      ? makeFact(subject, "residence", parsePlace(v, false))
      : null;
  }),
];
