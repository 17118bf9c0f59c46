// States of the speaker: "I am …", "I've been …". States of a day and places of a moment are dropped.
import type { VerbPhrase } from "./clauses";
import {
  DATED,
  HABITUAL,
  isTaskObject,
  LIFE_EVENT,
  LONG_AGO,
  PASSING_TIME,
  SCHEDULED,
} from "./lasting-words";
import { PASSING_INTENT } from "./wants-and-needs";

/** States that pass within a day, and reactions in the conversation. */
const PASSING_STATE =
  /^(?:proud|tired|exhausted|sleepy|hungry|thirsty|starving|full|stuffed|bored|busy|confused|lost|stuck|stressed|nervous|anxious about|worried|upset|angry|annoyed|frustrated|mad at|sad|happy|glad|pleased|delighted|thrilled|excited|grateful|thankful|sorry|afraid|sure|certain|unsure|positive|curious|aware|ready|done|finished|back|here|there|home|late|early|right|wrong|fine|ok|okay|good|great|well|better|alright|all set|set|impressed|amazed|surprised|shocked|speechless|touched|flattered|honou?red|ashamed|embarrassed|disappointed|jealous|cold|hot|freezing|sweating|boiling|soaked|wet|dizzy|drunk|hungover|sick|ill|unwell|sore|awake|asleep|parked|ears|wide|half|knackered|shattered|swamped|slammed|overwhelmed|sold|doomed|screwed|toast|behind|offline|online|afk|away|off|out|up|down|free|available|unavailable|unable|able|supposed|meant|tempted|inclined|convinced|skeptical|sceptical|game|good to go|about|bound|due|on|at|in|with|by|under|over|through|the one|the same|just|all|not|no|almost|nearly|too|such|still|currently)$/;
/** Places and conditions of a day, after the prepositions that may also begin a lasting state. */
const PASSING_PLACE =
  /^(?:on (?:my (?:way|first|second|third|fourth|last|nth|phone|mobile|laptop|break|lunch|own today)|the (?:phone|line|bus|train|plane|road|way|move|go|couch|sofa|toilet|loo|fence|same page|right track|call|other line|last)|a (?:call|break|roll|train|bus|plane|walk|run|deadline)|hold|it|board with|mobile|fire|top of|edge|page|step|line|track)|in (?:a (?:meeting|hurry|rush|call|queue|good|bad|cab|taxi|bit|caf[eé]|traffic|weird|great|terrible|foul)|the (?:middle|car|office|kitchen|shower|bath|queue|line|process|mood|zone|lobby|garden|bus|train|taxi|waiting|supermarket|airport|same boat|dark)|traffic|bed|trouble|shock|awe|tears|agreement|luck|line|class|pain|need of|favour of|a meeting)|at (?:work|home|lunch|dinner|the (?:airport|gym|office|station|doctor|doctor's|dentist|dentist's|shop|shops|supermarket|moment|pub|beach|park|mall|end|point|bar|desk|hospital|library|gate|bank)|a (?:loss|caf[eé]|bar|restaurant|conference|party|standstill)|my (?:desk|limit|wit'?s|parents|mum's|mom's|computer|laptop)|your)|between (?!jobs)|halfway|with (?:you|him|her|them|a (?:client|customer|friend))|by the|under (?:the weather|pressure|the impression)|over (?:it|the moon|the)|through (?:with)?|off (?:to|work|for|sick|today)|out (?:of|for|with|and)|up (?:for|to|and|late|early|against|since|until|till|all)|down (?:for|with|to)|about to|all (?:ears|set|good|done|yours|for)|back\b|due (?:at|to|in (?:\w+ )?(?:minutes|hours?))|bound to|not (?:sure|certain|ready)|no (?:expert|longer sure))/;
const LASTING_PLACE =
  /^(?:in|on|at|with|under|over|off|up|out|by|through|down|about|due|free|behind|not|no|all|the|almost|nearly|still|currently|full|well|positive|back|half|set|able|unable|too|just|such|early|late|good|bound)$/;

/** Activities that last longer than a day. */
export const LASTING_ACTIVITY =
  /^(?:living|working|training|studying|learning|teaching|raising|expecting|dating|saving|building|planning|moving|rewriting|porting|redesigning|consolidating|deprecating|staying|retiring|renovating|recovering|mentoring|caring|volunteering|organising|organizing|hosting|managing|leading|fostering|adopting|homeschooling|practising|practicing|migrating|switching|launching|relocating|emigrating|hiring|recruiting|freelancing|commuting|campaigning|coaching|aiming|researching|apprenticing|interning|majoring|specialising|specializing|rehearsing|breastfeeding|intermittent|cutting|quitting|transitioning|redoing|remodell?ing|converting|founding|opening|writing|preparing|restoring|developing|undergoing|job-hunting|house-hunting|divorcing|separating|collecting|paying off|trying|taking|doing|seeing|using|running|getting|growing|giving|starting|going|rebuilding|replacing|phasing|serving|sharing|renting|subletting|bootstrapping|maintaining|awaiting|sponsoring|supporting|looking after)$/;
/** Of these activities, the ones of the moment. */
export const PASSING_ACTIVITY =
  /^(?:living the dream|working (?:on (?:it|this|that|the (?:bug|error|issue|fix|assignment))|through|late|with (?:it|this))|learning (?:about|more|as i|nothing|a lot|so much)|planning (?:on (?:asking|checking)|my day)|building (?:it|this)|moving (?:on|forward|it|this|too)|writing (?:to (?:you|ask|complain|inquire)|an? (?:(?:short|long|cover|quick|little|formal|blog|product|thank-you|birthday|love|\w+) )?(?:story|poem|speech|email|letter|reply|function|script|essay|report|test|query|post|message|paragraph)|this|it|the|some|code|my (?:essay|cv|resume))|preparing (?:an? |dinner|lunch|breakfast|the|to)|developing (?:it|this)|trying (?!for (?:a|another|our) (?:\w+ )?(?:baby|child|one)|to (?:lose|quit|conceive|get pregnant|eat|cut|save|become|stop|give up|reduce|learn|have a (?:baby|child)|build|drink|improve|run|stay|live|break))|taking (?!(?:\d|\w+ (?:\d|every|daily|for)|medication|insulin|antibiotics|antidepressants|an? \w* ?(?:course|class|sabbatical|gap year|year off|degree)|\w+ (?:lessons|classes|courses|tablets|pills|supplements)|early retirement|evening|night|online|driving|piano|statins|maternity|paternity|parental))|doing (?!(?:an? |my )?(?:\w+ )?(?:phd|master|msc|mba|degree|doctorate|residency|apprenticeship|internship|bootcamp|course|fellowship|placement|diploma|a-levels|physio|therapy|dry january|keto))|seeing (?!(?:a|my|an) (?:\w+ )?(?:therapist|physio|psychologist|counsell?or|specialist|doctor|someone|nutritionist|dietitian|girl|guy|man|woman))|using (?:it|this|that|your|the (?:wrong|same|latest|function|code))|running (?:late|out|low|behind|into|the (?:tests|script|code|command)|some|an? (?:test|fever|temperature|bit)|this|it|tests|errands)|getting (?!(?:married|divorced|engaged|a (?:dog|puppy|cat|kitten|degree|new|divorce)|my (?:degree|master|phd|licen[cs]e|citizenship|braces|wisdom)|braces|surgery|knee|hip))|growing (?:tired|impatient|bored)|giving (?:up on (?:it|this)|it|this|you)|starting (?:to|from|with|over|it|this)|going (?:through|over|for|crazy|insane|mad|nuts|back|out|home|on|with|now|there|ahead|offline|away (?:now|tonight)|to (?:bed|sleep|the (?:gym|shop|shops|store|loo|toilet|kitchen|office|doctor|cinema|supermarket|pub|beach|park))|around)|cutting (?:it|corners|to)|opening (?:it|the|a)|replacing (?:it|this)|supporting (?:it|this)|sharing (?:it|this|my screen|the)|staying (?:in (?:bed|tonight)|home|here|up|put|out|positive|calm|awake)|rewriting (?:it|this|that|the (?:text|intro|paragraph|sentence|function|letter))|aiming for (?:it|this)|researching (?:it|this))/;

/** A change of life under consideration. */
const CONSIDERED =
  /^(?:thinking (?:of|about)|considering|contemplating|toying with the idea of|looking into|working towards|getting ready to) (?:(?:chang|switch)ing (?:careers?|jobs|schools|to)|becoming|moving|emigrating|relocating|retiring|quitting|leaving (?:my|our|the)|going (?:back to|freelance|part|into|vegan|vegetarian)|getting (?:a (?!coffee|snack|drink)|an|married|divorced|into)|starting (?:a|an|my|our)|opening (?:a|an|my)|buying (?:a|an|our|my)|selling (?:the|our|my)|adopting|having (?:kids|children|another|a (?:baby|child))|learning|studying|applying|renting|renovating|converting|cutting|giving up|taking (?:up|a|early)|joining|homeschooling)\b/;

const CELEBRATION = /\bfor (?:my|our|his|her|their) (?:\w+ )?(?:birthday|anniversary|honeymoon)\b/i;

type StateOptions = { perfect?: boolean };

export function judgeState(
  { verb, rest, negated, auxiliaries, adverbs }: VerbPhrase,
  clause: string,
  { perfect = false }: StateOptions = {},
): boolean {
  const phrase = `${verb} ${rest}`.trim();
  const isPast = auxiliaries.includes("was") || auxiliaries.includes("were");
  const lasts = HABITUAL.test(clause) || DATED.test(clause) || adverbs.includes("always");
  if (PASSING_TIME.test(clause) && !LIFE_EVENT.test(phrase)) return false;
  if (/ing$/.test(verb) && !/^(?:king|string|anything|nothing|something|everything|during)$/.test(verb)) {
    if (verb === "going" && /^to (?!the\b|a\b|an\b|my\b|bed\b)\w/.test(rest)) {
      const intent = rest.slice(3);
      return (
        !isPast &&
        !/^(?:it|this|that|you)\b/.test(intent) &&
        (DATED.test(clause) || !PASSING_INTENT.test(intent))
      );
    }
    if (isPast && !LONG_AGO.test(clause)) return false;
    if (CONSIDERED.test(phrase)) return true;
    if (
      SCHEDULED.test(clause) &&
      !isPast &&
      !/^(?:running|going (?:to bed|crazy|mad)|looking|wondering|thinking|feeling|trying|struggling)/.test(
        phrase,
      )
    )
      return true;
    if (PASSING_ACTIVITY.test(phrase) || isTaskObject(rest.replace(/^(?:on|with|at|through|over) /, "")))
      return lasts && (SCHEDULED.test(clause) || CELEBRATION.test(clause));
    return (
      lasts ||
      (LASTING_ACTIVITY.test(verb) &&
        (!perfect ||
          !/^(?:trying|using|working on|getting|going|doing|seeing|taking|running|planning)/.test(phrase)))
    );
  }
  if (
    /^(?:it|this|that|these|those|you|your|what|who|where|why|how|if|i|we|very|kinda|talking)\b/.test(phrase)
  )
    return false;
  if (
    /^an? (?:bit|little|tad|mess|idiot|fool|wreck|genius|lot|few|couple|moron|noob|newbie|believer|goner|liar|complete|total|bad|good|big boy|while|dumb|huge mess|sucker(?! for)|hypocrite|step|huge disaster|disaster)\b/.test(
      phrase,
    )
  )
    return /^an? (?:good|bad|complete|total) (?:\w+ )*(?:cook|swimmer|beginner|singer|dancer|sleeper|driver|runner|speaker|novice)\b/.test(
      phrase,
    );
  if (
    /\b(?:at the|at a|in the|in my|on the) [a-z]+(?=[.,!]|$| (?:and|but|so|with|again|now|because)\b)/.test(
      clause,
    ) &&
    /^(?:at|in|on)$/.test(verb) &&
    !/\b(?:army|navy|military|police|board|committee|spectrum|pill|team|choir|council|family|process|market|union|twenties|thirties|forties|fifties|sixties|seventies|eighties|teens|prime|countryside|suburbs|city|mountains|north|south|east|west|waitlist|autism|music|film|tech|medical|legal)\b/.test(
      rest,
    )
  )
    return false;
  if (/^(?:due|off|out|up|in|on|at) /.test(phrase) && SCHEDULED.test(clause) && !isPast) return true;
  // "I was distracted", "I was up until three".
  if (isPast && !lasts && !LONG_AGO.test(clause) && isOver(phrase)) return false;
  if (PASSING_PLACE.test(phrase)) return lasts && /^(?:in|on|at|off) /.test(phrase) && HABITUAL.test(clause);
  if (
    /^(?:afraid|scared|terrified|frightened) of (?!(?:it|this|that|the|you|missing|losing|breaking|making|what)\b)/.test(
      phrase,
    )
  )
    return true;
  if (verb === "supposed" && !isPast)
    return DATED.test(clause) && !/^to be (?:here|there|working)\b/.test(rest);
  if (PASSING_STATE.test(verb)) {
    if (LASTING_PLACE.test(verb) && /^\w/.test(rest))
      return lasts || !/^(?:sure|certain|ready|done|the (?:one|same|only one))\b/.test(rest);
    return (
      HABITUAL.test(clause) &&
      !isPast &&
      !/^(?:sure|sorry|glad|happy|certain|right|wrong|curious|done|finished)$/.test(verb)
    );
  }
  if (/^interested\b/.test(phrase))
    return /^interested in (?!(?:it|this|that|your|learning more|hearing|knowing|seeing|the|what|how)\b)/.test(
      phrase,
    );
  // "I was impressed" is over; "I was born", "I was a teacher" are not.
  if (
    isPast &&
    /^(?:really|told|given|asked|thinking|happy|hoping|able|reading|just|like|only|expecting|so)\b/.test(
      phrase,
    )
  )
    return false;
  if (
    perfect &&
    /^(?:there|through|meaning|told|given|asked|a (?:long|rough|tough|crazy|hard|busy|great|weird|while)|to (?:the|your) (?:page|site|shop|settings|docs))\b/.test(
      phrase,
    )
  )
    return negated;
  return true;
}

/** A past state of one word or with a particle, unless it is an event of a life. */
function isOver(phrase: string): boolean {
  return (
    /^(?:[\w-]+$|(?:up|out|off|on|here|there|back|home|away|down|about|over) )/.test(phrase) &&
    !LIFE_EVENT.test(phrase) &&
    !/^(?:homeschooled|home-schooled|fostered|orphaned|bullied|baptised|baptized|knighted|widowed|premature|vegan|vegetarian|christened)$/.test(
      phrase,
    )
  );
}
