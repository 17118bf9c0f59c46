// The sentence forms of single-valued statements about people and things: where someone lives, what a team uses for a
// purpose, when something happens. Each form gives subject, attribute and value, or null.

import { isDate, isTimeOnly, parseValue } from "./fact-values";
import {
  DEPARTMENT,
  isJobTitle,
  isKnownPlace,
  isOrganisation,
  isTechnology,
  LANGUAGE,
  LIFE_STATUS,
  WORK_STATUS,
} from "./fact-words";
import { resolveSubject, toAttributeWords, USER, WE } from "./noun-phrases";

export type Fact = { subject: string; attribute: string; value: string };
type Groups = Readonly<Record<string, string | undefined>>;
type FactForm = { pattern: RegExp; toFact: (groups: Groups) => Fact | null };

const S = "(?<s>[^,;:]{1,70}?)";
const V = "(?<v>.{1,100})";
const HAVE = "(?: has| have)?";
const BE = "(?:am|is|are)";
/** The date and the reason of a move or a new job. */
const CHANGE_TAIL =
  /,? (?:(?:in|on|this|early|late) (?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|for (?:work|(?:a|her|his|my|their) (?:new )?(?:job|role)|love|family reasons|school|university)|with (?:my|his|her|their|our) .{1,30}|to (?:be|live|work|join|study) .{1,40}|and (?:i |we |she |he |they )?(?:start|started|love|loves|am|is|are) .{1,40})$/i;

export function matchForms(clause: string): Fact | null {
  for (const { pattern, toFact } of FORMS) {
    const groups = pattern.exec(clause)?.groups;
    const fact = groups === undefined ? null : toFact(groups);
    if (fact !== null) return fact;
  }
  return null;
}

function defineForm(pattern: string, toFact: FactForm["toFact"]): FactForm {
  return { pattern: new RegExp(`^${pattern}$`, "iu"), toFact };
}

function makeFact(subject: string | null, attribute: string | null, value: string | null): Fact | null {
  return subject === null || attribute === null || value === null ? null : { subject, attribute, value };
}

const isThing = (subject: string) => subject !== USER && subject !== WE && !/^user's /.test(subject);

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
const NO_PLACE =
  /^(?:an?|the|my|his|her|their|our|fear|peace|sin|poverty|luxury|exile|denial|harmony|town|dorms?|halls|caves?|houses?|flats?|tents?|hope|constant|extreme|different|separate|same|cities|rural|urban|student|shared|social)\b/;

function toResidence({ s = "", v = "" }: Groups): Fact | null {
  return makeFact(resolveSubject(s), "residence", parsePlace(v, true));
}

/** "Moved to" takes a place, a plan, a date, a team or a platform; an unknown name is a place only for a person. */
function toMove({ s = "", v = "" }: Groups): Fact | null {
  const subject = resolveSubject(s);
  if (subject === null) return null;
  const to = v.replace(/^.{1,40}? to (?=\S)/, (from) => (/^from /.test(from) ? "" : from));
  return (
    toPlan({ s, v: to }) ??
    toSchedule(s, to) ??
    toRegion(subject, to) ??
    (OFFICE_SUBJECT.test(subject) || !isThing(subject) || !PLATFORM_SUBJECT.test(subject)
      ? subject === WE &&
        !isKnownPlace(to.replace(CHANGE_TAIL, "")) &&
        !/^\p{Lu}\p{Ll}+(?:, \p{Lu}|$)/u.test(to)
        ? null
        : (toFloor(subject, to) ?? makeFact(subject, "residence", parsePlace(to, false)))
      : makeFact(subject, "platform", parseTool(to)))
  );
}
const OFFICE_SUBJECT = /\b(?:office|headquarters|hq|shop|store|studio|warehouse|clinic|lab|practice|branch)$/;
const PLATFORM_SUBJECT =
  /\b(?:ci|cd|backend|frontend|app|application|site|website|blog|docs|documentation|database|db|api|service|server|pipeline|builds?|hosting|monitoring|wiki|repo|repository|codebase|code|monorepo|logs|logging|queue|cache|search|store|payments|billing|auth|authentication|email|emails|tests|infrastructure|infra|deployment|deployments|project|system|platform|bot|worker|workers|data|analytics)$/;

function toRegion(subject: string, raw: string): Fact | null {
  return /^(?:the )?(?:[a-z]{2}-[a-z]+(?:-?\d)?|[a-z]+-[a-z]+\d|(?:east|west|north|south|central)(?: ?us| ?europe)? ?\d?)(?: region)?$/i.test(
    raw,
  )
    ? makeFact(subject, "region", raw.replace(/^the | region$/gi, ""))
    : null;
}

function toFloor(subject: string, raw: string): Fact | null {
  return /^(?:on )?(?:the )?[\p{L}\d]+ floor$/iu.test(raw)
    ? makeFact(subject, "floor", raw.replace(/^(?:on )?(?:the )?| floor$/gi, ""))
    : null;
}

/** A tool, product or language: a name, or one word that is no description. */
function parseTool(raw: string): string | null {
  const tool = parseValue("name", raw.replace(/^(?:the|an?|our) (?=\S)/i, ""));
  if (tool === null || tool.split(" ").length > 5) return null;
  return /\p{Lu}|\d|[.]/u.test(tool) || isTechnology(tool) || /^[\p{L}\d+#-]+$/u.test(tool) ? tool : null;
}

const EMPLOYER_TAIL =
  /,? (?:as (?:an?|the|their|its|our) .{1,60}|in (?:sales|marketing|finance|hr|engineering|the .{1,40}(?:team|department))|in \p{Lu}[\p{L}-]+)$/iu;

function toEmployer({ s = "", v = "" }: Groups): Fact | null {
  const text = v
    .replace(CHANGE_TAIL, "")
    .replace(EMPLOYER_TAIL, "")
    .replace(/^(?:an?|the) (?:[\p{L}-]+ ){1,3}(?:called|named) /iu, "");
  const isSelf =
    /^(?:(?:my|her|him|them|our|your)sel(?:f|ves)|(?:my|his|her|their) own (?:company|business|startup))$/i.test(
      text,
    );
  if (
    /\b(?:19|20)\d\d\b|\bhome\b|^(?:an?|my|his|her|their|our|various|different|several|night|minimum|full|free)\b/i.test(
      text,
    )
  )
    return null;
  const isNamed =
    /^(?:the )?\p{Lu}|^the (?:[\p{L}-]+ ){1,4}[\p{L}-]+$|^the [\p{L}-]+$/u.test(text) ||
    /^\p{Ll}[\p{L}\d.-]+$/u.test(text);
  if (
    !isSelf &&
    (!isNamed ||
      /\b(?:gym|club|band|choir|call|meeting|party|chat|channel|group|team|waitlist|community|church|dots?)\b/i.test(
        text,
      ))
  )
    return null;
  return makeFact(resolveSubject(s), "employer", isSelf ? "self-employed" : parseValue("name", text));
}

function toTeam({ s = "", v = "" }: Groups): Fact | null {
  return makeFact(resolveSubject(s), "team", parseValue("text", v));
}

function toJobTitle({ s = "", v = "" }: Groups): Fact | null {
  const title = v
    .replace(/ (?:at|for|with) .{1,60}$/, "")
    .replace(/^(?:an?|the|our|their|its) (?=\S)/i, "")
    .replace(/^fully[ -]/i, "");
  return isJobTitle(title) ? makeFact(resolveSubject(s), "job_title", parseValue("text", title)) : null;
}

/** Titles in "works as" and "promoted to" need no list. */
function toStatedJobTitle({ s = "", v = "" }: Groups): Fact | null {
  const title = v
    .replace(CHANGE_TAIL, "")
    .replace(/ (?:at|for|with) .{1,60}$/, "")
    .replace(/^(?:an?|the|our|their) (?=\S)/i, "");
  return makeFact(resolveSubject(s), "job_title", parseValue("text", title));
}

function toToolFor({ s = "", v = "", purpose = "" }: Groups): Fact | null {
  const words = toAttributeWords(purpose);
  const subject = resolveSubject(s);
  const tool = parseTool(v);
  return makeFact(subject, words === null ? null : `tool_for_${words}`, tool);
}

/** "We track bugs in Jira": the purpose is the verb with its object. */
function toToolForTask({ s = "", verb = "", object = "", v = "" }: Groups): Fact | null {
  const purpose = [verb, object.replace(/^(?:all )?(?:(?:of )?(?:our|the|my) )?/i, "")]
    .filter(Boolean)
    .join(" ");
  const isNamed = /^\p{Lu}|[.\d]/u.test(v) || isTechnology(v);
  return isNamed && !isDate(v) ? toToolFor({ s, v, purpose }) : null;
}

function toPlan({ s = "", v = "" }: Groups): Fact | null {
  const [, plan] =
    /^(?:the |an? )?([\p{L}\d +-]{2,30}?) (?:plan|tier|subscription|package|membership|licen[cs]e)$/iu.exec(
      v,
    ) ?? [];
  return makeFact(
    resolveSubject(s),
    "plan",
    plan === undefined || /\b(?:next|good|new|better|different|same)\b/i.test(plan) ? null : plan,
  );
}

/** "Node 18": the version belongs to the tool, of the subject unless that is "we". */
function toVersion({ s = "", v = "" }: Groups): Fact | null {
  const [, tool = "", version = "", scope] =
    /^(?:version )?((?:[\p{L}][\p{L}.+#-]* ){0,2}?)(?:version |v(?=\d))?(\d+(?:\.[\dx]+)*(?:-[\w.]+)?(?: LTS| beta| alpha)?)(?: (?:for|in|on) (.{1,40}))?$/iu.exec(
      v,
    ) ?? [];
  const subject = resolveSubject(s);
  if (version === "" || subject === null) return null;
  const name = tool
    .trim()
    .toLowerCase()
    .replace(/^(?:the|version|to|level|page|step|day|port|number|team|room|floor|line|chapter)$/, "");
  if (name === "")
    return tool.trim() === "" && /^(?:version |v\d)/i.test(v) && isThing(subject)
      ? makeFact(subject, "version", version)
      : null;
  if (
    /\b(?:is|at|by|about|over|under|around|nearly|only|port|level|day|page|step|team|room|line|chapter|gate|of|than|in|on|from)\b/.test(
      name,
    )
  )
    return null;
  const scoped = scope === undefined ? "" : toAttributeWords(scope);
  if (scoped === null) return null;
  const attribute =
    subject === WE || subject === USER ? "version" : `version_of_${name.replaceAll(" ", "_")}`;
  const owner = subject === WE ? name : subject === USER ? `user's ${name}` : subject;
  return makeFact(owner, scoped === "" ? attribute : `${attribute}_for_${scoped}`, version);
}

function toCount({ s = "", v = "", n = "" }: Groups): Fact | null {
  const noun = n.toLowerCase();
  const count = parseValue("amount", v);
  return COUNTED.test(noun) && count !== null
    ? makeFact(resolveSubject(s), `count_of_${canonicaliseCounted(noun)}`, count)
    : null;
}
const COUNTED =
  /^(?:(?:paying|active|monthly active|registered|full-time|open|direct|daily) )?(?:children|kids|sons|daughters|siblings|brothers|sisters|grandchildren|cats|dogs|pets|horses|chickens|employees|users|customers|clients|members|people|engineers|developers|staff|seats|replicas|nodes|servers|instances|shards|workers|cores|students|pupils|teams|offices|stores|branches|locations|reports|subscribers|followers|bedrooms|rooms|floors|pages|chapters|players|partitions|regions|environments|microservices|repos|repositories|tenants|residents|vacation days|holiday days|days off|licen[cs]es|cars|bikes|plants)$/;

function canonicaliseCounted(noun: string): string {
  return noun
    .replace(/\bkids\b/, "children")
    .replace(/\bstaff\b/, "employees")
    .replaceAll(" ", "_");
}

const EVENT_TAIL =
  /^(?:(?:held|scheduled|planned|set|booked|due|slated|fixed|taking place|happening) (?:for|on|at|in)?|on|at|in|for)?(?: |$)/i;

function toSchedule(s: string, raw: string): Fact | null {
  const text = raw.replace(EVENT_TAIL, "").replace(/^the (?=\d)/i, "");
  const subject = resolveSubject(s);
  if (
    !isDate(text) ||
    subject === null ||
    subject === USER ||
    subject === WE ||
    /\b(?:deadline|due date)\b/.test(subject)
  )
    return null;
  return makeFact(subject, isTimeOnly(text) ? "time" : "date", text);
}

/** A bare number after "is" may be anything; a time needs "at" or a clock. */
function toEvent({ s = "", v = "", link = "" }: Groups): Fact | null {
  const value = v.replace(/^the (?=\d)/i, "");
  if (/^\d+$/.test(value) && link !== "at" && link !== "@") return null;
  const isYear = /^(?:19|20)\d\d$/.test(value);
  return isYear ? null : toSchedule(s, value);
}

const PERSON_SUBJECT =
  /^user's (?:\p{L}+ )*(?:son|daughter|child|kid|baby|brother|sister|mother|father|mom|mum|dad|wife|husband|partner|girlfriend|boyfriend|dog|cat|grandmother|grandfather|grandma|grandpa|niece|nephew|cousin|uncle|aunt|friend|boss|roommate|flatmate|puppy|kitten|horse|rabbit)(?: \p{L}+)?$/u;

function toAge({ s = "", v = "", unit }: Groups): Fact | null {
  const subject = resolveSubject(s);
  const isPerson =
    subject === USER ||
    (subject !== null && PERSON_SUBJECT.test(subject)) ||
    /^\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)?$/u.test(s);
  return unit === undefined && !isPerson ? null : makeFact(subject, "age", v);
}

function toLifeStatus({ s = "", v = "", who }: Groups): Fact | null {
  const name =
    who === undefined
      ? ""
      : parseValue("person", who.replace(CHANGE_TAIL, "").replace(/ (?:on|last|in) .*$/, ""));
  const status = v.toLowerCase().replace(/^(?:getting|got|gotten) /, "");
  return name === null
    ? null
    : makeFact(resolveSubject(s), "marital_status", name === "" ? status : `${status} to ${name}`);
}

function toContact({ v = "" }: Groups): Fact | null {
  if (parseValue("email", v) !== null) return makeFact(USER, "email", v);
  return parseValue("phone", v) === null ? null : makeFact(USER, "phone", v);
}

function toHolder(attribute: string): FactForm["toFact"] {
  return ({ s = "", v = "" }) => {
    const subject = resolveSubject(s);
    const isDefinite = /^(?:the|our|my) |'s |^\p{Lu}/u.test(s);
    return isDefinite && subject !== null && isThing(subject)
      ? makeFact(subject, attribute, parseValue("person", v))
      : null;
  };
}

function toStatus({ s = "", v = "" }: Groups): Fact | null {
  const subject = resolveSubject(s);
  const isNamed =
    /^(?:the|our|my) |\d|^project |'s /i.test(s) || (subject !== null && PLATFORM_SUBJECT.test(subject));
  if (subject === null || subject === USER || subject === WE || !isNamed || PERSON_SUBJECT.test(subject))
    return null;
  return makeFact(subject, "status", v.toLowerCase().replace(/^(?:back|fully|already|still) /, ""));
}

function fixed(attribute: string, kind: Parameters<typeof parseValue>[0]): FactForm["toFact"] {
  return ({ s = "", v = "" }) => makeFact(resolveSubject(s), attribute, parseValue(kind, v));
}

const AGE =
  "(?<v>\\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\\w+)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\\w+teen)";
const DATE_LINK = "(?<link>on|at|in|for|every|by)";
const DIET =
  "(?<v>vegetarian|vegan|pescatarian|pescetarian|flexitarian|omnivorous|omnivore|carnivore|keto|paleo|gluten-free|halal|kosher|plant-based)";

const FORMS: readonly FactForm[] = [
  // Plans and versions stand first: their verbs take places and tools, too.
  defineForm(
    `${S}${HAVE} (?:(?:am|is|are) on|upgraded to|downgraded to|switched to|moved to|went to|chose|uses?) (?<v>(?:the |an? )?[\\p{L}\\d +-]{2,30} (?:plan|tier|subscription|package))`,
    toPlan,
  ),
  defineForm(
    `${S}${HAVE}(?: (?:am|is|are) (?:on|at|running|using)| (?:uses?|runs?|runs? on|targets?|upgraded to|updated to|migrated to|moved to|switched to|bumped to|requires?|needs?|ships? with)) (?<v>.{1,50})`,
    toVersion,
  ),
  defineForm(
    `${S}${HAVE} (?:been )?(?:upgraded|bumped|updated|moved|migrated) (?:(?:our|the) )?(?<tool>[\\p{L}][\\p{L}.+#-]*(?: [\\p{L}][\\p{L}.+#-]*)?)(?: from (?:\\S+ )?v?\\d[\\d.]*)? to (?:version )?(?<v>v?\\d[\\d.x]*)`,
    ({ s, tool = "", v = "" }) => toVersion({ s, v: `${tool} ${v.replace(/^v/, "")}` }),
  ),
  // Where someone lives.
  defineForm(`${S} (?:lives?|resides?)(?: with [^,]{1,40}?)? in ${V}`, toResidence),
  defineForm(
    `${S} (?:has|have) (?:lived|been living|been based) in (?<v>.{1,60}?)(?: (?:for|since) .{1,40})?`,
    toResidence,
  ),
  defineForm(`${S} ${BE} (?:living|based|headquartered|residing) (?:in|out of) ${V}`, toResidence),
  defineForm(`${S}(?:'s)? home is in ${V}`, toResidence),
  defineForm(
    `${S}${HAVE}(?: been| was| were)? (?:moved|relocated|settled|resettled|migrated|emigrated)(?: (?:back|over|house|down|up|away|permanently|offices))?(?: from [^,]{1,40}?)? (?:to|in|into) ${V}`,
    toMove,
  ),
  defineForm(`${S} (?:lives?|resides?) at (?<v>.{5,80})`, fixed("address", "address")),
  defineForm(`${S} (?:is|are|sits?) (?:located )?on (?<v>the [\\p{L}\\d]+ floor)`, ({ s = "", v = "" }) => {
    const subject = resolveSubject(s);
    return subject === null ? null : toFloor(subject, v);
  }),
  defineForm(
    `${S} (?:is|are|runs?|lives?|is hosted|is deployed|are hosted|are deployed) (?:in|to) (?<v>(?:the )?\\S+(?: region)?)`,
    ({ s = "", v = "" }) => {
      const subject = resolveSubject(s);
      return subject === null ? null : toRegion(subject, v);
    },
  ),
  defineForm(`${S} (?:is|are) (?:located )?in ${V}`, ({ s = "", v = "" }) => {
    const subject = resolveSubject(s);
    return subject !== null && OFFICE_SUBJECT.test(subject)
      ? makeFact(subject, "residence", parsePlace(v, false))
      : null;
  }),
  // Whom someone works for, and as what.
  defineForm(`${S} works? as ${V}`, toStatedJobTitle),
  defineForm(
    `${S} (?:works?|${BE} working|${BE} employed|has been working|have been working) (?:at|for|by|with) ${V}`,
    toEmployer,
  ),
  defineForm(
    `${S}${HAVE} (?:joined|accepted an offer from|signed with|been hired by|(?:was|were) hired by|gone to work for|went to work for) ${V}`,
    (groups) => {
      const [, team] = /^(?:the )?(.{2,40}) team$/i.exec(groups.v ?? "") ?? [];
      return team === undefined ? toEmployer(groups) : toTeam({ ...groups, v: team });
    },
  ),
  defineForm(
    `${S}${HAVE} (?:started|begun|began)(?: (?:work|working|a new job|a job|a new role|a new position))?(?: at| for| with) ${V}`,
    toEmployer,
  ),
  defineForm(
    `${S}${HAVE} (?:took|taken|got|gotten|landed|accepted|found|started|begun|began|has|have) (?:an? )(?:new )?(?:job|position|role|gig|post)(?: offer)? (?:at|with|from) ${V}`,
    toEmployer,
  ),
  defineForm(
    `${S}${HAVE} (?:left|quit) [^,]{1,40}? (?:for|to join|to work at|to work for|and joined|and started at|and moved to|and went to|and is with|and am with|and is at|and am at) ${V}`,
    toEmployer,
  ),
  defineForm(`${S} ${BE} with (?<v>\\p{Lu}[^,]{1,40})`, toEmployer),
  defineForm(`${S} (?:is|am|are) on the (?<v>.{2,40}) team`, toTeam),
  defineForm(
    `${S}${HAVE}(?: been|(?:is|am|was|were|got)| got| was| were)? (?:promoted|appointed|made|named|elected) (?:to |as )?${V}`,
    toStatedJobTitle,
  ),
  defineForm(`${S}${HAVE} (?:became|become) ${V}`, toJobTitle),
  defineForm(`${S} ${BE} (?<v>(?:an? |the )?(?!on\\b|in\\b|at\\b|\\d).{2,60})`, toJobTitle),
  defineForm(`${S} reports? to ${V}`, fixed("manager", "person")),
  defineForm(
    `${S} (?:goes|studies|${BE} studying|${BE} enrolled)(?: to| at)? (?:at )?(?<v>(?:the )?(?:\\p{Lu}.{1,40}|.{0,30}university.{0,30}))`,
    ({ s = "", v = "" }) =>
      /\b(?:university|college|school|institute|academy|mit|eth|kth|ucl|lse|nyu|ucla|tu|stanford|harvard|oxford|cambridge|yale|princeton)\b/i.test(
        v,
      )
        ? makeFact(resolveSubject(s), "school", parseValue("name", v))
        : null,
  ),
  defineForm(`${S} (?:${BE} majoring|majors) in ${V}`, fixed("major", "text")),
  defineForm(`${S} banks with ${V}`, fixed("bank", "name")),
  defineForm(`${S} drives? an? ${V}`, fixed("car", "name")),
  // Names.
  defineForm(`${S} (?:${BE} called|${BE} named|goes by|go by)(?: the name(?: of)?)? ${V}`, toNamed),
  defineForm(
    `${S}${HAVE}(?: been| was| were| is)? (?:renamed|rebranded)(?: itself| themselves)?(?: from [^,]{1,40}?)? (?:to|as) ${V}`,
    toNamed,
  ),
  defineForm(
    `(?:we|i|the team|they|the company)${HAVE} (?:renamed|rebranded) ${S}(?: from [^,]{1,40}?)? (?:to|as) ${V}`,
    toNamed,
  ),
  defineForm(`(?:please )?call me (?<v>\\p{Lu}[\\p{L}'-]+)`, ({ v = "" }) =>
    makeFact(USER, "preferred_name", v),
  ),
  defineForm(`${S} (?:prefers?|wants?|likes?) to be called ${V}`, fixed("preferred_name", "person")),
  // How to reach and answer someone.
  defineForm(
    `(?:please )?(?:you can |you may )?(?:write to|reach|call|contact|e-?mail|phone|text|message|ring)(?: to)? me (?:at|on|under|via) ${V}`,
    toContact,
  ),
  defineForm(
    "(?:please )?(?:always )?(?:answer|reply|respond|write|talk|speak)(?: to)?(?: me)? in (?<v>\\p{L}+)",
    ({ v = "" }) => (LANGUAGE.test(v) ? makeFact(USER, "reply_language", v) : null),
  ),
  defineForm(
    `${S} prefers? (?:answers|replies|responses|messages|to (?:speak|talk|communicate|be answered)) in (?<v>\\p{L}+)`,
    ({ s = "", v = "" }) => (LANGUAGE.test(v) ? makeFact(resolveSubject(s), "reply_language", v) : null),
  ),
  // The body, age and family.
  defineForm(`${S}(?: ${BE}|${HAVE} (?:just )?turned) ${AGE}(?<unit> years old| years of age)?`, toAge),
  defineForm(`${S} weighs? ${V}`, fixed("weight", "amount")),
  defineForm(
    `${S} ${BE} (?<v>\\d[\\d.,'"]* ?(?:cm|m|metres|meters|feet|ft|foot)?(?: ?\\d+)?) tall`,
    fixed("height", "amount"),
  ),
  defineForm(`${S} (?:was|were) born (?:on|in) ${V}`, ({ s = "", v = "" }) =>
    isDate(v)
      ? makeFact(resolveSubject(s), "birthday", v)
      : makeFact(resolveSubject(s), "birthplace", parseValue("place", v)),
  ),
  defineForm(
    `${S}(?: ${BE}|${HAVE}(?: gotten| got| become| been)?) (?:(?:happily|newly|legally) )?${LIFE_STATUS}(?: (?:to|with) (?<who>.{1,40}))?`,
    toLifeStatus,
  ),
  defineForm(`${S}${HAVE} (?:married|wed) (?<who>\\p{Lu}.{1,40})`, ({ s, who }) =>
    toLifeStatus({ s, v: "married", who }),
  ),
  defineForm(
    `${S}(?:'s)? (?<relation>wife|husband|spouse|fianc[eé]e?|girlfriend|boyfriend|partner) (?:is|is called|is named) (?<who>\\p{Lu}.{1,40})`,
    toPartner,
  ),
  defineForm(
    `${S}(?: ${BE}|${HAVE} (?:went|gone|turned|become|became)) (?:an? )?${DIET}`,
    fixed("diet", "text"),
  ),
  defineForm(
    `${S}(?: ${BE} on| follows?| eats| keeps? to|${HAVE} switched to|${HAVE} switched from .{1,30}? to|${HAVE} started) (?:an? |the )(?<v>[\\p{L}-]+(?: [\\p{L}-]+)?) diet`,
    ({ s = "", v = "" }) =>
      /^(?:strict|new|healthy|good|bad|special|balanced)$/i.test(v)
        ? null
        : makeFact(resolveSubject(s), "diet", v),
  ),
  defineForm(
    `${S} eats? (?<v>everything|meat|halal|kosher|vegan|vegetarian|plant-based)`,
    fixed("diet", "text"),
  ),
  // What is used for what.
  defineForm(
    `${S}${HAVE} (?:uses?|use|using|${BE} using|prefers?|switched to|moved to|migrated to|changed to|went with|chose|adopted|rely on|relies on|settled on|standardi[sz]ed on) (?<v>[^,]{1,40}?) (?:for|as (?:our|the|my|its|their|his|her|an?)) (?<purpose>[^,]{1,50})`,
    toToolFor,
  ),
  defineForm(
    `for (?<purpose>[^,]{1,50}?),? ${S}${HAVE} (?:uses?|${BE} using|prefers?|switched to|moved to|migrated to|went with|chose) (?<v>[^,]{1,40})`,
    toToolFor,
  ),
  defineForm(
    `${S}${HAVE} (?:switched|moved|migrated|changed|went|gone)(?: over)? from [^,]{1,40}? to (?<v>[^,]{1,40}?) (?:for|as (?:our|the|my|its)) (?<purpose>[^,]{1,50})`,
    toToolFor,
  ),
  defineForm(
    `${S}${HAVE} (?:switched|moved|migrated|changed|transferred|ported) (?<purpose>(?:our |the |my |all (?:our |of our )?)?[\\p{L}-]+(?: [\\p{L}-]+){0,2}?)(?: over)?(?: from [^,]{1,40}?)? to (?<v>\\p{Lu}[^,]{1,40})`,
    toToolFor,
  ),
  defineForm(
    `${S}${HAVE} (?:replaced|swapped|swapped out|exchanged|dropped|ditched|abandoned) [^,]{1,40}? (?:with|for|by|in favou?r of) (?<v>[^,]{1,40}?) (?:for|as (?:our|the|my|its)) (?<purpose>[^,]{1,50})`,
    toToolFor,
  ),
  defineForm(
    `${S} (?:uses?|${BE} using) (?<v>[^,]{1,40}?) to (?<purpose>[\\p{L}-]+(?: [\\p{L}-]+){0,4})`,
    toToolFor,
  ),
  defineForm(
    `${S} (?<verb>track|store|host|deploy|manage|send|build|monitor|log|keep|publish|process|document|write|test|backup|back up|run|plan|ship|chat|communicate)s?(?<object> (?:our |the |my |all |all our )?[\\p{L}-]+(?: [\\p{L}-]+){0,2}?)? (?:in|with|on|to|through|via|using|by) ${V}`,
    toToolForTask,
  ),
  defineForm(
    `${S}(?: ${BE}| (?:has|have) been| was| were) (?<verb>written|rewritten|built|implemented|coded) (?:in|with) ${V}`,
    ({ s = "", v = "" }) => makeFact(resolveSubject(s), "written_in", parseTool(v)),
  ),
  defineForm(
    `${S}(?: ${BE}| (?:has|have) been) (?<verb>stored|kept|cached|managed|tracked|handled|processed|built|logged|monitored|sent|backed up) (?:in|with|on|by|via|through|using) ${V}`,
    ({ s = "", verb = "", v = "" }) =>
      /^\p{Lu}|\d/u.test(v)
        ? makeFact(resolveSubject(s), `${verb.toLowerCase().replaceAll(" ", "_")}_in`, parseTool(v))
        : null,
  ),
  defineForm(
    `${S} (?:listens? on|runs? on|${BE} on|${BE} running on|uses?|${BE} exposed on|${BE} served on|${BE} available on) port (?<v>\\d{2,5})`,
    fixed("port", "amount"),
  ),
  defineForm(
    `${S}(?: runs? on|${HAVE} ${BE} hosted (?:on|by|at|with)| ${BE} deployed (?:on|to|with)| ${BE} running on| ${BE} powered by| (?:has|have) been (?:migrated|moved|ported) to|${HAVE} switched to) ${V}`,
    ({ s = "", v = "" }) => {
      const subject = resolveSubject(s);
      return subject !== null && isThing(subject) && /^\p{Lu}|^(?:an? )?\p{Lu}|\d/u.test(v)
        ? (toRegion(subject, v) ?? makeFact(subject, "platform", parseTool(v)))
        : null;
    },
  ),
  defineForm(
    `${S} (?:is|are) (?:live |available |reachable |hosted |deployed )?at (?<v>(?:https?:\\/\\/|www\\.)\\S+)`,
    fixed("url", "url"),
  ),
  // Who holds what.
  defineForm(
    "(?<v>\\p{Lu}[^,]{1,40}?)(?: has| have)? (?:leads?|heads?|runs|took over leading) (?<s>(?:the|our) .{2,50}|.{2,40} team)",
    toHolder("lead"),
  ),
  defineForm(`${S} (?:is|are) (?:led|headed) by ${V}`, toHolder("lead")),
  defineForm(
    "(?<v>\\p{Lu}[^,]{1,40}?) (?:owns?|is responsible for|is in charge of|looks after|is the owner of) (?<s>(?:the|our) .{2,50})",
    toHolder("owner"),
  ),
  defineForm(
    "(?<v>\\p{Lu}[^,]{1,40}?)(?: has)? (?:taken over|took over|inherited)(?: ownership of| responsibility for)? (?<s>(?:the|our) .{2,50}?)(?: from .{1,40})?",
    toHolder("owner"),
  ),
  defineForm(`${S}(?: is| are| has been| was) (?:owned|taken over) by ${V}`, toHolder("owner")),
  defineForm(
    `ownership of ${S}(?: has| was| has been| is)? (?:went|gone|passed|moved|transferred|handed(?: over)?|with)(?: from .{1,40}?)?(?: to)? ${V}`,
    toHolder("owner"),
  ),
  defineForm(`${S}(?: is| are) (?:maintained|managed) by ${V}`, toHolder("maintainer")),
  defineForm("(?<v>\\p{Lu}[^,]{1,40}?) maintains (?<s>(?:the|our) .{2,50})", toHolder("maintainer")),
  // When, how much, in which state.
  defineForm(`${S} (?:is|are|falls?) due (?:on|by|in|at) ${V}`, fixed("deadline", "date")),
  defineForm(`${S} (?:leaves?|departs?) (?:at|on) ${V}`, fixed("departure", "date")),
  defineForm(`${S} (?:arrives?|lands?) (?:at|on) ${V}`, fixed("arrival", "date")),
  defineForm(`${S} (?:ends?|finishes|expires?) (?:at|on|in) ${V}`, fixed("end", "date")),
  defineForm(`${S} (?:opens?) (?:at|on) ${V}`, fixed("opening", "date")),
  defineForm(`${S} (?:closes?) (?:at|on) ${V}`, fixed("closing", "date")),
  defineForm(
    `${S} (?:starts?|begins?|takes? place|happens?|will be|is held|are held|is scheduled|are scheduled|is planned|is set|has been set|has been scheduled|is|are) ${DATE_LINK} ${V}`,
    (groups) => toEvent(groups.link === "every" ? { ...groups, v: `every ${groups.v}` } : groups),
  ),
  defineForm(
    `${S}(?: has| have)?(?: been| was| were| got)? (?:moved|pushed|pushed back|pushed out|put back|brought forward|moved up|postponed|rescheduled|delayed|shifted|deferred|changed|bumped)(?: from [^,]{1,40}?)? (?:to|until|for) ${V}`,
    ({ s = "", v = "" }) => toSchedule(s, v),
  ),
  defineForm(`${S} (?:costs?|is priced at|${HAVE} gone up to|went up to) ${V}`, fixed("price", "amount")),
  defineForm(`${S} (?:earns?|makes?) (?<v>[$€£]?\\d.{1,40})`, fixed("salary", "amount")),
  defineForm(`${S} pays? (?<v>[$€£]?\\d.{0,30}?) (?:for|in) rent`, fixed("rent", "amount")),
  defineForm(
    `${S} ${BE} (?:down to |up to |about )?(?<v>\\d[\\d.,]* ?(?:[KMGT]i?B|kilobytes|megabytes|gigabytes|terabytes))`,
    fixed("size", "amount"),
  ),
  defineForm(
    `${S}${HAVE}(?: grown to| grew to| shrunk to| shrank to| employs?| has| have| counts?) (?<v>\\d[\\d.,]*[kKmM]?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty) (?<n>[\\p{L}-]+(?: [\\p{L}-]+){0,2})`,
    toCount,
  ),
  defineForm(
    `there are (?<v>\\d[\\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty) (?<n>[\\p{L}-]+) (?:in|on|at) ${S}`,
    toCount,
  ),
  defineForm(
    `${S}(?: ${BE}| (?:has|have)(?: been)?| was| were| (?:went|gone|goes))? ${WORK_STATUS}`,
    toStatus,
  ),
];

/** Of pets, children and siblings one may have several, each with a name of its own. */
const MANY_NAMED =
  /\b(?:cat|dog|pet|puppy|kitten|horse|rabbit|hamster|bird|parrot|fish|goldfish|son|daughter|child|kid|baby|brother|sister|friend|cousin|uncle|aunt|niece|nephew|colleague|co-worker|coworker|neighbou?r|teacher|student|classmate|roommate|flatmate|grandson|granddaughter|feature|server|band|street|team member|nurse)$/;

function toNamed({ s = "", v = "" }: Groups): Fact | null {
  const subject = resolveSubject(s);
  if (subject === null || MANY_NAMED.test(subject)) return null;
  return makeFact(subject, "name", parseValue("name", v));
}

/** The name of a partner: "my wife is Ana" and "my wife's name is Ana" are one fact. */
function toPartner({ s = "", relation = "", who = "" }: Groups): Fact | null {
  const owner = /^my$/i.test(s.trim()) ? USER : resolveSubject(s);
  const name = parseValue("person", who);
  return owner === null || name === null
    ? null
    : makeFact(`${owner}'s ${relation.toLowerCase()}`, "name", name);
}
