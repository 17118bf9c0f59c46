// What an assistant confirms about the user: "Noted: your birthday is 3 May". Its advice and explanations are no
// memories, and neither is a promise for the turn.
import { SCHEDULED } from "./lasting-words";

const OPENING =
  /^(?:noted|understood|got it|okay|ok|sure|right|certainly|of course|will do|done|perfect|thanks|thank you|apologies|sorry|my apologies|you're right|you are right|good to know|confirmed|corrected|updated|i've (?:noted|recorded|saved|stored|updated|corrected|remembered|made a note|added)|i have (?:noted|recorded|saved|stored|updated|corrected)|i'll (?:remember|note|keep in mind|bear in mind)|to confirm|just to confirm|so to recap|to recap|recap|for the record|as agreed|so)\b/i;
const CLOSING = /, (?:noted|got it|understood|i'll remember that|i've noted that|i've saved that)[.!]*$/i;
/** What the user said earlier, and what they decided. */
const RECALLED =
  /^(?:earlier,? |before,? |last time,? )?(?:as )?you(?:'ve| have)? (?:told me|said|mentioned|asked me)(?: (?:earlier|before|last time|yesterday))?,? (?:that )?(?:you(?:r|'re|'ve| are| have| live| work| prefer| like| don't| can't| want to|'d)\b|to (?:always|never|only|stop)\b)/i;
/** A lasting promise: "I'll call you Sam from now on". */
const PROMISE =
  /^i(?:'ll| will) (?!(?:let|show|walk|explain|give you an)\b).*\b(?:from now on|going forward|in (?:the )?future|from here on|every time)\b/i;
const ABOUT_USER =
  /\byour (?:[\w'-]+ ){1,4}(?:is|are|was|has|starts?|ends?|works?|lives?|expires?|prefers?|likes?|leaves|ships?|uses?|deploys?)\b|\byou(?:'re| are|'ve| have| live| work| prefer| like| want| need| decided| agreed| will| don't| do not| can't| never| always| moved| use| own| take| eat| speak| hate| love| plan| started| no longer)\b|\b(?:from now on|going forward|in (?:the )?future|every time)\b|\b(?:updated|changed|corrected|set|saved|recorded) your (?:[\w-]+ ){1,3}(?:to|as)\b/i;
/** Advice, courtesies and remarks on the work of the turn. */
const NO_FACT =
  /\?|\byou (?:can|could|should|might|may|would|provided|sent|asked for|shared|wrote|pasted)\b|\bif you\b|\byou're (?:right|welcome|absolutely|correct|feeling|having|doing|looking|asking|trying|stuck|all set|good to go)\b|\byou're (?:very )?welcome\b|\byou(?:'d| would) like\b|\blet me know\b|\bwhat you\b|\byou (?:want|need|like) (?:me|to|it|this)\b|\byour (?:[\w-]+ )?(?:code|draft|essay|text|paragraph|function|file|table|question|request|message|document|query|script|input|sentence|version|list|letter|email is below)\b/i;

export function isAcknowledgement(prose: string): boolean {
  const said = prose.replace(/^you(?:'re| are) right[,.:—–-]* ?/i, "");
  if (NO_FACT.test(said)) return false;
  if (RECALLED.test(said) || PROMISE.test(said)) return true;
  if (!OPENING.test(prose) && !CLOSING.test(prose)) return false;
  return (
    ABOUT_USER.test(said) || (/^(?:corrected|updated|noted|confirmed)\b/i.test(said) && SCHEDULED.test(said))
  );
}
