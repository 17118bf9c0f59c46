// Statements about the speaker's people and things ("my sister …", "our API …"), about named people ("Tom reports to
// Priya") and about a project ("the staging database …"). Any other statement in the third person is general knowledge.
import type { StatementKind } from "./first-person";
import { isGivenName } from "./given-names";
import { DATED, HABITUAL, LIFE_EVENT, PASSING_TIME, SCHEDULED } from "./lasting-words";

/** Returns the kind of a lasting statement in the third person, or null. */
export function judgeThirdPerson(clause: string): StatementKind | null {
  if (
    /^(?:nobody|no one|only [\w ]{2,30}) (?:may|can|is allowed to|are allowed to) \w+ (?!(?:it|this|that)\b)\w/i.test(
      clause,
    )
  )
    return "fact";
  const plain = clause.replace(
    /^(?:and|but|so|plus|these days,?|nowadays,?|currently,?|as of \w+ \w+,?) /i,
    "",
  );
  if (isRule(plain)) return "fact";
  if (PASSING_SUBJECT.test(plain) || PUBLIC_EVENT.test(plain)) return null;
  const keeps = OWN_SUBJECT.test(plain)
    ? judgeOwn(plain)
    : isPersonStatement(plain) || isProjectStatement(plain) || isScheduled(plain) || involvesSpeaker(plain);
  if (!keeps) return null;
  return PREFERENCE.test(plain) ? "preference" : "fact";
}

const PREFERENCE =
  /\b(?:favou?rite|go-to|prefers?|likes?|loves?|hates?|dislikes?|enjoys?|adores?|can't stand)\b(?!.*\bnot my\b)/i;

/** Subjects that point into the conversation. */
const PASSING_SUBJECT =
  /^(?:it|it's|its|this|that(?! [\w -]{1,30} of (?:mine|ours)\b)|that's|these|those|there(?! (?:is|are)\b.*\b(?:my|our)\b)|there's(?!.*\b(?:my|our)\b)|here|here's|you|you're|you've|you'll|your|he|she|they|what|one of (?:them|these|those)|who|anyone|someone|somebody|something|anything(?!.*\b(?:for|with) me\b)|everything|nothing (?:works|helps|happens)|thanks|thank|sorry|hope|glad|happy|nice|good|great|lovely|cool|no worries|no problem|sounds|looks|seems|feels|makes sense|just|so|such|how|why|not|also|the (?:one|ones|above|below|following|first|second|third|last|next|other|same|latter|former|rest|error|output|code(?! (?:name|review|freeze|owner|base|style)s?\b)|script|function|query|build|tests?(?! (?:environment|server|suite|account|system|data|team|lab|database|cluster)s?\b)|log|logs|page|file|button|screen|result|results|answer|question|problem|issue|weather|internet|wifi|download|upload|oven|sun|world|movie|film|book|article|paragraph|sentence|text|essay|email|letter|story|joke|song|word|example|point|thing|idea|reason|way|truth|fact|news|line|docs|documentation|bug|fix|solution|tutorial|video|link|image|picture|photo|table|list|name above|attached|attachment|snippet|message|document|report|draft|version|loop|variable|parameter|command|exception|greeting|intro|introduction|conclusion|title|heading|header|footer|caption|tone|wording|slide|bullet|chart|plot|axis|legend))(?![\w'-])/i;

const OWN_SUBJECT =
  /^(?:(?:both|all|some|most|none|half|one|two|three|neither|each|many)(?: of)? )?(?:my|our)\b/i;

/** Turns of phrase, and things that are only there for the conversation. */
/** Senses and skills, whose quality lasts: "my hearing isn't great". */
const SENSE =
  /^(?:my|our) (?:\w+'s )?(?:hearing|eyesight|vision|memory|balance|spelling|handwriting|sense of \w+|English|French|German|Spanish|credit)\b/i;

const PASSING_OWN =
  /^our (?:planet|world|sun|moon|species|society|galaxy|solar system|universe|ancestors|bodies|brains|atmosphere|oceans|climate|economy)\b|^(?:my|our) (?:(?:first|next|last|only|main|other|second|biggest|whole|current|new) )?(?:bad|pleasure|god|goodness|apologies|apology|point|questions?|problem|issue|guess|understanding|thoughts?|idea(?! of)|concern|mistake|fault|turn|error(?! (?:budget|rate|codes?))|screen|internet|wi-?fi|connection|browser|cursor|download|upload|terminal|brain|mind|head(?! of)|eyes (?:hurt|are tired|are burning)|battery|request|intention|prompt|input|output|sentence|paragraph|essay|text|message|reply|answer|draft|attempt|code|script|function|query|build|tests?|loop|program|regex|spreadsheet|formula|form|array|list|string|dataframe|dictionary|column|div|component|variable|json|csv|pdf|presentation|slides?|poem|speech|cover letter|chart|plot|graph|equation|matrix|timer|alarm|file|image|screenshot|stomach|(?:feet|legs) (?:hurt|ache|are (?!size))|hands are|life(?: is|'s)|soul|sanity|motivation|other car|sleep schedule|typing|typo|head hurts|heart (?:goes|breaks|sank)|hat's|take on|opinion|two cents|task|homework|assignment|exercise|condolences|congratulations|thanks|best (?:guess|wishes)|parcel|package|order|taxi|uber|coffee|tea|lunch|dinner|breakfast|pizza)\b(?! (?:number|(?:is|are) (?:all |mostly |only )?(?:written|run|hosted|kept|stored|built|generated)|lives?|runs? (?:on|in|with|every)|uses?|name|type|doctor))/i;

const ADVERB =
  "(?:(?:still|just|also|now|currently|finally|really|very|so|all|both|always|already|only|quite|almost|nearly|a bit|a little|too|not|\\w+ly) )*";
/** States of the day: "my train is late", "the server is down". */
const PASSING_PREDICATE = new RegExp(
  `(?:'s(?: been)?|\\b(?:is|are|was|were|isn't|aren't|feels?|looks?|seems?|gets?|got|went|has been|have been|keeps?)) ${ADVERB}(?:late|delayed|cancell?ed|down|up again|back up|broken|dead|dying|slow|slower|stuck|frozen|locked|full(?! of|-time| time)|empty|missing|wrong|gone|here|there|home|ready|done|finished|coming|over|soon|ok|okay|fine|great|good|nice|amazing|lovely|awesome|the best|a mess|a nightmare|hilarious|cute|adorable|funny|weird|crazy(?! about)|annoying|driving me|killing me|asleep|awake|tired|hungry|sick|ill|upset|angry|mad(?! about)|sad|happy|busy|bored|excited|confused|nervous|sleepy|crying|screaming|barking|sleeping|running (?:right|late|out|low)|running$|loading|buffering|failing|crashing|compiling|hanging|lagging|spinning|restarting|rebooting|heating|charging|cooking|boiling|playing up|acting up|making|calling|ringing|waiting|looking|asking|talking|watching|eating|sitting|standing|going (?:crazy|mad|nuts|well|on|off|great)|freezing|overheating|on fire|at \\d+ ?(?:%|percent)|(?:\\w+ )?(?:minutes|hours|mins) (?:late|away|behind)|on (?:the way|its way|hold)|in (?:the (?:car|shower|kitchen|post|mail)|transit|traffic)|wet|dry|dirty|open|closed (?:for|because)|in a (?:bad|good|foul|great|weird) mood|updating|installing|confirmed|unreachable|unavailable|offline|(?:green|red)(?= (?:again|now))|not working|working (?:now|again|fine)|out of (?:order|stock|date)|about to|due (?:any|back|in))(?![\\w-])` +
    "|\\b(?:isn't|aren't|is not|not|doesn't|won't|can't|stopped) (?:work|working|load|loading|compile|compiling|start|starting|open|run|respond|responding|connect|turn|charge|boot)\\b|\\b(?:just |have just |has just )?(?:crashed|froze|failed|broke down|hung|died on me|arrived|(?<!(?:is|are|was|were|'s|been|be|me|usually|always|both|also|all|actually|now|just|us) )called|texted|rang|hurts?|aches?|ate|wants? to know|(?:finally )?compiles?|spilled|knocked|woke|yelled|laughed|threw|puked|vomited|barked|escaped|beeped|exploded|timed out|just (?:now )?(?:\\w+ed|went|came|left|got|fell|said|ran|broke|sent|found))\\b",
  "i",
);
/** "My son is crying" passes; "my son is studying law" does not. */
const PROGRESSIVE =
  /(?:'s|\b(?:is|are|was|were)) (?:(?:still|just|also|now|currently|finally|not|always|\w+ly) )*([a-z]\w*ing)\b/;
const LASTING_PROGRESSIVE =
  /^(?:living|working|studying|training|learning|teaching|expecting|dating|getting|moving|retiring|raising|recovering|building|writing|leading|managing|handling|running|joining|leaving|taking|starting|launching|replacing|migrating|planning|saving|doing|seeing|growing|renovating|shipping|hiring|switching|caring|apprenticing|serving|divorcing|deaf|hearing|having|undergoing|using|renting|sharing|closing|opening|visually|fasting|teething|missing|graduating|willing|boarding|charming|outgoing|loving|caring|understanding|retraining|covering|owning|heading|coming|being|happening|turning)$/i;

/** "My son is doing his homework", "my neighbours are having a party". */
const HOUSEHOLD_ACTIVITY =
  /\b(?:doing (?:the|his|her|their|my|our|some) (?!\w* ?(?:phd|master|degree|doctorate|residency|apprenticeship|internship|military|a-levels|training))|having (?!(?:an? )?(?:\w+ )?(?:baby|child|twins|surgery|operation|transplant|affair|chemo|kids|boy|girl)\b)|taking (?:a (?:nap|shower|bath|break|walk|picture)|the (?:dog|bus|bins|rubbish|train)|pictures|notes)|getting (?:dressed|ready|up|angry|tired|cold|hot|worse|better)|seeing (?:stars|double)|writing (?:an? )?(?:e-?mail|letter|message)|coming (?:in|up|over now|home|round)|running (?:around|about|in|to))\b/i;

function isPassing(clause: string): boolean {
  if (SENSE.test(clause)) return PASSING_TIME.test(clause);
  if (
    LIFE_EVENT.test(clause.toLowerCase()) &&
    !/\b(?:cancelled|stopped (?:work|respond|load|charg))/i.test(clause)
  )
    return false;
  if (PASSING_TIME.test(clause)) return true;
  const lasts = DATED.test(clause) || HABITUAL.test(clause) || SCHEDULED.test(clause);
  if (PASSING_PREDICATE.test(clause))
    return !lasts || /\b(?:late|delayed|down|broken|not working|crashed)\b/i.test(clause);
  const activity = PROGRESSIVE.exec(clause)?.[1];
  if (activity === undefined || lasts) return false;
  return !LASTING_PROGRESSIVE.test(activity) || HOUSEHOLD_ACTIVITY.test(clause);
}

function judgeOwn(clause: string): boolean {
  return (
    !PASSING_OWN.test(clause) &&
    clause.split(" ", 4).length >= 3 &&
    hasFiniteVerb(clause) &&
    !HEDGED.test(clause) &&
    !isPassing(clause) &&
    !PRAISE.test(clause)
  );
}

const HEDGED =
  /\b(?:might|(?<!\b(?:in|by|until|till|since|next|last|this|of|before|after|from|early|late|mid|for|on|every|st|nd|rd|th) |\d )may (?!\d)|maybe|perhaps|probably|possibly|could be|i think|i guess|i suppose|seems? to|would be|should be)\b/i;
const PRAISE =
  /\b(?:is|are|was|were) (?:so |very |really |such |pretty |quite )?(?:an? )?(?:great|awesome|amazing|lovely|wonderful|terrible|awful|horrible|the best|the worst|nightmare|mess|disaster|joke|hilarious)[.! ]*$/i;

const FINITE_VERB =
  /'s |\b(?:is|are|was|were|isn't|aren't|wasn't|weren't|has|have|had|hasn't|haven't|does|do|doesn't|don't|didn't|did|can|can't|cannot|will|won't|must|shall|should|needs?|used|got|went|goes|became|takes?|took|runs?|ran|live|lives|lived|work|works|love|like|hate|prefer|speak|speaks|play|study|own|share|keep|start|end|eat|drink|go|come|came|make|made|gave|left|met|fought|led|drove|flew|rode|swam|wrote|wore|held|kept|lost|broke|spent|sang|spoke|chose|began|sat|stood|slept|paid|sent|hates?|loves?|say|says|said|grew|(?:told|taught) (?:me|us) (?:to|not to|how)|bought|sold|built|won|wear|read|cost|costs|run|use|call|want|need|die|died|sit|stand|sleep|know|think|believe|follow|support|belong|contain|include|depend|rely|teach|travel|visit|drive|fly|swim|sing|dance|cook|smoke|stay|begin|open|close|meet|report|handle|manage|lead|write|store|deploy|host|ship)\b|\b\w+(?:[^s\W]s|ed)\b/i;

/** "My parents celebrate …": the word after a plural noun is its verb. */
const PLURAL_WITH_VERB =
  /^(?:my|our) (?:[\w-]+ )?(?:[\w-]+s|kids|children|people) (?!(?:and|or|of|in|at|on|for|from|with|to|by|who|that|which|about|as|than|not)\b)[a-z]{3,} \w/;

function hasFiniteVerb(clause: string): boolean {
  const rest = clause.split(" ").slice(2).join(" ");
  return (
    FINITE_VERB.test(` ${rest}`) ||
    /^(?:my|our) [\w-]+'s /i.test(clause) ||
    /^(?:my|our) [\w-]+ \w+s\b/i.test(clause) ||
    PLURAL_WITH_VERB.test(clause)
  );
}

const NAME = "\\p{Lu}[\\p{L}'’-]*[\\p{L}]";
const TITLE =
  "(?:Mr|Mrs|Ms|Miss|Dr|Prof|Professor|Aunt|Auntie|Uncle|Grandma|Grandpa|Granny|Nana|Gran|Grandad|Coach|Sister|Father|Pastor|Captain|Mum|Mom|Dad)\\.?";
/** One to three names, alone or joined by "and", at the start of a clause. */
const NAMED_SUBJECT = new RegExp(
  `^(?:${TITLE} )?(${NAME})(?: (${NAME})){0,2}(?:,? (?:and|&) (${NAME})(?: ${NAME})?)?(?:, (?:the|our|my|a|an|who)[^,]{1,60},)?(?='s |'s$| )`,
  "u",
);
const TITLED = new RegExp(
  `^${TITLE}(?: \\p{Lu}|'s | (?:is|has|was|lives|works|loves|likes|used|turned|died|will|had|and)\\b)`,
  "u",
);
/** Words with a capital letter only because they begin the sentence. */
const NOT_A_NAME =
  /^(?:The|A|An|This|That|These|Those|It|He|She|They|We|You|I|My|Our|Your|His|Her|Their|Its|If|When|While|Since|Because|After|Before|Every|Each|All|Most|Many|Some|Any|No|Nobody|None|Everyone|Everybody|Someone|Somebody|Anyone|People|Everything|Nothing|Something|Today|Tomorrow|Yesterday|Now|Then|Here|There|What|Why|How|Who|Where|Which|Children|Kids|Dogs|Cats|Men|Women|God|Life|Love|Time|Money|Mother|Nature|Water|And|But|So|Or|Just|Not|Yes|Never|Always|Please|Thanks|Good|Great|Happy|Only|Also|Both|Either|Neither|Generally|Usually|In|On|At|For|From|By|With|To|Of|As|Dark|Standup|Production|Staging|Deadline|Contract|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Penicillin|Coffee)$/;
/** Predicates that only people have. */
const PERSON_PREDICATE =
  /^(?:'s | )(?:(?:is|isn't|was|are|aren't|were|has been|always|never|also|now|still|usually|really|no longer|doesn't|does not|can't|just|actually|only|mostly|mainly|both|don't) )*(?:reports? to|married|engaged|divorced|allergic|vegetarian|vegan|pregnant|retired|single|lactose|coeliac|diabetic|left-handed|works? (?:as|at|for|in|from|with|on|part|full|remotely|nights|the)|lives? (?:in|with|at|near|on|alone|next|abroad)|likes?|loves?|hates?|prefers?|dislikes?|enjoys?|wants? to|speaks?|studies|studied|teaches|plays the|drives a|owns the|leads (?:the|our)|manages (?:the|our)|handles|joined|joins|took over|takes over|(?:heads(?: up)?|runs|maintains|chairs|organi[sz]es|reviews|supervises) (?:the|our|all|every)|mentors|left (?:the|our|us|in)|quit|graduated|got (?:engaged|married|divorced|promoted|hired|the job|a)|gets (?:married|back)|turned \d|turns \d|starts (?:school|at|her|his|on|in|as|work)|started (?:school|at|her|his|as)|moved (?:to|in|out|back|from)|goes to|went to|on the \w+ team|on (?:maternity|paternity|parental|annual) leave|in charge|responsible|the (?:\w+ ){0,3}(?:owner|lead|manager|designer|engineer|director|head|ceo|cto|cfo|boss|godmother|godfather|best man|contact|accountant|lawyer|treasurer|captain|architect|admin|coordinator|secretary|chair|founder|maintainer|reviewer|approver|point person)|an? (?:\w+ ){0,3}(?:nurse|doctor|teacher|engineer|designer|lawyer|vet|vegetarian|vegan|student|colleague|friend|contractor|freelancer|accountant|architect|developer|consultant|manager|intern|plumber|electrician|dentist|chef|journalist|pilot|carpenter|translator|widow|widower)|signs? off|approves|looks after|takes care|coming (?:to|for|over)|arrives|visits|birthday|(?:wife|husband|daughter|son|kids|children|partner|birthday|mother|father|sister|brother|team|squad|email|number|contract|wedding|office|dog|cat)\b|had (?:a|her|his|their) (?:baby|surgery|operation|first|second)|his|her|their)\b/i;

function isPersonStatement(clause: string): boolean {
  if (TITLED.test(clause)) return !isPassing(clause) && !HEDGED.test(clause);
  const match = NAMED_SUBJECT.exec(clause);
  const first = match?.[1];
  if (match === null || first === undefined || NOT_A_NAME.test(first)) return false;
  const predicate = clause.slice(match[0].length);
  if (isPassing(clause) || HEDGED.test(clause) || HISTORICAL.test(clause)) return false;
  if (!FINITE_VERB.test(` ${predicate}`) && !predicate.startsWith("'s ")) return false;
  // One name with a plural verb is a plural noun: "penguins live in the south".
  if (match[3] === undefined && PLURAL_VERB.test(predicate)) return false;
  if (FULL_NAME.test(match[0]) && BIOGRAPHY.test(predicate) && !/\b(?:my|our|us|me)\b/i.test(predicate))
    return false;
  const person = PERSON_PREDICATE.test(predicate) || /\b(?:my|our|us|me)\b/i.test(predicate);
  if (person) return true;
  return isGivenName(first) && predicate.trim().split(" ").length >= 2 && !EVENT_OF_THE_DAY.test(predicate);
}

/** The lives of public figures, who go by their full names: "Frida Kahlo lived in Mexico City". */
const FULL_NAME = /^\p{Lu}[\p{L}'-]+ \p{Lu}[\p{L}'-]+$/u;
const BIOGRAPHY =
  /^ (?:was|were|lived|died|became|had|played|studied|grew|starred|wrote|founded|created|has (?:won|sold|written|played|starred)|plays for|owns|is an? (?:\w+ )?(?:actor|actress|singer|footballer|politician|writer|president))\b/;

const PLURAL_VERB =
  /^ (?:live|work|like|love|hate|prefer|enjoy|speak|want|go|are|have|need|play|eat|do|don't|aren't)\b/i;

/** Events long past and works of famous people are general knowledge. */
const HISTORICAL =
  /\b(?:1[0-8]\d\d|19[0-5]\d)\b|\b(?:wrote|painted|composed|invented|discovered|sang|starred|directed|won (?:the|an?|two|three|four|\d+)|conquered|ruled)\b|\b(?:century|empire|bc|ad)\b/i;
const EVENT_OF_THE_DAY =
  /^(?:'s | )(?:just |also |then )?(?:said|says|told|asked|thinks|thought|called|sent|wrote|replied|laughed|went|came|looks?|looked|seems|sounds|is (?:right|wrong|late|here|great|funny|awesome|cool|the (?:best|worst))|sucks|rocks|walks into|walked into|poisons|dies)\b/i;

const PROJECT_NOUN =
  "(?:environments?|sandbox|importer|crawler|scheduler|integration|modules?|firmware|prototype|projects?|apps?|application|services?|microservices?|backend|front-?end|repo|repository|monorepo|codebase|apis?|teams?|squad|company|site|website|database|db|servers?|staging|production|prod|pipeline|stack|product|startup|business|school|clinic|restaurant|shop|store|client|customers?|deadline|due date|launch|go-live|releases?|meetings?|standup|stand-up|retro|retrospective|demo|sprints?|contract|lease|codename|code name|budget|office|vendor|tickets?|pull requests|prs|migrations|deploys|deployments?|ci|invoices?|domain|staging url|url|ports?|endpoints?|bucket|cluster|queue|schema|rate limit|timeout|feature flags?|on-call|rota|rotation|roadmap|milestone|appointment|wedding|party|trip|flight|exam|course|twins|kids|children|baby|house|flat|car|landlord|conference|kickoff|offsite|workshop|review|backups?|logs|monolith|secrets|credentials are|branch(?:es)?|main branch|default branch|commits|docs live|design system|dashboard|worker|gateway|library|sdk|cli|billing|payments|checkout|login|auth|password policy|naming scheme|convention|policy|rent|mortgage|subscription|insurance|warranty|move|reservation|booking|ceremony|funeral|interview|surgery|operation|scan|grant|thesis|dissertation|tender|board|department|warehouse|factory|kitchen renovation|renovation|grant application|linting|code reviews?|formatting|planning|docs?|documents?|documentation|wiki|runbook|hiring|recruiting|error codes|codes|customer data|user data|data|retention|payroll|test suite|tests|versions?|timesheets?|salaries|wages|expenses|holiday requests|leave requests|metrics|alerts|incidents|style guide|handbook|on-call rota|shifts?|deliveries|orders|refunds|purchases|interviews|lectures|seminars|lessons|rehearsals|practice|training|names|birthdays?|anniversary|term|semester|season|plan|goal|target|objective|headcount|office hours|opening hours|key|keys are|certificates?|cache|emails? to|newsletter|blog|podcast|band|choir|club|society|garden|boat|dog|cat|bikes?|garage|cottage|caravan|sale|completion|rent|pension|visa|passport|licen[cs]e|prescription|treatment|therapy|diet|diagnosis|medication|dose|allergy|account|username|surname|address|number|manager|lead|owner|sponsor|contact|designer|developer|director|treasurer|intern|builders|plumber|cleaner|nanny|babysitter|accountant|lawyer|doctor|dentist|vet|tenant|bugs|ideas|neighbours|in-laws|working hours|hours|sla|vpn|grandparents|au pair)";
const PROJECT_SUBJECT = new RegExp(
  `^(?:(?:the|this|all|every|each|both) )?(?:[\\w/'-]+ ){0,3}?${PROJECT_NOUN}(?:'s?(?: [\\w-]+)?)?(?:,? (?:for|of|on|with|in|at|marked|to|between|about|from|behind) [\\w/'-]+(?: [\\w/'-]+){0,4}?)?`,
  "i",
);
const PROJECT_PREDICATE =
  "(?:'s|(?: (?:still|now|currently|also|already|only|mainly|always|never|usually|actually|\\w+ly))* (?:is|are|isn't|aren't|will be|was moved|were moved|has moved|has been (?:moved|renamed|replaced|pushed)|uses?|runs?|lives?|targets?|has|have|belongs?|starts?|ends?|needs?|requires?|supports?|relies|rely|depends?|handles?|stores?|deploys?|goes|go|moved|must|should always|consists?|expires?|renews?|closes?|opens?|costs?|reports?|sits?|lasts?|takes place|falls|share|shares|begins?|sells?|prefers?|wants?|expects?|speaks?|doesn't|don't|does not|no longer|can only|happens?|takes|owns?|talks to|listens|exposes|writes to|reads from|points? to|pays?|gets?|means?|works?|sends?|changes?|drops?|kicks? off|ships?|completes?|covers?|includes?|provides?|serves?|returns?|follows?|comes?|leaves?|arrives?|meets?|keeps?|makes?|builds?|grows?|teaches|teach|arrive|meet|does|do|signed|insisted|started(?: (?:as|in|out))?|approved|rejected|accepted|agreed|chose|raised|hired|launched|grew|switched|asked for|was (?:cut|raised|set|reduced|increased|extended|built|founded|written|renamed|split|replaced|rewritten|designed)))(?= |$)";
const PROJECT_STATEMENT = new RegExp(`${PROJECT_SUBJECT.source}${PROJECT_PREDICATE} ?\\S`, "i");
/** A plural or bare noun is general unless a date, a name or a number makes it particular. */
const BARE_SUBJECT = /^(?!the |this |all |every |each |both )/i;
const PARTICULAR =
  /\d|\b[\p{L}]+-[\p{L}]+-\d|\b(?:every|each|must|never|always|until|only|squashed|two|three|four|five|(?:mon|tues|wednes|thurs|fri)days?)\b|[\w-]\/[\w-]|\w\.\w/iu;
const PROPER_NAME = / (?:in|to|on|with|by|from|at|via|under|through|using|is|are) (?:the )?\p{Lu}[\p{L}\d]+/u;
/** Statements in general: "most startups …", "an API …", "good code …". */
const GENERAL =
  /^(?:an?|most|many|some|several|few|good|bad|great|modern|typical|any|people|no|more|other|such|usually|generally|in general|all (?:modern|good|big|children|people|humans|data)|the (?:average|typical|best|worst|first|human|modern|oldest|biggest|largest|longest|tallest|world|whole))\b/i;

/** Departments act like people: "Legal has to approve every press release". */
const DEPARTMENT =
  /^(?:Marketing|Legal|QA|Finance|HR|Sales|Ops|DevOps|Support|Engineering|Design|Security|Procurement|IT|Management|Accounting|Compliance|Purchasing|Logistics|Reception|Facilities|Head office|Head Office|HQ|Project \p{Lu}\p{L}+|[Ee]veryone (?:on|in|at) (?:the|our|my) \w+|[Nn]obody (?:on|in|at) (?:the|our|my) \w+|[Hh]ome) (?:is|are|owns?|has|have|must|needs?|signs?|approves?|handles?|wants?|meets?|reports?|uses?|works?|gets?|runs?|kicks|starts?|ends?|sits?|does|doesn't|takes?|reviews?|decides?|sends?|pays?)\b/u;

/** A statement with a date or an hour is about an arrangement, not about the world. */
function isScheduled(clause: string): boolean {
  return (
    SCHEDULED.test(clause) &&
    !GENERAL.test(clause) &&
    !CALENDAR_LORE.test(clause) &&
    !HISTORICAL.test(clause) &&
    !HEDGED.test(clause) &&
    PRESENT_VERB.test(clause) &&
    !isPassing(clause)
  );
}

const PRESENT_VERB =
  /^(?:[\w.,/'’&-]+ ){0,7}?(?:[\w.,/'’&-]+'s|(?:is|are|isn't|aren't|has|have|will|won't|must|needs?|gets?|runs?|starts?|ends?|begins?|opens?|closes?|happens?|goes|go|ships?|completes?|expires?|changes?|moves|moved|leaves|lands?|arrives?|takes?|falls|kicks|meets?|finishes|renews?|comes?|does|do|becomes|switches|launches|lasts|works?|plays|teaches|deploys?|sends?|pays?|drops?)) /i;
const CALENDAR_LORE =
  /^(?:in (?:the )?\w+(?: \w+)?,? (?!(?:the|our|my|we|i|everyone|all|every)\b)[\w-]+s (?:are|have|must|need|get|open|close)\b|(?:the )?(?:christmas|easter|halloween|thanksgiving|summer|winter|spring|autumn|ramadan|new year|valentine'?s|the olympics|olympics|world cup|school|shops|banks|museums|taxes|elections?|the sun|sun|moon)\b)/i;

/** Dates of public life: "the Premier League starts in August", "the new law comes into force on 1 January". */
const PUBLIC_EVENT =
  /^The (?:\p{Lu}\p{Ll}+ )+(?:starts?|begins?|ends?|opens?|closes?|takes|is|are|will|comes|runs|airs|returns|happens|falls|lasts)\b|^(?:[Tt]he |[Aa] |[Aa]n )?(?:[\w-]+ ){0,2}(?:laws?|[Ii]nterest rates|elections?|[Ii]nflation|[Pp]rices|[Tt]ax(?:es)?|league|tournament|olympics|world cup|government|parliament|senate|eclipse|economy|stock market|season (?:finale|premiere)|regulation|directive|referendum|solstice|equinox|full moon|super bowl|world championships?)\b(?!.*\b(?:my|our|us|we|me)\b)/u;

/** "In this repo …", and passives of work: "is handled by", "are tracked in". */
const WITHIN_PROJECT =
  /\b(?:in|for|on|across|of|by) (?:this|the|our) (?:\w+ )?(?:repo|repository|codebase|project|team|monorepo|company|office|department|squad)\b/i;
const WORK_PASSIVE =
  /\b(?:is|are|gets?|get|must be|must|should always be|will be) (?:\w+ly |always |never |all |only |being )?(?:owned|done|translated|printed|handled|cut|reported|sent|answered|routed|shipped|logged|tested|forwarded|escalated|delivered|exported|published|recorded|filed|submitted|allowed|forbidden|required|maintained|deployed|hosted|stored|managed|reviewed|tracked|tagged|versioned|documented|generated|triggered|scheduled|enforced|approved|signed off|billed|invoiced|paid|assigned|cached|encrypted|rotated|archived|kept|released|built|written|called|codenamed|named|capped|limited|frozen|booked|set|planned|merged|run|served|synced|backed up|monitored|deprecated|based|located|sponsored|funded|split|moved|replaced|rewritten|organised|organized|led|run by|headed|chaired)\b/i;

/** "The SLA is 99.9 percent", "the CEO wants weekly numbers"; not the bodies and things that everybody knows. */
const ACRONYM =
  /^(?:The|the) (?!(?:UN|EU|USA?|UK|UAE|WHO|NATO|NASA|FBI|CIA|BBC|GDP|CPU|GPU|DNA|RNA|RAM|IMF|NHS|NBA|NFL|FIFA|USSR)\b)[A-Z]{2,5}s? (?:is|are|uses?|runs?|has|have|must|wants?|needs?|expires?|lives?|starts?|ends?|reads|approves|signs|reviews|decides|insists|prefers|likes|hates|owns|joined|left|promised|asked)\b/;

/** Things of a team's work, which need no name or number to be particular. */
const WORK_SUBJECT =
  /^(?:[\w-]+ )?(?:tickets|releases|deployments|invoices|pull requests|prs|bugs|errors|incidents|alerts|expenses|timesheets|holiday requests|support (?:tickets|requests)|customer (?:complaints|data)|refunds|feature requests|migrations|backups|secrets|credentials)\b(?!.*\b(?:usually|often|typically|generally|can)\b)/i;

/** "MySQL is owned by Oracle". */
const BRAND =
  /^\p{Lu}\p{L}*\p{Lu}\p{L}* (?:is|was) (?:owned|developed|made|created|run|maintained) by \p{Lu}/u;

function isWorkPractice(clause: string): boolean {
  if (GENERAL.test(clause) || HEDGED.test(clause) || HISTORICAL.test(clause) || isPassing(clause))
    return false;
  if (WITHIN_PROJECT.test(clause)) return FINITE_VERB.test(` ${clause}`) && !PRAISE.test(clause);
  return (
    WORK_PASSIVE.test(clause) &&
    !BRAND.test(clause) &&
    (PARTICULAR.test(clause) ||
      PROPER_NAME.test(clause) ||
      SCHEDULED.test(clause) ||
      (WORK_SUBJECT.test(clause) && !GENERAL.test(clause)))
  );
}

/** "The old importer was retired in March". */
const DISCONTINUED =
  /^the (?:[a-z][\w-]* ){1,4}(?:was|were|has been|have been|will be|is being|got) (?:retired|deprecated|replaced|moved|renamed|merged|launched|cancelled|canceled|postponed|rewritten|migrated|dropped|discontinued|shut down|switched off|decommissioned|pushed|delayed until|rolled out|handed over|approved|signed)\b/i;

function isProjectStatement(clause: string): boolean {
  if (DEPARTMENT.test(clause)) return !isPassing(clause) && !HEDGED.test(clause);
  if (isWorkPractice(clause) || (DISCONTINUED.test(clause) && DATED.test(clause) && !HISTORICAL.test(clause)))
    return true;
  if (ACRONYM.test(clause)) return !HEDGED.test(clause) && !isPassing(clause);
  if (
    !PROJECT_STATEMENT.test(clause) ||
    GENERAL.test(clause) ||
    HEDGED.test(clause) ||
    isPassing(clause) ||
    PRAISE.test(clause)
  )
    return false;
  if (/\b(?:1[0-8]\d\d|19[0-6]\d)\b/.test(clause)) return false;
  return !BARE_SUBJECT.test(clause) || PARTICULAR.test(clause) || PROPER_NAME.test(clause);
}

/** A rule for a group: "anything above 5,000 euros needs sign-off from Birgit". */
const RULE =
  /^(?:anything|everything|nothing|anyone|everyone|nobody|no one|whoever|each|every|all|new (?:starters|hires|joiners|employees|customers|users|members|clients)) .*\b(?:needs?|must|has to|have to|gets?|goes|requires?|is (?:never|always)|without|has (?:its|their) own)\b/i;
const OF_A_PROJECT = new RegExp(`\\d|\\b${PROJECT_NOUN}\\b| (?:from|to|by|in|with|an?) \\p{Lu}\\p{L}+`, "u");

function isRule(clause: string): boolean {
  return (
    RULE.test(clause) &&
    OF_A_PROJECT.test(clause) &&
    !isPassing(clause) &&
    !HEDGED.test(clause) &&
    !/^all you\b/i.test(clause)
  );
}

/** A third-person statement that names the speaker: "penicillin gives me hives", "nobody in our family smokes". */
function involvesSpeaker(clause: string): boolean {
  if (!/\b(?:my|our|ours|mine|me|us|i|we)\b/i.test(clause)) return false;
  const words = clause.split(" ");
  return (
    words.length >= 4 &&
    FINITE_VERB.test(` ${clause} `.replace(/^ [\w-]+ /, /^there's/i.test(clause) ? " is " : " ")) &&
    !HEDGED.test(clause) &&
    !isPassing(clause) &&
    !PRAISE.test(clause) &&
    !/\b(?:tells?|told|gives? me an?|asks?|asked|sent|shows?|reminds?|made|makes) (?:me|us)\b(?! (?:sick|ill|sneeze|itch|anxious|nervous|sleepy|break|nauseous|drowsy|feel|wheeze|dizzy|bloated))/i.test(
      clause,
    ) &&
    !/\b(?:drives?|driving|let|helps?|helped|lost|confuses|bothers|bugs) me\b/i.test(clause)
  );
}
