// Statements about the speaker: "I …", "we …". They are kept unless their verb is a thought, a request, a passing
// state or an event of the day; see the word families below, one per verb form.
import type { VerbPhrase } from "./clauses";
import { DATED, HABITUAL, LONG_AGO, PASSING_TIME, SCHEDULED } from "./times";

export type StatementKind = "fact" | "preference";

/** Returns the kind of a lasting statement in the first person, or null. `clause` has the whole clause, with its time. */
export function judgeFirstPerson(phrase: VerbPhrase, clause: string): StatementKind | null {
  const { auxiliaries, verb, rest, hedged } = phrase;
  // Decisions have rules of their own.
  if (/^(?:decided?|chosen|agreed?)$/.test(verb)) return null;
  if (verb === "" || hedged || OUTCRY.test(`${verb} ${rest}`)) return null;
  if (isPreference(phrase)) return PASSING_TIME.test(clause) || isAnaphoric(phrase) ? null : "preference";
  const last = auxiliaries.at(-1);
  const keeps =
    last === "am" || last === "are" || last === "is" || last === "was" || last === "were" || last === "be"
      ? judgeState(phrase, clause)
      : last === "been"
        ? judgeState(phrase, clause, { perfect: true })
        : last === "have" || last === "had" || last === "has"
          ? judgePerfect(phrase, clause)
          : judgeAction(phrase, clause);
  return keeps ? "fact" : null;
}

/** Exclamations and figures of speech. */
const OUTCRY =
  /^(?:believe (?:it|this|that)|wait|help (?:it|but|feeling|thinking)|hear you|see what|take (?:it|that) back|stand corrected|rest my case|beg |call it a day|give up|swear(?! by\b)|dare say|kid you|mean|owe you|told you|have no (?:idea|clue)|got no (?:idea|clue)|care less|die|feel you|get (?:it|that|this|the (?:idea|point|picture|gist)|what|why|how|you|your|where))\b/;

const LIKING =
  /^(?:like|love|hate|enjoy|prefer|adore|dislike|detest|loathe|favou?r|despise|fancy|likes|loves|liked|loved|hated|enjoyed|preferred)$/;

function isPreference({ auxiliaries, verb, rest, adverbs, negated }: VerbPhrase): boolean {
  if (auxiliaries.includes("am") || auxiliaries.includes("are"))
    return (
      /^(?:into|keen|fond|partial|crazy|mad|obsessed|passionate|hooked)$/.test(verb) ||
      (/^an?$/.test(verb) && /^(?:\w+ ){0,3}(?:fan|person|lover|admirer|nut|buff|enthusiast)\b/.test(rest))
    );
  if (auxiliaries.includes("would"))
    return (
      /^(?:prefer|sooner)$/.test(verb) ||
      adverbs.includes("rather") ||
      (/^(?:go|pick|choose|take)$/.test(verb) && / (?:over|any day|any time|every time)\b/.test(rest))
    );
  if (auxiliaries.includes("did") || auxiliaries.includes("will")) return false;
  return (
    LIKING.test(verb) ||
    (verb === "stand" && negated && auxiliaries.includes("can")) ||
    (verb === "care" && negated && rest.startsWith("for ")) ||
    (verb === "find" &&
      /\b(?:too|boring|relaxing|annoying|distracting|delicious|disgusting|fascinating)\b/.test(rest) &&
      /^(?:\w+s|\w+ing)\b/.test(rest))
  );
}

/** An object that only the conversation explains: "I like it", "I prefer the second one". */
function isAnaphoric({ verb, rest, auxiliaries }: VerbPhrase): boolean {
  const object = rest.replace(
    /^(?:to|of|on|about|with|for|in|at|into|having|seeing|watching|making|using) /,
    "",
  );
  if (rest === "" && (LIKING.test(verb) || auxiliaries.includes("am"))) return true;
  if (LIKING.test(verb) && /^(?:all|everything)\b/.test(object)) return true;
  if (/^(?:if|when|where) (?:you|we|it|this|that)\b/.test(rest)) return true;
  return /^(?:it|this|that|these|those|them|him|her|his|hers|their|its|you|your|yours|so|how|what|both|one|(?:all )?of (?:it|them|this|these|those)|to (?:see|know|hear|think|say|ask|be (?:honest|fair|sure|clear)|help|just)|the (?:first|second|third|last|former|latter|other|new|one|old|way|idea|sound|look|feel|part|fact|tone|option|draft|version|result|answer|design|layout|colou?rs?|title|name|suggestion|ending|text|wording|format|style)|option|number|version|draft|answer)\b(?! (?:when|that|way) )/.test(
    object,
  );
}

/** States that pass within a day, and reactions in the conversation. */
const PASSING_STATE =
  /^(?:tired|exhausted|sleepy|hungry|thirsty|starving|full|stuffed|bored|busy|confused|lost|stuck|stressed|nervous|anxious about|worried|upset|angry|annoyed|frustrated|mad at|sad|happy|glad|pleased|delighted|thrilled|excited|grateful|thankful|sorry|afraid|sure|certain|unsure|positive|curious|aware|ready|done|finished|back|here|there|home|late|early|right|wrong|fine|ok|okay|good|great|well|better|alright|all set|set|impressed|amazed|surprised|shocked|speechless|touched|flattered|honou?red|ashamed|embarrassed|disappointed|jealous|cold|hot|freezing|sweating|boiling|soaked|wet|dizzy|drunk|hungover|sick|ill|unwell|sore|awake|asleep|parked|ears|wide|half|knackered|shattered|swamped|slammed|overwhelmed|behind|offline|online|afk|away|off|out|up|down|free|available|unavailable|unable|able|supposed|meant|tempted|inclined|convinced|skeptical|sceptical|game|good to go|about|bound|due|on|at|in|with|by|under|over|through|the one|the same|just|all|not|no|almost|nearly|too|such|still|currently)$/;
/** Places and conditions of a day, after the prepositions that may also begin a lasting state. */
const PASSING_PLACE =
  /^(?:on (?:my (?:way|phone|mobile|laptop|break|lunch|own today)|the (?:phone|line|bus|train|plane|road|way|move|go|couch|sofa|toilet|loo|fence|same page|right track|call|other line|last)|a (?:call|break|roll|train|bus|plane|walk|run|deadline)|hold|it|board with|mobile|fire|top of|edge|page|step|line|track)|in (?:a (?:meeting|hurry|rush|call|queue|good|bad|cab|taxi|bit|caf[eé]|traffic|weird|great|terrible|foul)|the (?:middle|car|office|kitchen|shower|bath|queue|line|process|mood|zone|lobby|garden|bus|train|taxi|waiting|supermarket|airport|same boat|dark)|traffic|bed|trouble|shock|awe|tears|agreement|luck|line|class|pain|need of|favour of|a meeting)|at (?:work|home|lunch|dinner|the (?:airport|gym|office|station|doctor|doctor's|dentist|dentist's|shop|shops|supermarket|moment|pub|beach|park|mall|end|point|bar|desk|hospital|library|gate|bank)|a (?:loss|caf[eé]|bar|restaurant|conference|party|standstill)|my (?:desk|limit|wit'?s|parents|mum's|mom's|computer|laptop)|your)|between (?!jobs)|halfway|with (?:you|him|her|them|a (?:client|customer|friend))|by the|under (?:the weather|pressure|the impression)|over (?:it|the moon|the)|through (?:with)?|off (?:to|work|for|sick|today)|out (?:of|for|with|and)|up (?:for|to|and|late|early|against)|down (?:for|with|to)|about to|all (?:ears|set|good|done|yours|for)|back\b|due (?:at|to|in (?:\w+ )?(?:minutes|hours?))|bound to|not (?:sure|certain|ready)|no (?:expert|longer sure))/;
const LASTING_PLACE =
  /^(?:in|on|at|with|under|over|off|up|out|by|through|down|about|due|free|behind|not|no|all|the|almost|nearly|still|currently|full|well|positive|back|half|set|able|unable|too|just|such|early|late|good|bound)$/;

/** Activities that last longer than a day. */
const LASTING_ACTIVITY =
  /^(?:living|working|training|studying|learning|teaching|raising|expecting|dating|saving|building|planning|moving|retiring|renovating|recovering|mentoring|caring|volunteering|organising|organizing|hosting|managing|leading|fostering|adopting|homeschooling|practising|practicing|migrating|switching|launching|relocating|emigrating|hiring|recruiting|freelancing|commuting|campaigning|coaching|aiming|researching|apprenticing|interning|majoring|specialising|specializing|rehearsing|breastfeeding|intermittent|cutting|quitting|transitioning|redoing|remodell?ing|converting|founding|opening|writing|preparing|restoring|developing|undergoing|job-hunting|house-hunting|divorcing|separating|collecting|paying off|trying|taking|doing|seeing|using|running|getting|growing|giving|starting|going|rebuilding|replacing|phasing|serving|sharing|renting|subletting|bootstrapping|maintaining|awaiting|sponsoring|supporting|looking after)$/;
/** Of these activities, the ones of the moment. */
const PASSING_ACTIVITY =
  /^(?:living the dream|working (?:on (?:it|this|that|the (?:bug|error|issue|fix|assignment))|through|late|with (?:it|this))|learning (?:about|more|as i)|planning (?:on (?:asking|checking)|my day)|building (?:it|this)|moving (?:on|forward|it|this|too)|writing (?:to (?:you|ask|complain|inquire)|an? (?:email|letter|reply|function|script|essay|report|test|query|post|message|paragraph)|this|it|the|some|code|my (?:essay|cv|resume))|preparing (?:dinner|lunch|breakfast|the|to)|developing (?:it|this)|trying (?!to (?:lose|quit|conceive|get pregnant|eat|cut|save|become|stop|give up|reduce|learn|have a (?:baby|child)|build|drink|improve|run|stay|live|break))|taking (?!(?:\d|\w+ (?:\d|every|daily|for)|medication|insulin|antibiotics|antidepressants|an? \w* ?(?:course|class|sabbatical|gap year|year off|degree)|\w+ (?:lessons|classes|courses|tablets|pills|supplements)|early retirement|evening|night|online|driving|piano|statins|maternity|paternity|parental))|doing (?!(?:an? |my )?(?:\w+ )?(?:phd|master|msc|mba|degree|doctorate|residency|apprenticeship|internship|bootcamp|course|fellowship|placement|diploma|a-levels|physio|therapy|dry january|keto))|seeing (?!(?:a|my|an) (?:\w+ )?(?:therapist|physio|psychologist|counsell?or|specialist|doctor|someone|nutritionist|dietitian|girl|guy|man|woman))|using (?:it|this|that|the (?:wrong|same|latest|function|code))|running (?:late|out|low|behind|into|the (?:tests|script|code|command)|some|an? (?:test|fever|temperature|bit)|this|it|tests|errands)|getting (?!(?:married|divorced|engaged|a (?:dog|puppy|cat|kitten|degree|new|divorce)|my (?:degree|master|phd|licen[cs]e|citizenship|braces|wisdom)|braces|surgery|knee|hip))|growing (?:tired|impatient|bored)|giving (?:up on (?:it|this)|it|this|you)|starting (?:to|from|with|over|it|this)|going (?:through|over|for|crazy|insane|mad|nuts|back|out|home|on|with|now|there|ahead|offline|away (?:now|tonight)|to (?:bed|sleep|the (?:gym|shop|shops|store|loo|toilet|kitchen|office|doctor|cinema|supermarket|pub|beach|park))|around)|cutting (?:it|corners|to)|opening (?:it|the|a)|replacing (?:it|this)|supporting (?:it|this)|sharing (?:it|this|my screen|the)|aiming for (?:it|this)|researching (?:it|this))/;
/** Future actions of the moment. */
const PASSING_INTENT =
  /^(?:try|check|test|ask|grab|eat|sleep|restart|look|see|send|let|think|need|tell|show|say|call|wait|do|get|have (?:a (?:look|think|go|nap|shower|snack|drink|word)|lunch|dinner|breakfast|coffee|to|another)|take (?:a (?:look|break|nap|shower|walk|bath|breather|screenshot|seat)|it|that|the|this|your)|give (?:it|that|this|you|up|him|her|them)|go (?:with|now|for|to (?:bed|sleep|the (?:gym|shop|store|loo|toilet|kitchen))|and|ahead|back|over|through|out|grab|get|make|check|home)|be (?:back|there|right|late|fine|ok|okay|honest|happy|quick|brief|away|afk|offline|online|home|out|in touch|working late)|make (?:a (?:coffee|tea|note|cup|sandwich|backup)|it|sure|some|dinner|lunch|breakfast|that|this)|come back|leave (?:it|now|in|soon|you|early)|use (?:it|this|that|the)|keep (?:you|it|that|this|an eye|going|trying|looking)|need|work on (?:it|this|that)|read|follow|fix|add|paste|copy|post|start with|assume|explain|share (?:it|this|the|my screen)|pass|skip|stick|watch|cook|order|pick|put|head|jump|hop|step|stop|finish (?:it|this|that|up|the)|continue|bear|remember|forget|sum|be the judge|miss (?:it|this|you)|reply|respond|email|text|message|ping|write (?:it|that|this|back|to you|you|down)|run (?:it|this|that|the|some|to)|die|cry|lie|admit|just|first|also|upload|download|install|update (?:it|this|you|the)|open|close|click|change (?:it|this|that)|rewrite|retry|reboot|report|find|figure|wing|sort|handle (?:it|this|that)|talk|speak to you|refactor|debug)\b/;

type StateOptions = { perfect?: boolean };

function judgeState(
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
    if (
      SCHEDULED.test(clause) &&
      !isPast &&
      !/^(?:running|going (?:to bed|crazy|mad)|looking|wondering|thinking|feeling|trying|struggling)/.test(
        phrase,
      )
    )
      return true;
    if (PASSING_ACTIVITY.test(phrase)) return false;
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
  if (PASSING_PLACE.test(phrase)) return lasts && /^(?:in|on|at|off) /.test(phrase) && HABITUAL.test(clause);
  if (PASSING_STATE.test(verb)) {
    if (LASTING_PLACE.test(verb) && rest !== "")
      return !/^(?:sure|certain|ready|done|the (?:one|same|only one))\b/.test(rest);
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

/** Events that change a life, a household or a project, in any form of the verb. */
export const LIFE_EVENT =
  /\b(?:mov(?:ed|ing) (?:to|from|in|into|out|away|back|house|here|abroad|over|our|the|off|everything)|relocated|emigrated|immigrated|settled|married|engaged|divorced|separated|widowed|graduat\w+|born|raised|grew up|grown up|brought up|retired?|quit|resigned|got (?:fired|promoted|hired|divorced|married|engaged|laid|my (?:degree|licen[cs]e|citizenship|diploma|first|driving)|a (?:degree|scholarship|new job|job|dog|puppy|cat|kitten|promotion|tattoo|divorce|place|raise|diagnosis)|into (?!it|this|that|the (?:car|habit|details)))|laid off|(?:was|were|been) (?:fired|promoted|hired|accepted|elected|diagnosed|adopted|vaccinated|treated|operated)|hired|promoted|diagnosed|vaccinated|adopted|inherit\w*|bought (?:a|an|our|my|the|two|some|land|shares)|sold (?:a|our|my|the)|purchased|founded|co-founded|start(?:ed|ing|s)? (?:a|an|my|our|the (?:company|job|project|course|business)|working|learning|studying|playing|school|university|college|as|at|therapy|\w+ing)|launch(?:ed|ing)|opened (?:a|our|my)|closed (?:our|my|the (?:shop|business|company|office))|joined|left (?:the (?:company|team|army|navy|church|country|industry|job|uk|us|eu)|my (?:job|husband|wife|partner|company|firm|old|last|position|home)|our (?:old|last)|school|home|university)|spent (?:my|our|\d|\w+ (?:years|months)|a (?:year|decade|semester))|lost (?:most of|my (?:job|wife|husband|mother|father|mum|mom|dad|son|daughter|brother|sister|dog|cat|leg|sight|hearing|sense|partner|best|licen[cs]e)|our|\d+ ?(?:kg|kilos|pounds|lbs)|a (?:child|baby|friend|brother|sister|parent|leg))|won (?:a|an|the|our|my|two|three|\d)|wrote (?:a|my|our|two|three|\d+) (?:\w+ )?(?:book|novel|thesis|dissertation|memoir|album|song|paper|plugin|library)s?|published|studied|majored|trained as|qualified|served|fought|enrol?led|signed (?:up|a (?:lease|contract)|the (?:lease|contract|papers))|passed (?:my|the (?:bar|exam|driving))|failed (?:my|the (?:bar|exam|driving))|broke (?:my|a|both)|had (?:a (?:baby|son|daughter|stroke|heart|miscarriage|c-section|concussion|dog|cat|stent|transplant|hip|knee|kidney|fall|seizure|vasectomy|hysterectomy|bypass)|an? (?:\w+ )?(?:operation|surgery|replacement|accident|transplant|removal|injury|episode|scare)|surgery|chemo|cancer|covid|twins|my (?:\w+ ){1,3}(?:removed|replaced|out|operated|done|diagnosed)|our (?:first|second|third))|underwent|survived|recovered|converted|switched|migrated|replaced|upgraded|renamed|stopped|gave up|given up|took up|taken up|dropped out|became|become|turned (?:\d|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)|died|passed away|gave birth|miscarried|lived|worked (?:as|at|for|in)|work(?:ed)? there|taught (?!me|you|him|her)|went to (?:\w+ ){0,4}(?:school|university|college|uni|art school|med school|law school|boarding school)|attended|met (?:my|our|her|him|each)|fell in love|came out|came to (?:the (?:us|uk|states|country|netherlands)|[a-z]+ (?:in|from|as|when))|travell?ed|backpacked|climbed|ran (?:a|the|my) (?:\w+ )?(?:marathon|half|10k|5k|ultra|company|business|shop|restaurant|caf[eé]|bakery)|completed (?:a|my|an|the)|finished (?:my (?:degree|phd|master|thesis|studies|training|residency|apprenticeship|first|novel)|school|university|college)|cancelled (?:my|our)|cancelled (?:the (?:contract|subscription|wedding))|built (?:a|an|our|my)|renovated|planted|got rid|picked up|signed|filed for|paid off|came back from|emigrate|outgrew|suffered|developed|contracted|tore|sprained|fractured|donated|volunteered|coached|raised)\b/;

/** Events of the day in the perfect: "I've tried that". */
const PASSING_PERFECT =
  /^(?:tried|checked|seen|noticed|updated|read|done|added|attached|pasted|uploaded|downloaded|installed|restarted|rebooted|tested|looked|thought|heard|said|told|asked|sent|made|fixed|changed|got (?:it|this|that|the (?:same|following|error)|to (?:go|run|say|admit|ask|leave|get|be)|an? (?:question|problem|issue|error|idea|meeting|call|minute|second|moment|feeling|favou?r|bug|request|quick|bit of|headache|deadline|hunch|lot (?:on|to)|draft|task|follow-up|doubt|weird|strange|small|new (?:problem|error))|some (?:questions?|feedback|news|time|thoughts)|no (?:idea|clue|time)|two questions|another|everything|nothing|what|time|so much)|eaten|finished|just|read|clicked|opened|closed|run (?:the|it|this|out|into)|forgotten|decided|found|run|given (?:it|this|you|up on)|had (?:enough|a (?:look|think|long|rough|bad|good|great|busy|hard|terrible|crazy|coffee)|it|lunch|dinner|breakfast|to|no|this|that|the)|written (?:it|this|the|a (?:function|script|query|test|draft|reply))|come (?:across|up|to)|gone (?:through|over|with|back)|set (?:it|this)|reached|received|lost (?:it|track|count|the|my (?:place|train|keys|phone|temper))|missed|managed|figured|realised|realized|learned|learnt|spent (?:the|all|hours|two hours|an hour|ages|too)|put|left (?:it|this|the|you)|taken (?:a|the|it|your)|paid (?:for (?:it|this)|the)|been|followed|searched|googled|copied|moved (?:it|this|the (?:file|code|button|function))|replaced (?:it|this|the)|used (?:it|this|that)|created|committed|pushed|deployed|merged)\b/;

/** A number of times or things done in a life: "I've run two marathons". */
const COUNTED =
  /\b(?:\w+ times|twice|(?:two|three|four|five|six|seven|eight|nine|ten|\d+|dozens of|several) (?!minutes|mins|hours|seconds|questions|errors|files|tests|days|lines|of|options)[a-z]+)\b/;

function judgePerfect(phrase: VerbPhrase, clause: string): boolean {
  const words = `${phrase.verb} ${phrase.rest}`;
  if (PASSING_TIME.test(clause) && !LIFE_EVENT.test(words)) return false;
  if (
    phrase.negated &&
    phrase.adverbs.includes("never") &&
    !/^(?:seen|heard|thought|tried) (?:it|this|that|anything|such|so|of)\b/.test(words)
  )
    return true;
  if (phrase.verb === "got" || phrase.verb === "gotten")
    return !PASSING_PERFECT.test(words) && judgePossession(phrase.rest);
  if (/\balready\b/.test(clause) && !LIFE_EVENT.test(words)) return false;
  if (
    HABITUAL.test(clause) ||
    DATED.test(clause) ||
    COUNTED.test(clause) ||
    phrase.adverbs.includes("always")
  )
    return !isAnaphoric(phrase);
  if (LIFE_EVENT.test(words) && !isAnaphoric(phrase)) return true;
  if (PASSING_PERFECT.test(words) || isAnaphoric(phrase)) return false;
  return !phrase.adverbs.some((adverb) => /^(?:just|already|now|yet)$/.test(adverb)) && !phrase.negated;
}

/** Things that one has in a conversation or on a day only. */
const PASSING_POSSESSION =
  /^(?:(?:an?|the|this|that|some|any|another|one|two|three|four|five|six|ten|fifteen|twenty|\d+|half|few|a few|a couple of|several|many|no (?=time|idea|clue|questions?|choice|doubt|words|problem|comment)|my|such|more|so many|other|further|too many|your|all) )*(?:(?:bit of an?|bit of|quick|small|tiny|little|follow-up|followup|final|last|silly|stupid|simple|basic|weird|strange|slight|serious|big|huge|major|minor|real|new|good|bad|hard|tough|long|rough|great|lovely|nice|terrible|splitting|pounding|funny|gut|strong|similar|same|different|related|busy|dog|work|general|technical|urgent|minor|sore|runny|killer) )*(?:[\w%]+ (?:all )?over|battery|\d+ ?% |questions?|problems?|issues?|errors?|bugs?|ideas?|thoughts?|doubts?|concerns?|feeling|hunch|favou?r|request|comments?|feedback|suggestions?|queries|query|minutes?|mins?|tabs|windows|moods|memory of|seconds?(?!-)|moments?|time|headache|stomach ?ache|hangover|cold|cough|fever|throat|nose|call|meeting|deadline|day|night|week|morning|weekend|look|think|point|trouble|difficulty|difficulties|fun|choice|option|options|sense|clue|trip|one|it|this|that|them|to|file|files|list|function|script|string|array|variable|table|column|code|snippet|dataset|csv|query|draft|essay|text|paragraph|sentence|plenty|enough|nothing|everything|something|anything|lunch|dinner|breakfast|coffee|tea|pizza|what|great|confession|rant|story|joke|chat|reason|news|update|hope|faith|high hopes|say|control|words|mixed feelings|been|blast|go|shower|nap|break|task|assignment|homework|exam today)\b/;

function judgePossession(rest: string): boolean {
  return rest !== "" && !PASSING_POSSESSION.test(rest);
}

/** Verbs of thinking, speaking and reacting. */
const MENTAL_VERB =
  /^(?:think|thinks|thought|guess|guessed|hope|hoped|feel|felt|mean|meant|see|saw|know|knew|understand|understood|agree|agreed|disagree|wonder|suppose|believe|wish|remember|remembered|forget|forgot|appreciate|bet|doubt|admit|care|mind|imagine|expect|assume|suspect|notice|noticed|realise|realize|realised|realized|reckon|figure|figured|gather|say|said|ask|asked|tell|told|apologise|apologize|thank|promise|insist|beg|regret|recall|trust|fear|worry|concur|hear|heard|recommend|suggest|propose|advise|like to think|look forward|welcome|congratulate|let|please|repeat|maintain that|happen|seem|seems|appear|tend to think|love it|dare|guarantee|sympathise|sympathize|second|vote|stand|sit|check|checked|laughed|laugh|cried|cry|smile|sigh|am|be|lol|confess|kid|joke|digress|declare|hereby|kindly|look|looked)$/;
/** Mental verbs with a lasting object: a skill, a faith, a belief. */
const LASTING_MENTAL =
  /^(?:know (?:\p{L}+(?: (?:pretty|very|fairly|really|quite) well| inside out| and \p{L}+| fluently| better than)|some \p{L}+|enough \p{L}+|\p{L}+ from (?:school|work|university|college|uni|church))|believe in|trust (?!you|me|this|that|it)|remember (?:names|faces|numbers)|forget (?:names|faces)|tell (?:my|everyone)|feel (?:\w+ )?(?:cold|tired|dizzy|anxious|nervous|guilty|safe|most|best|comfortable) (?:when|after|in|on|with|about)|worry (?:about|a lot)|know how to (?:drive|swim|cook|ride|ski|knit|sew|dance|sail|skate)|feel (?:more|most|best|less)|care (?:for (?:my|our)|about)|look after|sit (?:on the|in the|at the front)|vote (?:for|labour|green|conservative|democrat|republican)|think in|hear (?:better|poorly|badly|with|nothing|very)|see (?:a (?:\w+ )?(?:therapist|doctor|physio\w*|psychologist|counsell?or|specialist|chiropractor|psychiatrist|dentist|personal trainer)|my (?:\w+ )?(?:therapist|parents|kids|children|daughter|son|mum|mom|dad|doctor|family|ex|grandparents)|patients|clients|poorly|badly)|second-guess|stand at work|imagine (?:no)|expect (?:a baby|twins)|recommend (?:no))/u;
/** Plain actions of the moment. */
const PASSING_ACTION =
  /^(?:try|tried|click|clicked|press|pressed|type|typed|enter|entered|ran|opened|closed|added|removed|installed|restarted|rebooted|copied|pasted|attached|sent|updated|changed|deleted|downloaded|uploaded|wrote|made|found|got|noticed|fixed|tested|googled|searched|followed|used|put|set|had|ate|drank|watched|slept|woke|went|came|called|texted|emailed|talked|spoke|spent|walked|saw|read|paid|ordered|lost|missed|stayed|waited|met|played|cooked|cleaned|took|gave|left|broke|dropped|spilled|spilt|hit|fell|finished|started|needed|wanted|liked|ended|turned|kept|managed|picked|grabbed|bumped|ran|gets?|overslept|laughed|napped|received|showed|brought|signed|scrolled|stared|did)$/;
const PAST_FORM =
  /^(?:\w{2,}ed|ran|wrote|made|found|got|put|had|ate|drank|slept|woke|went|came|spoke|spent|saw|paid|lost|met|took|gave|left|broke|spilt|hit|fell|kept|brought|did|became|began|bought|sold|built|taught|grew|knew|won|wore|led|held|quit|drove|flew|swam|sang|rode|chose|caught|fought|told|heard|felt|thought|shot|stole|tore|threw|understood|studied|married|tried|sent|was|were)$/;

function judgeAction(phrase: VerbPhrase, clause: string): boolean {
  const { auxiliaries, verb, rest, negated, adverbs } = phrase;
  const words = `${verb} ${rest}`.trim();
  const aux = auxiliaries.at(-1) ?? "";
  const lasts = HABITUAL.test(clause) || DATED.test(clause);
  const isLifeEvent = LIFE_EVENT.test(words);
  if (verb === "used" && rest.startsWith("to ")) return !/^to (?:it|this|that)\b/.test(rest);
  if (PASSING_TIME.test(clause) && !isLifeEvent) return false;
  if (MENTAL_VERB.test(verb) && !LASTING_MENTAL.test(words) && !(verb === "hope" && rest.startsWith("to ")))
    return false;
  if (aux === "will" || aux === "shall") {
    if (
      negated &&
      (adverbs.includes("never") ||
        /^(?:eat|drink|touch|wear|fly|travel|work|use|buy|watch|take|set foot|drive|cook|read)$/.test(verb))
    )
      return !isAnaphoric(phrase);
    if (/^be \w+ing\b/.test(words) && !negated)
      return LASTING_ACTIVITY.test(rest.split(" ", 1)[0] ?? "") && !PASSING_ACTIVITY.test(rest);
    return (
      (DATED.test(clause) ||
        (aux === "will" &&
          /^be (?:\d|a |an |the )|^(?:move|retire|graduate|marry|turn|become|inherit)\b/.test(words))) &&
      !/^(?:let|tell|send|call|get back|check|have a look|try)\b/.test(words)
    );
  }
  if (aux === "would")
    return (
      (adverbs.includes("never") && !isAnaphoric(phrase)) ||
      (/^(?:like|love) to\b/.test(words) && /\b(?:one day|some ?day|eventually|before i)\b/.test(clause)) ||
      (/^(?:like|love) to (?:be|become|learn|run|live|move|visit|have|own|start|retire|travel|speak|publish|climb|open)\b/.test(
        words,
      ) &&
        DATED.test(clause))
    );
  if (aux === "can" || aux === "could")
    return aux === "can" && !isAnaphoric(phrase) && !PASSING_ABILITY.test(words);
  if (aux === "should" || aux === "must")
    return (
      /^(?:avoid|eat|drink|take (?:my|\d|it easy)|lift|carry|limit|stay (?:away|off|out)|wear|keep my|not eat|use an? inhaler)\b/.test(
        words,
      ) && !isAnaphoric(phrase)
    );
  if (verb === "need" || verb === "needs" || verb === "needed") return judgeNeed(rest, clause);
  if (
    verb === "want" ||
    verb === "plan" ||
    verb === "intend" ||
    verb === "hope" ||
    verb === "aim" ||
    verb === "wants" ||
    verb === "dream"
  )
    return judgeGoal(verb, rest, clause, negated);
  if (verb === "have" || verb === "has") {
    if (/^to\b/.test(rest))
      return (
        HABITUAL.test(clause) ||
        /^to (?:avoid|take (?:\d|\w+ (?:every|daily))|wear|inject|use an?|eat|follow a|limit|watch my)\b/.test(
          rest,
        )
      );
    return judgePossession(rest) || (HABITUAL.test(clause) && !isAnaphoric(phrase));
  }
  if (/^(?:my|an?|our|the)$/.test(verb) && aux === "did")
    return (
      /^(?:\w+ ){0,3}(?:degree|phd|master'?s|military|service|apprenticeship|training|internship|course|gap year|studies|residency|doctorate|a-levels|postdoc|thesis|marathon)\b/.test(
        rest,
      ) || LONG_AGO.test(clause)
    );
  if (
    verb === "got" &&
    /^(?:an?|our|my|two|three) /.test(rest) &&
    !/\b(?:errors?|emails?|message|call|text|letter|results?|warning|notification|response|reply|ticket|chance|look|feeling|answer|popup|exception|idea|coffee|bit|lot|haircut|question|lift|taxi|fright|shock)\b/.test(
      rest,
    )
  )
    return judgePossession(rest);
  if (verb === "do" && /^(?:it|this|that|so|not)\b/.test(rest)) return false;
  if (aux === "did")
    return (isLifeEvent || LIFE_EVENT_BASE.test(words) || LONG_AGO.test(clause)) && !isAnaphoric(phrase);
  if (PAST_FORM.test(verb)) {
    if (isAnaphoric(phrase)) return false;
    return (
      isLifeEvent ||
      LONG_AGO.test(clause) ||
      (lasts && !PASSING_ACTION.test(verb)) ||
      (negated && adverbs.includes("never")) ||
      !(PASSING_ACTION.test(verb) || /ed$/.test(verb))
    );
  }
  if (verb === "get")
    return (
      !/^(?:it|this|that|an?|the|you|what|error|errors|your|him|them|confused|lost|stuck|no|nothing|null|undefined|so|\d|why|how|one|some|these|those|back|to|[a-z]*error)\b/.test(
        rest,
      ) || lasts
    );
  if (verb === "keep")
    return !/^(?:getting|forgetting|seeing|hearing|thinking|having|hitting|running|asking|saying|losing|it|this|that|making|trying|telling|coming|finding)\b/.test(
      rest,
    );
  if (isAnaphoric(phrase) && verb !== "know") return false;
  if (adverbs.includes("just") && !negated) return isLifeEvent;
  return !(PASSING_ACTION.test(verb) && !negated && !lasts);
}

const LIFE_EVENT_BASE =
  /^(?:go to (?:\w+ )?(?:school|university|college|uni)|finish (?:school|university|college|my)|grow up|graduate|marry|get (?:married|the job|into|my)|study|pass (?:my|the)|learn (?:to|\w+ (?:until|as))|have (?:kids|children|siblings|a (?:father|mother|car|tv))|vote|renew|move|attend|serve)\b/;

const PASSING_ABILITY =
  /^(?:see|find|log|sign in|access|believe|wait|figure|get|tell|think|understand|remember|open|connect|decide|stop|imagine|help|reproduce|hear|do (?:it|this|that|anything)|make (?:it|sense|out|this|that|heads|up|the)|come up|seem|quite|thank|say|promise|relate|explain|agree|confirm|send|share|give|provide|show|use (?:it|this|that|the)|install|load|download|upload|run (?:it|this|the)|try|also|just|only|feel|live with|guarantee|even|imagine|recall|work (?:it|this|out)|submit|click|save|be (?:there|bothered|sure|honest|right|the only|serious)|take (?:it|this|that|any)|read (?:it|this|that|the|your)|go (?:on|there|with|back)|keep up|focus|concentrate|sleep$|breathe|move$|complain|argue|always|build the|compile|edit|print|pay (?:for (?:it|this)|now)|join (?:the|now)|talk|fix|start the|ask|put (?:it|this|my finger)|follow|handle (?:it|this))/;

/** What one needs for good: an aid, a medicine, a condition. What one needs from the assistant is a request. */
function judgeNeed(rest: string, clause: string): boolean {
  if (/^to\b/.test(rest))
    return (
      /^to (?:avoid|eat|drink|wear|inject|take (?:\d|my (?:insulin|medication|pills|tablets|meds))|limit|watch my|sleep (?:at least|\d))\b/.test(
        rest,
      ) ||
      (HABITUAL.test(clause) && !/^to (?:know|find|check)\b/.test(rest))
    );
  return (
    /\b(?:wheelchair|glasses|insulin|inhaler|hearing aids?|step-free|subtitles|medication|crutches|walking stick|dialysis|oxygen|visa|gluten|vegan|vegetarian|halal|kosher|captions|screen reader|large print|interpreter|cane|hours of sleep|ergonomic|quiet|silence|complete silence|accessible)\b/.test(
      rest,
    ) &&
    !/^(?:you|your|help|the|this|that|an? (?:\w+ )?(?:list|recipe|summary|table|letter|recommendation|template))\b/.test(
      rest,
    )
  );
}

/** Goals and plans; a wish about the conversation is a request. */
function judgeGoal(verb: string, rest: string, clause: string, negated: boolean): boolean {
  const goal = rest.replace(/^(?:on|of|for|to) /, "");
  if (
    /^(?:it|this|that|you|your|the|these|those|what|something|an? (?:\w+ )?(?:list|table|summary|regex|script|function|recipe|poem|story|joke|refund|answer|example|explanation|version|draft|quote|name|title|logo|email|letter|plan|plot|image|picture))\b/.test(
      goal,
    ) &&
    !DATED.test(clause)
  )
    return false;
  if (verb === "want" || verb === "wants" || verb === "hope") {
    if (!/^to\b/.test(rest))
      return (
        verb !== "hope" &&
        (negated ||
          /^(?:all|every|only|no)\b/.test(rest) ||
          /^(?:kids|children|a (?:family|dog|cat|big|third|second|baby|career))\b/.test(rest) ||
          DATED.test(clause))
      );
    if (PASSING_WISH.test(goal))
      return (
        DATED.test(clause) &&
        !/^(?:know|see|understand|ask|check|make sure|find|book|order|cancel|return)\b/.test(goal)
      );
    return true;
  }
  return !(PASSING_INTENT.test(goal) || PASSING_WISH.test(goal)) || DATED.test(clause);
}

const PASSING_WISH =
  /^(?:know|see|ask|understand|make (?:sure|it|this|that|a (?:list|table|chart|plot|reservation|booking))|check|get (?!(?:married|fit|in shape|a (?:dog|cat|phd|degree)|better at|into|my|out of debt|pregnant|certified|promoted))|find|use|add|try|cancel|return|book|order|change (?:it|this|that|the)|talk|discuss|say|tell|show|point|clarify|confirm|hear|thank|print|display|sort|filter|convert|replace|remove|delete|create|generate|write (?:a (?:function|script|query|test|letter|reply|cv|resume|cover)|an (?:email|essay|article)|some|code|it|this)|compare|calculate|send|share|do (?:it|this|that|something)|be able|be sure|believe|emphasi[sz]e|add|apologi[sz]e|report|complain|improve (?:it|this|the)|fix|format|import|export|parse|read (?:a|the|this) file|test|set up|install|upgrade|update|cook (?:something|dinner|tonight)|eat (?:something|out|now)|go (?:home|to (?:bed|sleep)|out)|sleep|cry|die|scream|leave)\b/;
