// Forms of statements about things: who owns them, where and when they are, how much, how many, and in which state.
import { stem } from "../../language/words/stem";
import { isDate, isTimeOnly, parseValue } from "./fact-values";
import { isTechnology, LANGUAGE, PERSON_NOUN, WORK_STATUS } from "./fact-words";
import { resolveSubject, USER, WE } from "./noun-phrases";
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
  stateAttribute,
  VALUE,
} from "./sentence-rule";

export function toRegion(subject: string, raw: string): Fact | null {
  const isRegion =
    /^(?:the )?(?:[a-z]{2}-[a-z]+(?:-?\d)?|[a-z]+-[a-z]+\d|(?:east|west|north|south|central) ?(?:us|europe)? ?\d?)(?: region)?$/i.test(
      raw,
    );
  return isRegion ? makeFact(subject, "region", raw.replace(/^the | region$/gi, "")) : null;
}

export function toFloor(subject: string, raw: string): Fact | null {
  return /^(?:on )?(?:the )?[\p{L}\d]+ floor$/iu.test(raw)
    ? makeFact(subject, "floor", raw.replace(/^(?:on )?(?:the )?| floor$/gi, ""))
    : null;
}

const EVENT_LINK =
  /^(?:(?:held|scheduled|planned|set|booked|due|slated|fixed|taking place|happening) (?:for|on|at|in)?|on|at|in|for)?(?: |$)/i;
const RECURRENT = /\bevery\b|\beach\b|days\b|\bdaily\b|\bweekly\b/i;

/** A time of day, a date, and a recurring day are different attributes of an event. */
export function toSchedule(s: string, raw: string): Fact | null {
  const text = raw.replace(EVENT_LINK, "").replace(/^the (?=\d)/i, "");
  const subject = resolveSubject(s);
  if (!isDate(text) || subject === null || subject === USER || subject === WE) return null;
  if (/\b(?:deadline|due date)\b/.test(subject) || PERSON_NOUN.test(subject)) return null;
  const isRecurrent = RECURRENT.test(text) && !isTimeOnly(text);
  return makeFact(subject, isTimeOnly(text) ? "time" : isRecurrent ? "recurrence" : "date", text);
}

/** A bare number after "is" may be anything; a time needs "at" or a clock. */
function toEvent({ s = "", v = "", link = "" }: FormGroups): Fact | null {
  const value = link === "every" ? `every ${v}` : v.replace(/^the (?=\d)/i, "");
  if ((/^\d+$/.test(value) && link !== "at") || /^\d+\.\d$/.test(value)) return null;
  return /^(?:19|20)\d\d$/.test(value) ? null : toSchedule(s, value);
}

/** "Trash day is Monday": without a preposition, only a weekday, a month or a whole date counts. */
function toDayOnly({ s = "", v = "" }: FormGroups): Fact | null {
  const isWhole =
    /\b(?:\p{L}{3,6}days?|\d{4}-\d\d-\d\d|week \d+)\b|^(?:the )?\d{1,2}(?:st|nd|rd|th)?(?: of)? \p{L}{3,9}\b|^\p{L}{3,9} \d/iu.test(
      v,
    );
  return isWhole && /^(?:the|our|my) |'s | (?:day|date|night)$/i.test(s) ? toSchedule(s, v) : null;
}

function toHolder(attribute: string): SentenceForm["toFact"] {
  return ({ s = "", v = "" }) => {
    const subject = resolveSubject(s);
    if (subject === null || !isThing(subject)) return null;
    return makeFact(
      subject,
      attribute,
      parseValue("person", v) ??
        (/^(?:the |our )?[\p{L} -]{2,30} team$|^Team \p{Lu}\p{L}+$/iu.test(v) ? v : null),
    );
  };
}

/** "Jun owns the billing service", but not "Jun owns a kayak". */
function toDefiniteHolder(attribute: string): SentenceForm["toFact"] {
  const hold = toHolder(attribute);
  return (groups) => (/^(?:the|our) |'s |^\p{Lu}|ing$/u.test(groups.s ?? "") ? hold(groups) : null);
}

const TRANSIENT =
  /\b(?:hours?|minutes?|seconds?|days|weeks|months|years|questions|problems|issues|meetings|bugs|errors|tasks|ideas|things|options|reasons|points|goals|chances|times|calls|appointments|exams|deadlines|tickets|interviews|messages|emails|items|percent|dollars|euros|pounds|kilos|miles|glasses|cups|beers|coffees|drinks|named|called|from|in|on|with|of|at|for|left|free|more|other|new|old)\b/;
const IRREGULAR_PLURAL = /(?:people|children|staff|men|women|personnel|sheep|fish|mice)$/;

function toCount({ s = "", v = "", n = "" }: FormGroups): Fact | null {
  const noun = n.toLowerCase().replace(/\bkids?\b|\bchild\b/, "children");
  const isCounted = /s$/.test(noun) || IRREGULAR_PLURAL.test(noun) || /^(?:one|1)$/i.test(v);
  const attribute = `count_of_${noun.split(" ").map(stem).join("_")}`;
  return isCounted && !TRANSIENT.test(noun)
    ? makeFact(resolveSubject(s), attribute, parseValue("amount", v))
    : null;
}
const COUNT =
  "(?<v>\\d[\\d.,]*[kKmM]?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|eighteen|twenty|thirty|forty|fifty|sixty|a hundred)";

/** A single capitalised word before these may be a person: "Anna is down". */
const PERSONAL_STATE =
  /^(?:up|down|on|off|active|inactive|open|closed|green|red|done|finished|ready|blocked|online|offline|accepted|rejected|confirmed|approved|available|unavailable|paid|live|broken|working|back|frozen|stuck|late)$/;

function toStatus({ s = "", v = "" }: FormGroups): Fact | null {
  const subject = resolveSubject(s);
  const status = v.toLowerCase().replace(/^(?:back|fully|already|still) (?!in )/, "");
  if (subject === null || subject === USER || subject === WE || PERSON_NOUN.test(subject)) return null;
  const isDefinite = /^(?:the|our|my|this) |\d|^project |'s | |^\p{Ll}/iu.test(s);
  return isDefinite || !PERSONAL_STATE.test(status) ? makeFact(subject, "status", status) : null;
}

/** States that someone brings about: "we have shipped the redesign". */
const BROUGHT_ABOUT =
  "finished|completed|shipped|paid|signed|submitted|merged|closed|fixed|approved|rejected|launched|released|published|deployed|cancelled|canceled|resolved|archived|paused|resumed|renewed|repaired|sold|reopened|delivered|accepted|declined|enabled|disabled|shelved|abandoned|unblocked";
const DATE_LINK = "(?<link>on|at|in|for|every|by)";
const MOVED =
  "(?:moved|pushed|pushed back|pushed out|put back|put off|brought forward|moved up|moved forward|postponed|rescheduled|delayed|shifted|deferred|changed|bumped|slipped|rebooked|re-scheduled|rearranged)";
const AREA = "square (?:metres|meters|feet|miles|kilometres|kilometers)|m2|m²|sqm|sq ?ft|acres|hectares";
const OBJECTS =
  "keys?|spare key|passport|car|wallet|charger|documents|medicine|bike|suitcase|toolbox|first aid kit|ladder|umbrella|remote|router|server";

export const THING_FORMS: readonly SentenceForm[] = [
  // Where something is.
  defineForm(
    `${SUBJECT} (?:is|are|sits?) (?:located )?on (?<v>the [\\p{L}\\d]+ floor)`,
    ({ s = "", v = "" }) => {
      const subject = resolveSubject(s);
      return subject === null ? null : toFloor(subject, v);
    },
  ),
  defineForm(
    `${SUBJECT}(?: (?:is|are|runs?|lives?|is hosted|is deployed|are hosted|are deployed|is stored|are stored|is running|deploys?)|${HAVE}(?: been)? (?:moved|migrated|relocated|failed over)(?: from \\S+)?) (?:in|to) (?<v>(?:the )?\\S+(?: region)?)`,
    ({ s = "", v = "" }) => {
      const subject = resolveSubject(s);
      return subject === null || subject === USER ? null : toRegion(subject, v);
    },
  ),
  defineForm(
    `${SUBJECT}(?: (?:is|are|lives?|live|can be found|is available|are available|is reachable|is live|is hosted|are hosted|is served)(?: at| under| on)?| (?:points?|redirects?|resolves?) to|${HAVE}(?: been)? moved to) (?<v>(?:https?:\\/\\/|www\\.)\\S+|[\\w-]+(?:\\.[\\w-]+)*\\.(?:com|org|net|io|dev|app|de|uk|co|ai|eu|fr|nl|ch|at|info|tech|cloud|sh|test|example|internal|local)(?:\\/\\S*)?)`,
    stateAttribute("url", "url"),
  ),
  defineForm(
    `${SUBJECT} (?:is|are|lives?|can be found|is stored|is kept) (?:at|in|under) (?<v>[~.]?(?:\\/[\\w.-]+)+\\/?|(?:[\\w.-]+\\/)+[\\w.-]*)`,
    stateAttribute("path", "identifier"),
  ),
  defineForm(
    `${SUBJECT}(?: (?:is|are|takes place|is held|meets?)|${HAVE}(?: been)? moved)(?: held)? (?:in|at|to) (?<v>(?:room|building|hall|gate|terminal|lab|lecture hall|meeting room|classroom) [\\p{L}\\d.-]+)`,
    ({ s = "", v = "" }) =>
      makeFact(resolveSubject(s), v.toLowerCase().replace(/ \S+$/, "").replaceAll(" ", "_"), v),
  ),
  defineForm(
    `(?<s>(?:the|my|our) (?:[\\p{L}-]+ )?(?:${OBJECTS})) (?:is|are) (?:kept |stored |parked )?(?<v>(?:in|on|under|behind|at) (?:the|my|our) [\\p{L}]+(?: [\\p{L}]+)?)`,
    ({ s = "", v = "" }) => makeFact(resolveSubject(s), "place", v),
  ),
  // Who holds what.
  defineForm(
    "(?<v>[^,]{1,40}?)(?: has| have)? (?:leads?|heads?|heads up|runs|took over leading|is leading|is heading|now leads) (?<s>(?:the|our) .{2,50}|.{2,40} team)",
    toDefiniteHolder("lead"),
  ),
  defineForm(
    "(?<v>[^,]{1,40}?) (?:leads?|heads?|heads up|is leading|is heading) (?<s>[^,]{2,50})",
    toDefiniteHolder("lead"),
  ),
  defineForm(`${SUBJECT} (?:is|are) (?:led|headed|run) by ${VALUE}`, toDefiniteHolder("lead")),
  defineForm(
    "(?<v>[^,]{1,40}?) (?:owns?|is responsible for|is in charge of|looks after|is the owner of|takes care of|handles) (?<s>(?:the|our) .{2,50}|[\\p{L}-]+(?: [\\p{L}-]+)?)",
    ({ s = "", v = "" }) =>
      /^(?:the|our) |^[a-z-]+(?:ing|ment|tion|roll|ity|ance|s|ment)$/u.test(s)
        ? toHolder("owner")({ s, v })
        : null,
  ),
  defineForm(
    "(?<v>[^,]{1,40}?)(?: has)? (?:taken over|took over|inherited|taken charge of)(?: ownership of| responsibility for| as owner of)? (?<s>(?:the|our) .{2,50}?)(?: from .{1,40})?",
    toDefiniteHolder("owner"),
  ),
  defineForm(
    `${SUBJECT}(?: is| are| has been| was| were) (?:owned|taken over) by ${VALUE}`,
    toDefiniteHolder("owner"),
  ),
  defineForm(
    "(?:[^,]{1,40}?)(?: has| have)? (?:handed|passed|given|gave|transferred|reassigned)(?: over)? (?<s>(?:the|our) [^,]{2,50}?)(?: over| on)? to (?<v>.{1,40})",
    toDefiniteHolder("owner"),
  ),
  defineForm(`${SUBJECT} belongs? to ${VALUE}`, toDefiniteHolder("owner")),
  defineForm(
    `(?:ownership of|responsibility for) ${SUBJECT}(?: has| was| has been| is| lies| now lies)? ?(?:been )?(?:went|gone|passed|moved|transferred|handed(?: over)?|with|shifted)(?: from .{1,40}?)?(?: to)? ${VALUE}`,
    toDefiniteHolder("owner"),
  ),
  defineForm(
    `${SUBJECT}(?: has| have)?(?: been| was| were) (?:handed over|handed|transferred|passed|given)(?: from .{1,40}?)? to ${VALUE}`,
    toDefiniteHolder("owner"),
  ),
  defineForm(
    `${SUBJECT}(?: is| are) (?:maintained|managed|looked after|taken care of) by ${VALUE}`,
    toDefiniteHolder("maintainer"),
  ),
  defineForm(
    "(?<v>[^,]{1,40}?) (?:maintains|manages) (?<s>(?:the|our) .{2,50})",
    toDefiniteHolder("maintainer"),
  ),
  defineForm(
    `${SUBJECT}(?: is| are|${HAVE} been| was| were) (?:assigned|reassigned)(?: from .{1,40}?)? to ${VALUE}`,
    toDefiniteHolder("assignee"),
  ),
  defineForm(
    "(?<v>[^,]{1,40}?) is (?:assigned to|working on) (?<s>(?:ticket|task|issue|bug|story|pr) #?\\S+)",
    toHolder("assignee"),
  ),
  defineForm("(?<v>[^,]{1,40}?) is on[- ]call", ({ v = "" }) =>
    makeFact(WE, "on-call", parseValue("person", v)),
  ),
  // When.
  defineForm(
    `${SUBJECT} (?:is|are|falls?)(?: currently)? due(?: on| by| in| at| for)? ${VALUE}`,
    stateAttribute("deadline", "date"),
  ),
  defineForm(
    `${SUBJECT} (?:(?:has|have) to be|must be) (?:done|finished|submitted|handed in|delivered) by ${VALUE}`,
    stateAttribute("deadline", "date"),
  ),
  defineForm(
    `${SUBJECT} (?:leaves?|departs?|takes off)(?: at| on)? ${VALUE}`,
    stateAttribute("departure", "date"),
  ),
  defineForm(
    `${SUBJECT} (?:arrives?|lands?|gets in)(?: at| on)? ${VALUE}`,
    stateAttribute("arrival", "date"),
  ),
  defineForm(
    `${SUBJECT} (?:ends?|finishes|expires?|runs out|is valid|runs)(?: at| on| in| until) ${VALUE}`,
    stateAttribute("end", "date"),
  ),
  defineForm(`${SUBJECT} opens? (?:at|on|in) ${VALUE}`, stateAttribute("opening", "date")),
  defineForm(`${SUBJECT} closes? (?:at|on) ${VALUE}`, stateAttribute("closing", "date")),
  defineForm(`${SUBJECT} meets? (?:on|at|every) ${VALUE}`, ({ s = "", v = "" }) =>
    isDate(v) ? makeFact(resolveSubject(s), isTimeOnly(v) ? "meeting_time" : "meeting_day", v) : null,
  ),
  defineForm(
    `${SUBJECT} (?:starts?|begins?|takes? place|happens?|kicks off|will be|will be held|will take place|will start|goes live|go live|launches|ships|is held|are held|is scheduled|are scheduled|is planned|are planned|is set|is booked|has been set|has been scheduled|has been booked|is|are|falls) ${DATE_LINK} ${VALUE}`,
    toEvent,
  ),
  defineForm(`${SUBJECT} (?:is|are) ${VALUE}`, toDayOnly),
  defineForm(`${SUBJECT} ${BE} getting married (?:on|in) ${VALUE}`, stateAttribute("wedding_date", "date")),
  defineForm(
    `${SUBJECT}(?: has| have)?(?: been| was| were| got| is| are)?(?: been)? ${MOVED}(?: from [^,]{1,40}?)? (?:to|for) ${VALUE}`,
    ({ s = "", v = "" }) => toSchedule(s, v),
  ),
  defineForm(
    `(?:we|i|they|the team|[\\p{L}]+)(?: have| has)?(?: had to)? ${MOVED} (?<s>(?:the|our|my) [^,]{2,50}?)(?: from [^,]{1,40}?)? (?:to|for) ${VALUE}`,
    ({ s = "", v = "" }) => toSchedule(s, v),
  ),
  defineForm(
    `${SUBJECT}(?: has| have)?(?: been| was| were| got)? (?:extended|prolonged|renewed)(?: from [^,]{1,40}?)? (?:to|through|till) ${VALUE}`,
    stateAttribute("end", "date"),
  ),
  // How much, how many.
  defineForm(
    `(?:a |an |the |our |my )?${SUBJECT}${HAVE} (?:costs|(?<=s )cost|is priced at|goes for|sells for|retails for|gone up to|went up to) ${VALUE}`,
    stateAttribute("price", "amount"),
  ),
  defineForm(`${SUBJECT} (?:earns?|makes?) (?<v>[$€£]?\\d.{1,40})`, stateAttribute("salary", "amount")),
  defineForm(`${SUBJECT} charges? (?<v>[$€£]?\\d.{1,40})`, stateAttribute("rate", "amount")),
  defineForm(
    `${SUBJECT} pays? (?<v>[$€£]?\\d.{0,30}?) (?:(?:for|in) )?rent`,
    stateAttribute("rent", "amount"),
  ),
  defineForm(`${SUBJECT} retr(?:y|ies) (?<v>\\S+) times`, stateAttribute("retries", "amount")),
  defineForm(
    `${SUBJECT} (?:has|have|comes with) (?<v>\\d[\\d.,]* ?[KMGT]i?B) (?:of )?(?<n>ram|memory|storage|disk|disk space|swap)`,
    ({ s = "", v = "", n = "" }) =>
      makeFact(resolveSubject(s), n.toLowerCase().replace("ram", "memory").replaceAll(" ", "_"), v),
  ),
  defineForm(
    `${SUBJECT}(?: ${BE}| weighs?| weigh|${HAVE}(?: grown| grew| shrunk| shrank| gone down| went down| gone up| went up))(?: down| up)?(?: to| in at)? (?<v>\\d[\\d.,]* ?(?:[KMGT]i?B|kilobytes|megabytes|gigabytes|terabytes))(?: in size| large| big)?`,
    stateAttribute("size", "amount"),
  ),
  defineForm(
    `${SUBJECT} (?:is|are|has|measures|covers) (?<v>\\d[\\d.,]* ?(?:${AREA}))(?: large| big| in size)?`,
    stateAttribute("area", "amount"),
  ),
  defineForm(
    `${SUBJECT} (?:is|are|takes) (?<v>\\d[\\d.,]* ?[\\p{L}]{1,12}) (?<n>long|wide|high|deep|thick|away)`,
    ({ s = "", v = "", n = "" }) => makeFact(resolveSubject(s), n, parseValue("amount", v)),
  ),
  defineForm(
    `${SUBJECT}(?: (?:has|have)(?: grown to| shrunk to| reached| got)?| grew to| shrank to| employs?| counts?| owns?| consists? of| comprises| covers?| contains?| includes?| runs?| hosts?| ${BE} (?:down to|up to)) ${COUNT} (?<n>[\\p{L}-]+(?: [\\p{L}-]+){0,2}?)(?: of code| enrolled| in total| on board)?`,
    toCount,
  ),
  defineForm(
    `${SUBJECT} (?:${BE}|${HAVE} (?:become|grown to|grown into|shrunk to)) an? (?<n>team|company|family|group|band|crew|household|squad|startup) of ${COUNT}(?: people| members)?`,
    ({ s = "", v = "", n = "" }) => makeFact(resolveSubject(s), `${n.toLowerCase()}_size`, v),
  ),
  defineForm(`there are ${COUNT} (?<n>[\\p{L}-]+(?: [\\p{L}-]+)?) (?:in|on|at) ${SUBJECT}`, toCount),
  defineForm(
    `the number of (?<n>[\\p{L}-]+(?: [\\p{L}-]+)?)(?: (?:in|of|on|at) ${SUBJECT})?(?: is|${HAVE} (?:been )?(?:grown|risen|increased|changed|set|raised|gone up|went up|rose|reduced) to) ${COUNT}`,
    ({ s = "we", v, n }) => toCount({ s, v, n }),
  ),
  defineForm(`${SUBJECT} ${BE} ${COUNT} (?<n>people)(?: in .{1,40})?`, toCount),
  defineForm(`(?<n>[\\p{L}]+) is done by (?<v>[^,]{1,40})`, ({ n = "", v = "" }) =>
    isTechnology(v) ? null : toHolder("owner")({ s: n, v }),
  ),
  defineForm(`${SUBJECT} (?:is|are)(?: written| available)? in (?<v>\\p{L}+)`, ({ s = "", v = "" }) => {
    const subject = resolveSubject(s);
    return subject !== null && isThing(subject) && LANGUAGE.test(v) ? makeFact(subject, "language", v) : null;
  }),
  // In which state.
  defineForm(
    `(?:i|we|they|the team|[\\p{L}]+)${HAVE} (?<v>${BROUGHT_ABOUT}) (?<s>(?:the|our|my) [^,]{2,50})`,
    toStatus,
  ),
  defineForm(
    `${SUBJECT} (?:is|are|${HAVE} (?:entered|reached|moved (?:in)?to)) (?:in |on )?the (?<v>[\\p{L}-]+(?: [\\p{L}-]+)?) (?:phase|stage)`,
    stateAttribute("phase", "text"),
  ),
  defineForm(
    `${SUBJECT}(?: ${BE}| (?:has|have)(?: been| gone| come| got)?| was| were| (?:went|goes|got|came))? ${WORK_STATUS}(?: for .{1,30})?`,
    toStatus,
  ),
];
