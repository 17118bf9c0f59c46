// The topic of a tool: what it is used for. "We use Sentry for error tracking", "our error tracking is Sentry" and "error
// tracking has moved to Sentry" are one topic; "images are stored in S3" and "we moved images to R2" another.
import { resolveAttribute, resolveSubject, toAttributeWords, toPossessive, USER, WE } from "./noun-phrases";

export type ToolTopic = { subject: string; attribute: string };

/** Activities that a team gives to one tool. */
const ACTIVITY =
  /(?:^|[ -])(?:\p{L}+ing|analytics|auth|authentication|authorisation|authorization|payroll|payments?|checkout|chat|e-?mails?|newsletter|delivery|search|ci|cd|ci\/cd|observability|telemetry|deployments?|deploys|builds?|storage|invoices|tickets|notifications|alerts|video calls|calls|meetings|standups|docs|documentation|code reviews?|reviews|backups?|version control|translations?|crm|dns|cdn|helpdesk|support|secrets management|state management|project management|time tracking|sso|single sign-on|feature flags|jobs|background jobs|css|styling|tests|unit tests)$/u;
/** Records that lie in one store. */
const RECORDS =
  /(?:^|[ -])(?:images?|photos|pictures|videos|files|documents|logs|sessions?|secrets|passwords|credentials|backups|data|assets|uploads|events|metrics|embeddings|artifacts|artefacts|notes|contacts|attachments|snapshots|traces|configs?|recordings|receipts|invoices|media)$/;

export function isActivity(subject: string): boolean {
  return ACTIVITY.test(subject);
}

/** Resolves the purpose of "uses X for/as <purpose>". */
export function resolvePurpose(user: string, purpose: string): ToolTopic | null {
  const subject = resolveSubject(user);
  const words = toAttributeWords(purpose);
  if (subject === null) return null;
  const thing = purpose.replace(/^(?:the|our|my|its|their|his|her|an?) (?=\S)/i, "");
  const noun = resolveAttribute(`${toPossessive(user)} ${thing}`);
  if (noun?.attribute.startsWith("tool_for_")) return noun;
  return words === null ? null : { subject, attribute: `tool_for_${words}` };
}

/** Resolves the subject of "S runs on X" and "S has moved to X". */
export function resolveToolTopic(s: string): ToolTopic | null {
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
