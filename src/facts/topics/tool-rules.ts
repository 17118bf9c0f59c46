// Forms of statements about tools: what is used for a purpose, on which platform, in which version and on which plan.
import { isDate, parseValue } from "./fact-values";
import { isTechnology } from "./fact-words";
import { resolveAttribute, resolveSubject, toAttributeWords, toPossessive, USER, WE } from "./noun-phrases";
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

// The topic of a tool: what it is used for. "We use Sentry for error tracking", "our error tracking is Sentry" and "error
// tracking has moved to Sentry" are one topic; "images are stored in S3" and "we moved images to R2" another.

type ToolTopic = { subject: string; attribute: string };

/** Activities that a team gives to one tool. */
const ACTIVITY =
  /(?:^|[ -])(?:\p{L}+ing|analytics|auth|authentication|authorisation|authorization|payroll|payments?|checkout|chat|e-?mails?|newsletter|delivery|search|ci|cd|ci\/cd|observability|telemetry|deployments?|deploys|builds?|storage|invoices|tickets|notifications|alerts|video calls|calls|meetings|standups|docs|documentation|code reviews?|reviews|backups?|version control|translations?|crm|dns|cdn|helpdesk|support|secrets management|state management|project management|time tracking|sso|single sign-on|feature flags|jobs|background jobs|css|styling|tests|unit tests)$/u;
/** Records that lie in one store. */
const RECORDS =
  /(?:^|[ -])(?:images?|photos|pictures|videos|files|documents|logs|sessions?|secrets|passwords|credentials|backups|data|assets|uploads|events|metrics|embeddings|artifacts|artefacts|notes|contacts|attachments|snapshots|traces|configs?|recordings|receipts|invoices|media)$/;

function isActivity(subject: string): boolean {
  return ACTIVITY.test(subject);
}

/** Resolves the purpose of "uses X for/as <purpose>". */
function resolvePurpose(user: string, purpose: string): ToolTopic | null {
  const subject = resolveSubject(user);
  const words = toAttributeWords(purpose);
  if (subject === null) return null;
  const thing = purpose.replace(/^(?:the|our|my|its|their|his|her|an?) (?=\S)/i, "");
  const noun = resolveAttribute(`${toPossessive(user)} ${thing}`);
  if (noun?.attribute.startsWith("tool_for_")) return noun;
  return words === null ? null : { subject, attribute: `tool_for_${words}` };
}

/** Resolves the subject of "S runs on X" and "S has moved to X". */
function resolveToolTopic(s: string): ToolTopic | null {
  const noun = resolveAttribute(s);
  if (noun?.attribute.startsWith("tool_for_")) return noun;
  const subject = resolveSubject(s);
  if (subject === null || subject === USER || subject === WE) return null;
  if (RECORDS.test(subject)) return { subject, attribute: "stored_with" };
  if (!isActivity(subject)) return { subject, attribute: "platform" };
  const [, owner = WE, activity = subject] = /^(user)'s (.+)$/.exec(subject) ?? [];
  const words = toAttributeWords(activity);
  return words === null ? null : { subject: owner, attribute: `tool_for_${words}` };
}

/** A tool, product or language: a name, or one word that is not a description. */
function parseTool(raw: string): string | null {
  const tool = parseValue("name", raw.replace(/^(?:the|an?|our) (?=\S)/i, ""));
  if (tool === null || tool.split(" ").length > 5) return null;
  return /\p{Lu}|\d|[.]/u.test(tool) || isTechnology(tool) || /^[\p{L}\d+#-]+$/u.test(tool) ? tool : null;
}

function isNamedTool(text: string): boolean {
  return /^(?:an? |the )?\p{Lu}/u.test(text) || /\d/.test(text) || isTechnology(text);
}

export function toPlan({ s = "", v = "" }: FormGroups): Fact | null {
  const [, plan = "new"] =
    /^(?:the |an? )?([\p{L}\d +-]{2,30}?) (?:plan|tier|subscription|package|membership|licen[cs]e)$/iu.exec(
      v,
    ) ?? [];
  const isVague =
    /\b(?:next|good|new|better|different|same|cheap|cheaper|own|data|training|retirement|meal)\b/i.test(plan);
  return isVague ? null : makeFact(resolveSubject(s), "plan", plan);
}

function toToolFor({ s = "", v = "", purpose = "" }: FormGroups): Fact | null {
  const topic = resolvePurpose(s, purpose);
  return topic === null ? null : makeFact(topic.subject, topic.attribute, parseTool(v));
}

/** "We moved team chat to Zulip": what was moved is the topic. */
function toMovedTool({ s = "", v = "", purpose = "" }: FormGroups): Fact | null {
  if (
    !isNamedTool(v) ||
    isDate(v) ||
    /^(?:to|over|from|back|house|down|up|out|away|in|on|here|there)\b/i.test(purpose)
  )
    return null;
  const topic = resolveToolTopic(purpose);
  if (topic === null) return null;
  const isOurs = topic.subject === WE && /^i$/i.test(s);
  return makeFact(isOurs ? USER : topic.subject, topic.attribute, parseTool(v));
}

/** "We track bugs in Jira": the purpose is the verb with its object. Verbs that others may do elsewhere need a known tool. */
function toToolForTask({ s = "", verb = "", object = "", link = "", v = "" }: FormGroups): Fact | null {
  const subject = resolveSubject(s);
  const isDoer =
    subject !== null &&
    (!isThing(subject) || /team|company|department$/.test(subject) || /^(?!The |Our |My )\p{Lu}/u.test(s));
  if (STORE_VERB.test(verb) && object !== "" && isNamedTool(v) && subject === WE)
    return makeFact(resolveSubject(object.trim()), "stored_with", parseTool(v));
  // After "on" and a thing that is read or heard, a name is a device or a service: "reads e-books on a Kobo".
  const isMedium = object !== "" && /^(?:on|via|using)$/i.test(link);
  const isNameEnough = TASK_VERB.test(verb) || /^ (?:our|my) /i.test(object) || isMedium;
  const isAllowed = isNameEnough ? isNamedTool(v) : isTechnology(v);
  const base = verb
    .toLowerCase()
    .replace(/ing$/, "")
    .replace(/^(?:stor|manag|writ|us|cod|brows|communicat|authenticat|releas)$/, "$&e");
  const purpose = [base, object.replace(/^ (?:all )?(?:(?:of )?(?:our|the|my) )?/i, "")]
    .filter(Boolean)
    .join(" ");
  return isDoer && isAllowed && !isDate(v) ? toToolFor({ s, v, purpose }) : null;
}
const STORE_VERB = /^(?:stor|store|keep)(?:s|ing)?$/i;
const TASK_VERB =
  /^(?:track|store|host|deploy|manage|send|build|monitor|log|keep|publish|process|document|write|test|backup|back up|chat|communicate|host|deploy|stor|manag|writ)(?:s|es|ing)?$/i;
const OTHER_VERB =
  "take|do|authenticate|browse|communicate|code|program|edit|design|draw|plan|organi[sz]e|handle|run|search|release|review|schedule|bundle|lint|format|cache|queue|bank|shop|stream|listen|read|draft|share|sync|collaborate|prototype|debug|train|serve|accept|collect|sign|bill|invoice|ticket|version";

/** "Our CI runs on Jenkins" is about the tool for CI, "the app runs on Fly.io" about the app's platform. */
function toPlatform({ s = "", v = "" }: FormGroups): Fact | null {
  const topic = resolveToolTopic(s);
  if (topic === null) return null;
  if (topic.attribute === "platform" && (!isNamedTool(v) || MANY_PLATFORMS.test(v))) return null;
  return makeFact(topic.subject, topic.attribute, parseTool(v));
}
/** An app may run on several of these. */
const MANY_PLATFORMS = /^(?:android|ios|windows|linux|macos|mac|web)\b/i;

/** "Payments are handled by Stripe". */
function toHandledBy({ s = "", verb = "", v = "" }: FormGroups): Fact | null {
  const subject = resolveSubject(s);
  if (subject === null || !isThing(subject) || !isNamedTool(v)) return null;
  if (
    /^(?:handled|processed|managed|done|run|powered|taken care of|dealt with)$/i.test(verb) &&
    isActivity(subject)
  )
    return toPlatform({ s, v });
  const attribute = verb
    .toLowerCase()
    .replace(/^(?:kept|saved|lives?)$/, "stored")
    .replaceAll(" ", "_");
  return makeFact(subject, `${attribute}_with`, parseTool(v));
}

const VERSION =
  /^(?:version )?((?:[\p{L}][\p{L}.+#-]* ){0,2}?)(?:version |v(?=\d))?(\d+(?:\.[\dx]+)*(?:-[\w.]+)?(?: LTS| beta| alpha)?)(?: (?:and|or) (?:up|above|newer|later|higher|greater)|\+)?(?: (?:for|in|on) (.{1,40}))?$/iu;
const NO_TOOL =
  /\b(?:is|at|by|about|over|under|around|nearly|only|port|level|day|page|step|team|room|floor|line|chapter|gate|number|of|than|in|on|from|the|to|up|down|least|most|terminal|platform|unit|phase|stage|iphone|pixel|galaxy|a|an)\b/;

/** "Node 18": the version belongs to the tool, of the subject unless that is "we". */
function toVersion({ s = "", v = "" }: FormGroups): Fact | null {
  const [, tool = "", version = "", scope] = VERSION.exec(v) ?? [];
  const subject = resolveSubject(s);
  if (version === "" || subject === null || (isDate(v) && /\p{L}{3}/u.test(v))) return null;
  const name = tool.trim().toLowerCase();
  if (name === "" || name === "version") {
    const isStated = /^(?:version |v\d)/i.test(v) || /\.\d/.test(version);
    return isStated && isThing(subject) ? makeFact(subject, "version", version) : null;
  }
  const scoped = scope === undefined ? "" : toAttributeWords(scope);
  if (scoped === null || NO_TOOL.test(name)) return null;
  const isShared = subject === WE || subject === USER;
  const attribute = isShared ? "version" : `version_of_${name.replaceAll(" ", "_")}`;
  const owner = subject === WE ? name : subject === USER ? `user's ${name}` : subject;
  return makeFact(owner, scoped === "" ? attribute : `${attribute}_for_${scoped}`, version);
}

function canMoveTo({ s = "", v = "" }: FormGroups): boolean {
  return (
    isTechnology(v) ||
    (isNamedTool(v) && !isDate(v) && resolveToolTopic(s)?.attribute.startsWith("tool_for_") === true)
  );
}

const TIER =
  "free|basic|starter|pro|team|business|enterprise|premium|standard|plus|gold|silver|bronze|platinum|hobby|personal|comfort|paid|trial|student|professional|family|individual";
const SWITCHED = "(?:switched|moved|migrated|changed|went|gone|transferred|ported|transitioned)(?: over)?";
const AS = "(?:for|as (?:our|the|my|its|their|his|her|an?))";

export const TOOL_FORMS: readonly SentenceForm[] = [
  // Plans and versions stand first: their verbs take places and tools, too.
  defineForm(
    `${SUBJECT}${HAVE} (?:${BE} on|(?:been )?(?:upgraded|downgraded|switched|moved|gone|went) to|chose|uses?|has|have|pays? for|subscribes? to|subscribed to|took|taken) (?<v>(?:the |an? )?[\\p{L}\\d +-]{2,30} (?:plan|tier|subscription|package|licen[cs]e))`,
    toPlan,
  ),
  defineForm(
    `${SUBJECT}${HAVE}(?: ${BE} (?:on|at|running|running on|using|pinned to|pinned at|locked to)| (?:reached|tests? against|compiles? with|builds? with|uses?|runs?|runs? on|targets?|requires?|needs?|ships? with)|(?: been| was| were| got)? (?:upgraded|updated|migrated|moved|switched|bumped|downgraded|ported)(?: from (?:\\S+ )?v?\\d[\\d.]*)? to) (?<v>.{1,50})`,
    toVersion,
  ),
  defineForm(`${SUBJECT} supports? (?<v>.{1,40} (?:and|or) (?:up|above|newer|later|higher))`, (groups) => {
    const fact = toVersion(groups);
    return fact === null ? null : { ...fact, attribute: `minimum_${fact.attribute}` };
  }),
  defineForm(`${SUBJECT} is (?<v>\\d+\\.\\d+\\.\\d+)`, ({ s = "", v = "" }) =>
    makeFact(resolveSubject(s), "version", v),
  ),
  defineForm(
    `${SUBJECT}(?: ${BE} on|${HAVE}(?: been)? (?:upgraded|downgraded|switched|moved|gone|went)(?: from (?:the )?[\\p{L}]+)? to| ${BE} subscribed to)(?: the)? (?<v>${TIER})(?: plan| tier| subscription)?`,
    ({ s = "", v = "" }) => makeFact(resolveSubject(s), "plan", v),
  ),
  defineForm(`${SUBJECT} (?:has|have) an? (?<v>${TIER}) account`, ({ s = "", v = "" }) =>
    makeFact(resolveSubject(s), "plan", v),
  ),
  defineForm(
    `${SUBJECT} (?:is|are) (?:the )?(?<v>${TIER})(?: one| package| plan| tier)?`,
    ({ s = "", v = "" }) => {
      const subject = resolveSubject(s);
      return subject !== null &&
        /(?:contract|insurance|account|subscription|membership|cover|support|licen[cs]e|package)$/.test(
          subject,
        )
        ? makeFact(subject, "plan", v)
        : null;
    },
  ),
  defineForm("(?<v>[\\p{L}.+#-]+ v?\\d[\\d.]*) is what (?<s>we|i) (?:use|run)", toVersion),
  defineForm(
    `${SUBJECT}${HAVE} (?:upgraded|bumped|updated|moved|migrated|downgraded) (?:(?:our|the) )?(?<tool>[\\p{L}][\\p{L}.+#-]*(?: [\\p{L}][\\p{L}.+#-]*)?)(?: from (?:\\S+ )?v?\\d[\\d.]*)? to (?:version )?(?<v>v?\\d[\\d.x]*)`,
    ({ s, tool = "", v = "" }) => toVersion({ s, v: `${tool} ${v.replace(/^v/, "")}` }),
  ),
  defineForm(
    `(?<tool>[\\p{L}][\\p{L}.+#-]*)${HAVE}(?: been| was) (?:upgraded|bumped|updated|downgraded) from v?\\d[\\d.]* to v?(?<v>\\d[\\d.x]*)`,
    ({ tool = "", v = "" }) => toVersion({ s: "we", v: `${tool} ${v}` }),
  ),
  // What is used for what.
  defineForm(
    `${SUBJECT}${HAVE} (?:uses?|${BE} using|prefers?|${SWITCHED} to|went with|chose|chosen|picked|adopted|rely on|relies on|settled on|standardi[sz]ed on|started using|work with|works with|go with) (?<v>[^,]{1,40}?) ${AS} (?<purpose>[^,]{1,50})`,
    toToolFor,
  ),
  defineForm(
    `(?:for|as) (?<purpose>[^,]{1,50}?),? (?<s>we|i|our team|the team|the [\\p{L}]+ team|user|the user)${HAVE} (?:uses?|${BE} using|prefers?|${SWITCHED} to|${SWITCHED} from [^,]{1,40}? to|went with|chose|rely on|relies on|started using) (?<v>[^,]{1,40})`,
    toToolFor,
  ),
  defineForm(
    `${SUBJECT}${HAVE} ${SWITCHED} from [^,]{1,40}? to (?<v>[^,]{1,40}?) ${AS} (?<purpose>[^,]{1,50})`,
    toToolFor,
  ),
  defineForm(
    `${SUBJECT}${HAVE} ${SWITCHED} from [^,]{1,40}? to (?<v>[^,]{1,40}?) to (?<purpose>[\\p{L}-]+(?: [\\p{L}-]+){0,4})`,
    toToolFor,
  ),
  defineForm(
    `${SUBJECT}${HAVE} (?:switched|moved|migrated|changed|transferred|ported|shifted) (?<purpose>(?:our |the |my |all (?:our |of our )?)?[\\p{L}-]+(?: [\\p{L}-]+){0,2}?)(?: over)?(?: from [^,]{1,40}?)? to (?<v>[^,]{1,40})`,
    toMovedTool,
  ),
  defineForm(
    `${SUBJECT}${HAVE} (?:replaced|swapped|swapped out|exchanged|dropped|ditched|abandoned|left) [^,]{1,40}? (?:with|for|by|in favou?r of) (?<v>[^,]{1,40}?) ${AS} (?<purpose>[^,]{1,50})`,
    toToolFor,
  ),
  defineForm(
    `${SUBJECT} (?:uses?|${BE} using|${HAVE}switched to using) (?<v>[^,]{1,40}?) to (?<purpose>[\\p{L}-]+(?: [\\p{L}-]+){0,4})`,
    toToolFor,
  ),
  defineForm(
    `(?<v>[^,]{1,40}?) (?:is|has replaced [^,]{1,30}? as) (?:what|the (?:tool|thing|app|service|software)) (?<s>we|i) use (?:for|to) (?<purpose>[^,]{1,50})`,
    toToolFor,
  ),
  defineForm(
    `${SUBJECT} (?:listens? on|runs? on|${BE} on|${BE} running on|uses?|${BE} exposed on|${BE} served on|${BE} available on|${BE} listening on|(?:has|have)? ?(?:been )?moved to|(?:has|have)? ?switched to|binds? to|answers? on|${BE} bound to|${BE} reachable on) (?:tcp |http )?port (?<v>\\d{2,5})`,
    ({ s = "", v = "" }) => makeFact(resolveSubject(s), "port", v),
  ),
  defineForm(`${SUBJECT} listens? on (?<v>\\d{2,5})`, ({ s = "", v = "" }) =>
    makeFact(resolveSubject(s), "port", v),
  ),
  defineForm(
    `${SUBJECT} (?:deploys?|releases?|ships?|builds?) from (?:the )?(?<v>\\S{2,40}?)(?: branch)`,
    stateAttribute("deploy_branch", "identifier"),
  ),
  defineForm(
    `${SUBJECT} ${BE} (?:licen[cs]ed|released|published) under (?:the )?${VALUE}`,
    stateAttribute("license", "tool"),
  ),
  defineForm(
    `${SUBJECT}(?: runs? on| ${BE} (?:hosted|deployed|running) (?:on|by|at|with|to)| ${BE} (?:powered by|built on)) ${VALUE}`,
    toPlatform,
  ),
  // A place may follow "moved to", so the tool must be known.
  defineForm(
    `${SUBJECT}${HAVE}(?: been| was| were)? (?:migrated|moved|ported|switched)(?: over)?(?: from [^,]{1,40}?)? to ${VALUE}`,
    (groups) => (canMoveTo(groups) ? toPlatform(groups) : null),
  ),
  defineForm(
    `${SUBJECT}(?: ${BE}| (?:has|have) been| was| were) (?:written|rewritten|built|rebuilt|implemented|coded|programmed) (?:in|with) ${VALUE}`,
    ({ s = "", v = "" }) => makeFact(resolveSubject(s), "written_in", parseTool(v)),
  ),
  defineForm(
    `${SUBJECT}(?: ${BE}| (?:has|have) been) (?<verb>stored|kept|saved|cached|managed|tracked|handled|processed|run|powered|taken care of|shipped|forwarded|built|logged|monitored|sent|backed up|done|designed|documented|hosted|deployed|bundled|published|written|served|collected|organi[sz]ed|tested) (?:in|with|on|by|via|through|using|at|to) ${VALUE}`,
    toHandledBy,
  ),
  defineForm(`${SUBJECT} (?<verb>lives?) in ${VALUE}`, (groups) =>
    resolveToolTopic(groups.s ?? "")?.attribute === "stored_with" ? toHandledBy(groups) : null,
  ),
  defineForm(`${SUBJECT} (?<verb>go|goes|run|runs|pass|passes) (?:through|via|into|to) ${VALUE}`, (groups) =>
    isTechnology(groups.v ?? "") || /\b[A-Z][a-z]+ [A-Z]{2}\b/.test(groups.v ?? "")
      ? toHandledBy({ ...groups, verb: "handled" })
      : null,
  ),
  defineForm(
    `${SUBJECT} (?:(?:am|are|is) )?(?<verb>track|stor|store|host|deploy|manag|manage|send|build|monitor|log|keep|publish|process|document|writ|write|test|backup|back up|ship|chat|communicat|${OTHER_VERB})(?:s|es|ing)?(?<object> (?:our |the |my |all |all our )?[\\p{L}-]+(?: [\\p{L}-]+){0,2}?)? (?<link>in|with|on|to|through|via|using|by|over) ${VALUE}`,
    toToolForTask,
  ),
];
