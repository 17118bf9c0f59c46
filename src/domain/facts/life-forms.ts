// Forms of statements about people: where they live and work, their names, age, family, diet and preferences.
import { isDate, parseValue } from "./fact-values";
import {
  DEPARTMENT,
  EXCLUSIVE_OPTIONS,
  isJobTitle,
  isKnownPlace,
  isOrganisation,
  isTechnology,
  LANGUAGE,
  LIFE_STATUS,
  PERSON_NOUN,
} from "./fact-words";
import { resolveSubject, toAttributeWords, USER, WE } from "./noun-phrases";
import {
  BE,
  CHANGE_TAIL,
  defineForm,
  type Fact,
  type FormGroups,
  HAVE,
  isThing,
  makeFact,
  S,
  type SentenceForm,
  stateAttribute,
  V,
} from "./sentence-form";
import { toFloor, toRegion, toSchedule } from "./thing-forms";
import { toPlan } from "./tool-forms";

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

const STREET =
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

const EMPLOYER_TAIL =
  /,? (?:as (?:an?|the|their|its|our) .{1,60}|in (?:sales|marketing|finance|hr|engineering|the .{1,40}(?:team|department))|in \p{Lu}[\p{L}-]+)$/iu;
const NO_EMPLOYER =
  /\bon (?:mon|tues|wednes|thurs|fri|satur|sun)days?$|\b(?:19|20)\d\d\b|\bhome\b|^(?:my|his|her|their|our|various|different|several|night|minimum|full|free|peace|change|justice|the (?:weekends?|moment|office|night|front)|night|noon|least|a living|an? (?:big|large|small|new|great|good|different|local|better|living|while|year|month|long))\b|\b(?:gym|club|band|choir|call|meeting|party|chat|channel|group|team|waitlist|community|church|dots?)\b/i;

function toEmployer({ s = "", v = "" }: FormGroups): Fact | null {
  const text = v
    .replace(CHANGE_TAIL, "")
    .replace(EMPLOYER_TAIL, "")
    .replace(/^(?:an?|the) (?:[\p{L}-]+ ){1,3}(?:called|named) /iu, "");
  if (
    /^(?:(?:my|her|him|them|our)sel(?:f|ves)|(?:my|his|her|their) own (?:company|business|startup|firm))$/i.test(
      text,
    )
  )
    return makeFact(resolveSubject(s), "employer", "self-employed");
  const isNamed =
    /^(?:the )?\p{Lu}|^(?:the|an?) [\p{Ll}][\p{L}-]*(?: [\p{L}-]+){0,3}$|^\p{Ll}[\p{L}\d.-]+$/u.test(text);
  if (!isNamed || NO_EMPLOYER.test(text) || isDate(text)) return null;
  return makeFact(resolveSubject(s), "employer", parseValue("name", text));
}

/** Only a name in capitals: "with child" names no employer. */
function toNamedEmployer(groups: FormGroups): Fact | null {
  return /^(?:the )?\p{Lu}/u.test(groups.v ?? "") ? toEmployer(groups) : null;
}

function stripTitle(raw: string): string {
  return raw
    .replace(CHANGE_TAIL, "")
    .replace(/ (?:at|for|with) .{1,60}$/, "")
    .replace(/^(?:an?|the|our|their|its) (?=\S)/i, "")
    .replace(/^fully[ -]/i, "");
}

/** Keeps a named employer beside the title: the same post elsewhere is another job. */
function stateTitle(s: string, title: string, raw: string): Fact | null {
  const [, employer] =
    / (?:at|for|with) (\p{Lu}[\p{L}\d.&' -]{1,40})$/u.exec(raw.replace(CHANGE_TAIL, "")) ?? [];
  const value = parseValue("text", title);
  return makeFact(
    resolveSubject(s),
    "job_title",
    value === null || employer === undefined ? value : `${value} at ${employer}`,
  );
}

/** Without a name, these may be different people. */
const MANY_RELATED = /\b(?:neighbou?r|colleague|friend|cousin|flatmate|roommate|classmate)$/i;

function toJobTitle({ s = "", v = "" }: FormGroups): Fact | null {
  const title = stripTitle(v);
  return isJobTitle(title) && !MANY_RELATED.test(s) ? stateTitle(s, title, v) : null;
}

/** Titles in "works as" and "promoted to" need no list. */
function toStatedJobTitle({ s = "", v = "" }: FormGroups): Fact | null {
  const title = stripTitle(v);
  const isSide = /\b(?:volunteer|side|weekend|hobby)\b/i.test(v);
  return isSide ? null : stateTitle(s, title, v);
}

/** Of pets, children and siblings one may have several, each with a name of its own. */
const MANY_NAMED =
  /\b(?:cat|dog|pet|puppy|kitten|horse|rabbit|hamster|bird|parrot|fish|goldfish|son|daughter|child|kid|baby|brother|sister|friend|cousin|uncle|aunt|niece|nephew|colleague|co-worker|coworker|neighbou?r|teacher|student|classmate|roommate|flatmate|grandson|granddaughter|feature|server|street|nurse)$/;

function toNamed({ s = "", v = "" }: FormGroups): Fact | null {
  const subject = resolveSubject(s);
  if (subject === null || MANY_NAMED.test(subject) || /^(?:my|our|the) /.test(v)) return null;
  return makeFact(subject, "name", parseValue("name", v));
}

/** The name of a partner: "my wife is Ana" and "my wife's name is Ana" are one fact. */
function toPartner({ s = "", relation = "", who = "" }: FormGroups): Fact | null {
  const owner = /^my$/i.test(s.trim()) ? USER : resolveSubject(s);
  return owner === null || owner === WE
    ? null
    : makeFact(`${owner}'s ${relation.toLowerCase()}`, "name", parseValue("person", who));
}

function toAge({ s = "", v = "", unit }: FormGroups): Fact | null {
  const subject = resolveSubject(s);
  const isPerson =
    subject === USER ||
    (subject !== null && PERSON_NOUN.test(subject)) ||
    /^\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)?$/u.test(s);
  if (unit === undefined && !isPerson) return null;
  return makeFact(subject, "age", /month|week/.test(unit ?? "") ? `${v}${unit}` : v);
}

function toLifeStatus({ s = "", v = "", who }: FormGroups): Fact | null {
  if (/^(?:in|on|last|at|this) /i.test(who ?? "")) return toLifeStatus({ s, v });
  const [, other] = /^(\p{Lu}[\p{L}'-]+) and I$/u.exec(s) ?? /^I and (\p{Lu}[\p{L}'-]+)$/u.exec(s) ?? [];
  const [, first, second] = /^(\p{Lu}[\p{L}'-]+) and (\p{Lu}[\p{L}'-]{2,})$/u.exec(s) ?? [];
  if (first !== undefined && second !== undefined && who === undefined)
    return toLifeStatus({ s: first, v, who: second });
  const named = (who?.replace(/^someone (?:named|called) /i, "") ?? other)
    ?.replace(CHANGE_TAIL, "")
    .replace(/ (?:on|last|in) .*$/, "");
  const name = named === undefined ? "" : parseValue("person", named);
  const status = v
    .toLowerCase()
    .replace(/^(?:remarried|wed)$/, "married")
    .replace(/^unmarried$|^a bachelor$/, "single")
    .replace(/^(?:broke up|split up|broken up)$/, "separated")
    .replace(/^seeing$/, "dating")
    .replace(/^an? widow(?:er)?$/, "widowed");
  const subject = other === undefined ? resolveSubject(s) : USER;
  return name === null
    ? null
    : makeFact(subject, "marital_status", name === "" ? status : `${status} to ${name}`);
}

function toContact({ s = "me", v = "" }: FormGroups): Fact | null {
  const subject = resolveSubject(s);
  if (parseValue("email", v) !== null) return makeFact(subject, "email", v);
  return parseValue("phone", v) === null ? null : makeFact(subject, "phone", v);
}

/** "Prefers tea over coffee": the pair is the topic, the first of it the value. */
function toChoice({ s = "", v = "", other = "" }: FormGroups): Fact | null {
  const [one, two] = [toAttributeWords(v), toAttributeWords(other)];
  return one === null || two === null
    ? null
    : makeFact(resolveSubject(s), `preference_${[one, two].sort().join("_or_")}`, v);
}

/** "Prefers dark mode": one of options that exclude each other. */
function toOption({ s = "user", v = "" }: FormGroups): Fact | null {
  const option = v.toLowerCase().replace(/^(?:the |an? )/, "");
  for (const [attribute, pattern] of EXCLUSIVE_OPTIONS) {
    const [, value] = pattern.exec(option) ?? [];
    if (value !== undefined) return makeFact(resolveSubject(s), attribute, value);
  }
  return null;
}

function toReplyLanguage({ s = "user", v = "" }: FormGroups): Fact | null {
  return LANGUAGE.test(v) ? makeFact(resolveSubject(s), "reply_language", v) : null;
}

const AGE =
  "(?<v>\\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\\w+)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\\w+teen)";
const DIET =
  "(?<v>vegetarian|vegan|pescatarian|pescetarian|flexitarian|omnivorous|omnivore|carnivore|keto|paleo|gluten-free|dairy-free|lactose-free|sugar-free|low-carb|halal|kosher|plant-based|meat-eater)";
const SCHOOL =
  /\b(?:university|college|school|institute|academy|high|mit|eth|kth|ucl|lse|nyu|ucla|tu|stanford|harvard|oxford|cambridge|yale|princeton)\b/i;

export const LIFE_FORMS: readonly SentenceForm[] = [
  // Where someone lives.
  defineForm(
    `${S} (?:lives?|resides?|dwells?)(?: (?:with [^,]{1,40}?|alone|by (?:my|him|her|them)self|on (?:my|his|her|their) own|together))? in ${V}`,
    toResidence,
  ),
  defineForm(
    `${S} (?:has|have) (?:lived|been living|been based) in (?<v>.{1,60}?)(?: (?:for|since) .{1,40})?`,
    toResidence,
  ),
  defineForm(
    `${S} ${BE} (?:living|based|located|headquartered|residing|settled|(?:an? )?resident)(?: with [^,]{1,40}?)? (?:in|out of|of) ${V}`,
    toResidence,
  ),
  defineForm(
    `${S} rents? (?:an? )?(?:[\\p{L}-]+ )?(?:flat|studio|house|apartment|room|place) in ${V}`,
    toResidence,
  ),
  defineForm(
    `${S} (?:calls?|made|has made|have made) (?<v>[^,]{1,40}?) (?:my |her |his |their |our )?(?:new )?home`,
    toResidence,
  ),
  defineForm(`home (?:for (?<s>me|us) )?is (?:in )?${V}`, ({ s = "me", v = "" }) => toResidence({ s, v })),
  defineForm(
    `(?<s>my|our|[^,]{1,40}?'s) (?:new )?(?:home|house|flat|apartment|place|family home) is in ${V}`,
    ({ s = "", v = "" }) =>
      toResidence({ s: s.replace(/^my$/i, "I").replace(/^our$/i, "we").replace(/'s$/, ""), v }),
  ),
  defineForm(
    `${S}${HAVE}(?: been| was| were)? (?:moved|relocated|returned|gone back|went back|settled|settled down|resettled|emigrated|moved in with [^,]{1,30}?|bought a (?:house|flat|home) and moved|packed up and moved)(?: (?:back|over|house|down|up|away|permanently|offices|out))?(?: from [^,]{1,40}?)? (?:to|in|into) ${V}`,
    toMove,
  ),
  defineForm(`${S} (?:lives?|resides?) at (?<v>.{5,80})`, ({ s = "", v = "" }) =>
    parseValue("url", v) === null
      ? stateAttribute("address", "address")({ s, v })
      : stateAttribute("url", "url")({ s, v }),
  ),
  defineForm(`${S} (?:lives?|${BE}|${BE} located) (?:on|at|in) ${V}`, toStreet),
  defineForm(`${S} (?:is|are) (?:located |based )?in ${V}`, ({ s = "", v = "" }) => {
    const subject = resolveSubject(s);
    return subject !== null && BUILDING.test(subject)
      ? makeFact(subject, "residence", parsePlace(v, false))
      : null;
  }),
  // Whom someone works for, and as what.
  defineForm(
    `${S} (?:works?|${BE} working|${BE} employed|${BE} hired|${HAVE} (?:been )?(?:hired|started|started working|begun working))(?: full-time| part-time)? as ${V}`,
    toStatedJobTitle,
  ),
  defineForm(
    `(?:they|[\\p{L}]+)(?: have| has)? (?:hired|promoted|appointed|made) (?<s>me|us)(?: as| to)? ${V}`,
    toStatedJobTitle,
  ),
  defineForm(
    `${S} (?:works?|${BE} working|${BE} employed|has been working|have been working|teach|teaches|practi[sc]es?|${BE} teaching) (?:at|for|by|with) ${V}`,
    toEmployer,
  ),
  defineForm(
    `${S}${HAVE} (?:joined|rejoined|accepted an offer from|signed with|been hired by|gone to work for|went to work for|transferred to|been recruited by) ${V}`,
    (groups) => {
      const [, team] = /^(?:the )?(.{2,40}) team$/i.exec(groups.v ?? "") ?? [];
      return team === undefined ? toEmployer(groups) : makeFact(resolveSubject(groups.s ?? ""), "team", team);
    },
  ),
  defineForm(`${S} (?:was|were|got) (?:hired|recruited) by ${V}`, toEmployer),
  defineForm(
    `${S}${HAVE} (?:started|begun|began)(?: (?:work|working|a new job|a job|a new role|a new position|out))?(?: at| for| with) ${V}`,
    toEmployer,
  ),
  defineForm(
    `${S}${HAVE}(?: (?:took|taken|got|gotten|landed|accepted|found|started|begun|began|has|have))? (?:up )?(?:an? |the )(?:new )?(?:job|position|role|gig|post)(?: offer)? (?:at|with|from) ${V}`,
    toEmployer,
  ),
  defineForm(
    `${S}${HAVE} (?:changed|switched) (?:jobs|employers|companies)(?: and)?(?: moved| went)? (?:to|from [^,]{1,40}? to) ${V}`,
    toNamedEmployer,
  ),
  defineForm(
    `${S}${HAVE} (?:left|quit) [^,]{1,40}? (?:for|to join|to work at|to work for|and joined|and started at|and moved to|and went to|and is with|and am with|and is at|and am at) ${V}`,
    toNamedEmployer,
  ),
  defineForm(`${S} (?:${BE}|has been|have been) (?:with|at|over at) ${V}`, ({ s = "", v = "" }) =>
    /^(?:i|my |\p{Lu})/u.test(s) && !isKnownPlace(v) && !STREET.test(v) ? toNamedEmployer({ s, v }) : null,
  ),
  defineForm(
    `${S} (?:is|am|are) (?:on|in|part of|a member of) the (?<v>.{2,40}) team`,
    stateAttribute("team", "text"),
  ),
  defineForm(
    `${S}(?: (?:has|have) been| was| were| got|${HAVE} gotten) (?:promoted|appointed|made|elected|named) (?:to |as )?${V}`,
    toStatedJobTitle,
  ),
  defineForm(
    `${S}${HAVE} (?:taken|took|accepted|started|got|landed|begun|began) (?:an?|the) (?:[\\p{L}-]+ )?(?:job|position|role|post|gig) as ${V}`,
    toStatedJobTitle,
  ),
  defineForm(
    `${S}(?: ${BE}|${HAVE}) (?<v>retired|unemployed|self-employed|out of work|between jobs)`,
    ({ s = "", v = "" }) => {
      const subject = resolveSubject(s);
      const isPerson =
        subject !== null && (!isThing(subject) || PERSON_NOUN.test(subject) || /^\p{Lu}\p{Ll}+$/u.test(s));
      return isPerson ? makeFact(subject, "job_title", v) : null;
    },
  ),
  defineForm(`${S}${HAVE} (?:became|become|qualified as|retrained as) ${V}`, toJobTitle),
  defineForm(`${S} ${BE} (?<v>(?:an? |the )?(?!on\\b|in\\b|at\\b|\\d).{2,60})`, toJobTitle),
  defineForm(`${S} (?:reports?|answers?|${BE} reporting) to ${V}`, stateAttribute("manager", "person")),
  defineForm(`${S} (?:${BE} managed|${BE} supervised) by ${V}`, ({ s = "", v = "" }) => {
    const subject = resolveSubject(s);
    return subject === null || (isThing(subject) && !/^\p{Lu}/u.test(s))
      ? null
      : makeFact(subject, "manager", parseValue("person", v));
  }),
  defineForm(
    "(?<v>[^,]{1,40}?) (?:manages|supervises|is managing) (?<s>me)",
    stateAttribute("manager", "person"),
  ),
  defineForm(
    `${S} (?:goes|go|studies|study|${BE} studying|${BE} enrolled|${BE} a student|attends?)(?: to| at)?(?: at)? (?<v>.{2,50})`,
    ({ s = "", v = "" }) =>
      SCHOOL.test(v) && /\p{Lu}/u.test(v)
        ? makeFact(resolveSubject(s), "school", parseValue("name", v))
        : null,
  ),
  defineForm(`${S} (?:${BE} majoring|majors?) in ${V}`, stateAttribute("major", "text")),
  defineForm(
    `${S} (?:is |am )?(?:in|starts|started|going into) (?<v>(?:the )?(?:\\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth) grade)`,
    stateAttribute("grade", "text"),
  ),
  defineForm(`${S} banks? with ${V}`, stateAttribute("bank", "name")),
  defineForm(`${S} drives? an? ${V}`, ({ s = "", v = "" }) =>
    /^(?:lot|bit|little|bus|taxi|truck|tram|train|hard bargain)\b/i.test(v)
      ? null
      : makeFact(resolveSubject(s), "car", parseValue("name", v)),
  ),
  defineForm(
    `${S} (?:commutes?|gets? to work|go(?:es)? to work|travels? to work)(?: by| on) ${V}`,
    stateAttribute("commute_mode", "name"),
  ),
  defineForm(`${S} (?:gets? up|wakes? up|rises?) at ${V}`, stateAttribute("wake_time", "text")),
  defineForm(`${S} (?:go(?:es)? to bed|go(?:es)? to sleep) at ${V}`, stateAttribute("bedtime", "text")),
  defineForm(`${S} sits? (?:in|at|next to|opposite|by) ${V}`, stateAttribute("seat", "name")),
  defineForm(`${S} plays? for (?<v>(?:the )?[^,]{2,40})`, ({ s = "", v = "" }) =>
    /^(?:the )?\p{Lu}/u.test(v) ? makeFact(resolveSubject(s), "plays_for", parseValue("name", v)) : null,
  ),
  defineForm(`${S} works? under ${V}`, stateAttribute("manager", "person")),
  defineForm(
    `${S}(?: ${BE}| works?| ${BE} working|${HAVE} (?:moved|switched|transferred|gone|changed))(?: over)? (?:in|to|into) (?<v>.{2,30})`,
    ({ s = "", v = "" }) =>
      DEPARTMENT.test(v) && !/^(?:the|our) /i.test(s)
        ? makeFact(resolveSubject(s), "department", v.replace(/^the /i, ""))
        : null,
  ),
  // Names.
  defineForm(`${S} ${BE} code-?named ${V}`, stateAttribute("codename", "name")),
  defineForm(
    `${S} (?:${BE}(?: being)? called|${BE} named|${BE} known as|operates? under|operates? as|trades? as|trades? under|does business as)(?: the name(?: of)?)? ${V}`,
    toNamed,
  ),
  defineForm(`${S} (?:goes|go) by(?: the name(?: of)?)? ${V}`, (groups) =>
    /^\p{Lu}/u.test(groups.v ?? "") ? toNamed(groups) : null,
  ),
  defineForm(
    `(?:we|i|the team|they|the company|[\\p{L}]+)${HAVE} (?:renamed|rebranded|retitled|rechristened) ${S}(?: from [^,]{1,40}?)? (?:to|as) ${V}`,
    toNamed,
  ),
  defineForm(
    `${S}${HAVE}(?: been| was| were| is)? (?:renamed|rebranded|retitled|rechristened)(?: itself| themselves)?(?: from [^,]{1,40}?)? (?:to |as )?${V}`,
    toNamed,
  ),
  defineForm(`(?:please )?(?:always )?(?:call|address) me (?:as )?(?<v>[\\p{L}'-]+)`, ({ v = "" }) =>
    /^\p{Lu}/u.test(v) ? makeFact(USER, "preferred_name", v) : null,
  ),
  defineForm(`${S} (?:prefers?|likes?) to be called ${V}`, stateAttribute("preferred_name", "person")),
  // How to reach and answer someone.
  defineForm(
    `(?:please )?(?:you can |you may |it is best to )?(?:write(?: to)?|mail|whatsapp|reach|call|contact|e-?mail|phone|text|message|ring|send (?:e-?mails?|mail) to)(?: to)? (?<s>me|us|\\p{L}+) (?:at|on|under|via|with) ${V}`,
    toContact,
  ),
  defineForm(
    `${S} (?:can|may) be (?:reached|contacted|called|e-?mailed) (?:at|on|under|via|by calling) ${V}`,
    toContact,
  ),
  defineForm(`${S} (?:${BE} (?:reachable|available)|uses?) (?:at|on|under|via)? ?${V}`, toContact),
  defineForm(`${S} (?:go|goes|are sent|is sent) to (?<v>\\S+@\\S+)`, stateAttribute("email", "email")),
  defineForm(
    "(?:please )?(?:always )?(?:answer|reply|respond|write|talk|speak|communicate)(?: to| with)?(?: me)?(?: in)? (?<v>\\p{L}+)(?: with me| to me)?",
    toReplyLanguage,
  ),
  defineForm(
    `${S} (?:prefers?|speaks?|writes?)(?: to you)?(?: (?:answers|replies|responses|messages|conversations|to (?:speak|talk|communicate|chat|be answered|be addressed|write)))? in (?<v>\\p{L}+)`,
    toReplyLanguage,
  ),
  defineForm(
    `${S} (?:prefers?|likes?) to be (?:contacted|reached|notified) (?:by|via|over|through|on) ${V}`,
    stateAttribute("contact_method", "name"),
  ),
  // Preferences between alternatives.
  defineForm(`${S} prefers? (?<v>[^,]{2,40}?) (?:over|to|than) (?<other>[^,]{2,40})`, toChoice),
  defineForm(
    `${S} (?:prefers?|likes? to use|uses?|${HAVE} switched to|${HAVE} gone back to|${HAVE} went back to|wants?) (?<v>[\\p{L}\\d -]{2,30})`,
    toOption,
  ),
  defineForm("(?:please )?(?:always )?(?:use|give me|show me|display) (?<v>[\\p{L}\\d -]{2,30})", toOption),
  // The body, age and family.
  defineForm(
    `${S}(?: ${BE}|${HAVE} (?:just )?turned) ${AGE}(?<unit> years? old| years of age| months? old| weeks? old)?(?: (?:on|in|last) \\p{L}+)?`,
    toAge,
  ),
  defineForm(
    `${S}${HAVE} (?:celebrated|had) (?:my|his|her|their|its) (?<v>\\d{1,3})(?:st|nd|rd|th) birthday`,
    ({ s = "", v = "" }) => makeFact(resolveSubject(s), "age", v),
  ),
  defineForm(`${S} weighs? ${V}`, stateAttribute("weight", "amount")),
  defineForm(
    `${S} ${BE} (?<v>\\d[\\d.,'"]* ?(?:cm|m|metres|meters|feet|ft|foot)?(?: ?\\d+)?) tall`,
    stateAttribute("height", "amount"),
  ),
  defineForm(
    `${S} wears? (?:an? )?size (?<v>[\\p{L}\\d./]+)(?: (?<n>shoes?|shirts?|trousers|pants|dress(?:es)?|jeans))?`,
    ({ s = "", v = "", n = "clothes" }) =>
      makeFact(resolveSubject(s), `${n.toLowerCase().replace(/(?:e?s)$/, "")}_size`, v),
  ),
  defineForm(
    `${S} wears? (?:an? )(?<v>[XSML]+|extra[- ]large|large|medium|small)`,
    stateAttribute("clothe_size", "text"),
  ),
  defineForm(`${S} (?:was|were) born (?:on|in) ${V}`, ({ s = "", v = "" }) => {
    if (!isDate(v)) return makeFact(resolveSubject(s), "birthplace", parseValue("place", v));
    return makeFact(resolveSubject(s), /^(?:19|20)\d\d$/.test(v) ? "birth_year" : "birthday", v);
  }),
  defineForm(
    `${S}(?: ${BE}|${HAVE}(?: gotten| got| become| been)?) (?:(?:happily|newly|legally) )?${LIFE_STATUS}(?: (?:(?:to|with|from) )?(?<who>.{1,40}))?`,
    toLifeStatus,
  ),
  defineForm(`${S}${HAVE} (?:married|wed) (?<who>.{2,40})`, ({ s, who }) =>
    toLifeStatus({ s, v: "married", who }),
  ),
  defineForm(`${S} (?:has|have) an? (?<relation>fianc[eé]e?|wife|husband)`, ({ s, relation = "" }) =>
    toLifeStatus({ s, v: /^fianc/i.test(relation) ? "engaged" : "married" }),
  ),
  defineForm(`${S} (?:has|have)(?: got)? an? (?:new )?(?:girlfriend|boyfriend|partner)`, ({ s }) =>
    toLifeStatus({ s, v: "in a relationship" }),
  ),
  defineForm(
    `${S}(?:'s)? (?:new )?(?<relation>wife|husband|spouse|fianc[eé]e?|girlfriend|boyfriend|partner)(?: is|'s name is| is called| is named) (?<who>.{2,40})`,
    toPartner,
  ),
  defineForm(
    `${S}(?: ${BE}|${HAVE} (?:went|gone|turned|become|became|switched to being)| ${BE} (?:on|doing|eating)| (?:eats?|does|do)) (?:an? )?(?:strict )?${DIET}`,
    stateAttribute("diet", "text"),
  ),
  defineForm(
    `${S}(?: ${BE} on| ${BE} following| follows?| eats?| keeps? to| sticks? to|${HAVE} (?:switched|changed|moved|gone)(?: from .{1,30}?)? to|${HAVE} started) (?:an? |the )?(?<v>[\\p{L}-]+(?: [\\p{L}-]+)?) diet`,
    ({ s = "", v = "" }) =>
      /^(?:strict|new|healthy|good|bad|special|balanced|different)$/i.test(v)
        ? null
        : makeFact(resolveSubject(s), "diet", v),
  ),
  defineForm(`${S} keeps? (?<v>kosher|halal)`, stateAttribute("diet", "text")),
  defineForm(
    `${S} (?:has|have) been (?:an? )?${DIET}(?: (?:for|since) .{1,30})?`,
    stateAttribute("diet", "text"),
  ),
  defineForm(
    `${S}${HAVE} (?:stopped eating|gave up|given up|cut out) (?<v>meat|animal products)`,
    ({ s = "", v = "" }) => makeFact(resolveSubject(s), "diet", /^meat$/i.test(v) ? "vegetarian" : "vegan"),
  ),
  defineForm(
    `${S}${HAVE} (?:started|gone back to|went back to|begun|resumed) eating (?<v>meat|everything)`,
    stateAttribute("diet", "text"),
  ),
  defineForm(
    `${S} (?:takes?|needs?|${BE}|fits? into) an? size (?<v>[\\p{L}\\d./]+)`,
    stateAttribute("clothe_size", "text"),
  ),
  defineForm(
    `${S} eats? (?<v>everything|meat|halal|kosher|vegan|vegetarian|plant-based|keto|gluten-free|low-carb|fish|only plants)(?: food| meals)?`,
    stateAttribute("diet", "text"),
  ),
  defineForm(
    `${S} ${BE} (?:in|on) (?:the )?(?<v>[\\p{L}/_+\\d:-]+(?: [\\p{L}]+)?) (?:time ?zone|time)`,
    stateAttribute("timezone", "text"),
  ),
];
