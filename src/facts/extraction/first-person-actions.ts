// Actions of the speaker: "I work …", "I moved …", "I've run two marathons". Thoughts, remarks and events of the day
// are dropped.
import type { VerbPhrase } from "./clauses";
import { LASTING_ACTIVITY, PASSING_ACTIVITY } from "./first-person-states";
import {
  DATED,
  HABITUAL,
  isTaskObject,
  LIFE_EVENT,
  LIFE_EVENT_BASE,
  LONG_AGO,
  PASSING_TIME,
  SCHEDULED,
} from "./lasting-words";
import { isAnaphoric } from "./preference-rules";
import { judgeGoal, judgeNeed, LIFE_GOAL } from "./wants-and-needs";

// What the speaker has: "I have two cats", "I've got a question".

/** Things that one has in a conversation or on a day only. */
const PASSING_POSSESSION =
  /^(?:(?:an?|the|this|that|some|any|another|one|two|three|four|five|six|ten|fifteen|twenty|\d+|half|few|a few|a couple of|several|many|no (?=time|idea|clue|questions?|choice|doubt|words|problem|comment)|my|such|more|so many|other|further|too many|your|all) )*(?:(?:bit of an?|bit of|quick|small|tiny|little|follow-up|followup|final|last|silly|stupid|simple|basic|weird|strange|slight|serious|big|huge|major|minor|real|new|good|bad|hard|tough|long|rough|great|lovely|nice|terrible|splitting|pounding|funny|gut|strong|similar|same|different|related|busy|dog|work|general|technical|urgent|minor|sore|runny|killer) )*(?:[\w%]+ (?:all )?over|battery|\d+ ?% |questions?|problems?|issues?|errors?|bugs?|ideas?|thoughts?|doubts?|concerns?|feeling|hunch|favou?r|request|comments?|feedback|suggestions?|queries|query|minutes?|mins?|tabs|windows|moods|memory of|seconds?(?!-)|moments?|time|headache|stomach ?ache|hangover|hours?|days? (?:left|to)|opinion|preference|objections?|complaints?|flu|covid|hiccups|jet ?lag|cramps|cold|cough|fever|throat|nose|call|meeting|deadline|day|night|week|morning|weekend|look|think|point|trouble|difficulty|difficulties|fun|choice|option|options|sense|clue|trip|one|it|this|that|them|to|file|files|list|function|script|string|array|variable|table|column|code|snippet|dataset|csv|query|draft|essay|text|paragraph|sentence|triangle|circle|rectangle|matrix|equation|sequence|vector|graph|sample|plenty|enough|nothing|everything|something|anything|lunch|dinner|breakfast|coffee|tea|pizza|what|great|confession|rant|story|joke|chat|reason|news|update|hope|faith|high hopes|say|control|words|mixed feelings|been|blast|go|shower|nap|break|task|assignment|homework|exam today|hands)\b/;

function judgePossession(rest: string): boolean {
  return rest !== "" && !PASSING_POSSESSION.test(rest) && !isTaskObject(rest);
}

/** Events of the day in the perfect: "I've tried that". */
const PASSING_PERFECT =
  /^(?:tried|checked|seen|noticed|updated|read|done|added|attached|pasted|uploaded|downloaded|installed|restarted|rebooted|tested|looked|thought|heard|said|told|asked|sent|made|fixed|changed|got (?:it|this|that|home|back|in|up|off|out|here|there|through|going|started|rid of it|the (?:same|file|page|code|document|tab|app|output|error|following|error)|to (?:go|run|say|admit|ask|leave|get|be)|an? (?:question|problem|issue|error|idea|meeting|call|minute|second|moment|feeling|favou?r|bug|request|quick|bit of|headache|deadline|hunch|lot (?:on|to)|draft|task|follow-up|doubt|weird|strange|small|new (?:problem|error))|some (?:questions?|feedback|news|time|thoughts)|no (?:idea|clue|time)|two questions|another|everything|nothing|what|time|so much)|eaten|finished|just|read|clicked|opened|closed|run (?:the|it|this|out|into)|forgotten|decided|found|run|given (?:it|this|you|up on)|had (?:enough|a (?:look|think|long|rough|bad|good|great|busy|hard|terrible|crazy|coffee)|it|lunch|dinner|breakfast|to|no|this|that|the)|written (?:it|this|the|a (?:function|script|query|test|draft|reply))|come (?:across|up|to)|gone (?:through|over|with|back)|set (?:it|this)|reached|received|lost (?:it|track|count|the|my (?:place|train|keys|phone|temper))|missed|managed|figured|realised|realized|learned|learnt|spent (?:the|all|hours|two hours|an hour|ages|too)|put|left (?:it|this|the|you)|taken (?:a|the|it|your)|paid (?:for (?:it|this)|the)|been|followed|searched|googled|copied|moved (?:it|this|the (?:file|code|button|function))|replaced (?:it|this|the)|used (?:it|this|that)|created|committed|pushed|deployed|merged)\b/;

/** A number of times or things done in a life: "I've run two marathons". */
const COUNTED =
  /\b(?:\w+ times|twice|(?:two|three|four|five|six|seven|eight|nine|ten|\d+|dozens of|several) (?!minutes|mins|hours|seconds|questions|errors|files|tests|days|lines|of|options)[a-z]+)\b/;

export function judgePerfect(phrase: VerbPhrase, clause: string): boolean {
  const words = `${phrase.verb} ${phrase.rest}`;
  if (PASSING_TIME.test(clause) && !LIFE_EVENT.test(words)) return false;
  if (/^(?:wondered|wanted to (?:know|ask)|thought|meant|felt|assumed|believed)$/.test(phrase.verb))
    return false;
  if (
    phrase.negated &&
    phrase.adverbs.includes("never") &&
    !/^(?:seen|heard|thought|tried) (?:it|this|that|anything|such|so|of)\b/.test(words)
  )
    return true;
  if (phrase.verb === "got" || phrase.verb === "gotten")
    return !PASSING_PERFECT.test(words) && (judgePossession(phrase.rest) || SCHEDULED.test(clause));
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

/** Verbs of thinking, speaking and reacting. */
const MENTAL_VERB =
  /^(?:think|thinks|thought|guess|guessed|hope|hoped|feel|felt|mean|meant|see|saw|know|knew|understand|understood|agree|agreed|disagree|wonder|suppose|believe|wish|remember|remembered|forget|forgot|appreciate|bet|doubt|admit|care|mind|imagine|expect|assume|suspect|notice|noticed|realise|realize|realised|realized|reckon|figure|figured|gather|say|said|ask|asked|tell|told|apologise|apologize|thank|promise|insist|beg|regret|recall|trust|fear|worry|concur|hear|heard|recommend|suggest|propose|advise|like to think|look forward|welcome|congratulate|let|please|repeat|maintain that|happen|seem|seems|appear|tend to think|love it|dare|guarantee|sympathise|sympathize|second|vote|stand|sit|check|checked|laughed|laugh|cried|cry|smile|sigh|am|be|lol|confess|kid|joke|digress|declare|hereby|kindly|look|looked)$/;
/** Mental verbs with a lasting object: a skill, a faith, a belief. */
const LASTING_MENTAL =
  /^(?:know (?:\p{L}+(?: (?:pretty|very|fairly|really|quite) well| inside out| and \p{L}+| fluently| better than)|some \p{L}+|enough \p{L}+|\p{L}+ from (?:school|work|university|college|uni|church))|believe in|trust (?!you|me|this|that|it)|remember (?:names|faces|numbers)|forget (?:names|faces)|tell (?:my|everyone)|feel (?:\w+ )?(?:cold|tired|dizzy|anxious|nervous|guilty|safe|most|best|comfortable) (?:when|after|in|on|with|about)|worry (?:about|a lot)|know how to (?:drive|swim|cook|ride|ski|knit|sew|dance|sail|skate)|feel (?:more|most|best|less)|care (?:for (?:my|our)|about)|look after|sit (?:on the|in the|at the front)|vote (?:for|labour|green|conservative|democrat|republican)|think in|hear (?:better|poorly|badly|with|nothing|very)|see (?:a (?:\w+ )?(?:therapist|doctor|physio\w*|psychologist|counsell?or|specialist|chiropractor|psychiatrist|dentist|personal trainer)|my (?:\w+ )?(?:therapist|parents|kids|children|daughter|son|mum|mom|dad|doctor|family|ex|grandparents)|patients|clients|poorly|badly)|second-guess|stand at work|imagine (?:no)|expect (?:a baby|twins)|recommend (?:no))/u;
/** Plain actions of the moment. */
const PASSING_ACTION =
  /^(?:try|tried|click|clicked|press|pressed|type|typed|enter|entered|ran|opened|closed|added|removed|installed|restarted|rebooted|copied|pasted|attached|sent|updated|changed|deleted|downloaded|uploaded|wrote|made|found|got|noticed|fixed|tested|googled|searched|followed|used|put|set|had|ate|drank|watched|slept|woke|went|came|called|texted|emailed|talked|spoke|spent|walked|saw|read|paid|ordered|lost|missed|stayed|waited|met|played|cooked|cleaned|took|gave|left|broke|dropped|spilled|spilt|hit|fell|finished|started|needed|wanted|liked|bought|sold|rode|drove|flew|caught|shot|threw|stole|heard|felt|began|knew|chose|held|ended|turned|kept|managed|picked|grabbed|bumped|ran|gets?|overslept|laughed|napped|received|showed|brought|signed|scrolled|stared|did)$/;
const PAST_FORM =
  /^(?:\w{2,}ed|burnt|learnt|dreamt|spoilt|smelt|leapt|crept|wept|swept|lent|bent|dealt|slid|shook|froze|forgot|hid|bit|blew|drew|fed|fled|hung|laid|lit|rang|rose|sank|spun|stuck|struck|swore|swung|ran|wrote|made|found|got|put|had|ate|drank|slept|woke|went|came|spoke|spent|saw|paid|lost|met|took|gave|left|broke|spilt|hit|fell|kept|brought|did|became|began|bought|sold|built|taught|grew|knew|won|wore|led|held|quit|drove|flew|swam|sang|rode|chose|caught|fought|told|heard|felt|thought|shot|stole|tore|threw|understood|studied|married|tried|sent|was|were)$/;

export function judgeAction(phrase: VerbPhrase, clause: string): boolean {
  const { auxiliaries, verb, rest, negated, adverbs } = phrase;
  const words = `${verb} ${rest}`.trim();
  const aux = auxiliaries.at(-1) ?? "";
  const lasts =
    HABITUAL.test(clause) || DATED.test(clause) || adverbs.some((adverb) => FREQUENCY.test(adverb));
  const isLifeEvent = LIFE_EVENT.test(words);
  if (PAST_FORM.test(verb) && isTaskObject(rest) && !lasts && !/\b(?:books?|novels?|thesis)\b/.test(rest))
    return LONG_AGO.test(clause);
  if (verb === "used" && rest.startsWith("to ")) return !/^to (?:it|this|that)\b/.test(rest);
  if (PASSING_TIME.test(clause) && !isLifeEvent) return false;
  if (
    MENTAL_VERB.test(verb) &&
    !LASTING_MENTAL.test(words) &&
    !(verb === "hope" && rest.startsWith("to ")) &&
    !(
      HABITUAL.test(clause) &&
      /^(?:check|look|sit|stand|vote|ask|tell|read|remember|forget|see|hear)$/.test(verb)
    )
  )
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
      (negated && verb === "want" && rest.startsWith("to ") && LIFE_GOAL.test(rest.slice(3))) ||
      (/^(?:like|love) to\b/.test(words) &&
        /\b(?:one day|some ?day|eventually|before i|in the long (?:run|term)|long-term|at some point)\b/i.test(
          clause,
        )) ||
      (/^(?:like|love) to (?:be|become|learn|run|live|move|visit|have|own|start|retire|travel|speak|publish|climb|open|work|go|buy|study|build|stop|teach|spend)\b/.test(
        words,
      ) &&
        DATED.test(clause))
    );
  if (aux === "can" || aux === "could")
    return (
      aux === "can" &&
      !isAnaphoric(phrase) &&
      !PASSING_ABILITY.test(words) &&
      // "We can leave out the last step" is a suggestion.
      (negated || !/^we can\b/i.test(clause) || HABITUAL.test(clause) || /\d/.test(clause))
    );
  if (aux === "should" || aux === "must")
    return (
      /^(?:avoid|eat|drink|take (?:my|\d|it easy)|lift|carry|limit|stay (?:away|off|out)|wear|keep my|not eat|use an? inhaler)\b/.test(
        words,
      ) && !isAnaphoric(phrase)
    );
  if (/^(?:need|needs|needed|want|wants|wanted)$/.test(verb) && isTaskObject(rest)) return false;
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
        /^to (?:be (?:\w+ )?(?:compliant|certified|accredited|registered|insured|accessible|in (?:the office|by))|comply|support|adhere|avoid|take (?:\d|\w+ (?:every|daily))|wear|inject|use an?|eat|follow a|limit|watch my)\b/.test(
          rest,
        )
      );
    return judgePossession(rest) || (HABITUAL.test(clause) && !isAnaphoric(phrase));
  }
  if (/^(?:one|two|three|four|five|six|\d+)$/.test(verb) && aux === "did")
    return /^(?:\w+ )?(?:years?|months|terms|semesters|tours|marathons)\b/.test(rest);
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
  if (verb === "try" && rest.startsWith("to ")) return LIFE_GOAL.test(rest.slice(3));
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
      /^(?:became|grew|taught|led|fought|built|quit|won|learnt|studied|married|was|were)$/.test(verb)
    );
  }
  if (verb === "get")
    return (
      !/^(?:it|this|that|an?|the|you|what|error|errors|your|him|them|confused|lost|stuck|no|nothing|null|undefined|so|\d|why|how|one|some|these|those|back|to|[a-z]*error)\b/.test(
        rest,
      ) || lasts
    );
  if (verb === "keep") return !/^(?:it|this|that|\w+ing)\b/.test(rest) || HABITUAL.test(clause);
  if (isAnaphoric(phrase) && verb !== "know" && !adverbs.some((adverb) => FREQUENCY.test(adverb)))
    return false;
  if (adverbs.includes("just") && !negated) return isLifeEvent;
  return !(PASSING_ACTION.test(verb) && !negated && !lasts);
}

const FREQUENCY = /^(?:always|usually|often|rarely|seldom|generally|normally|typically)$/;

const PASSING_ABILITY =
  /^(?:see|smell (?:something|it|the|smoke)|find|log|sign in|access|believe|wait|figure|get|tell|think|understand|remember|open|connect|decide|stop|imagine|help|reproduce|hear|do (?:it|this|that|anything)|make (?:it|sense|out|this|that|heads|up|the)|come up|seem|quite|thank|say|promise|relate|explain|agree|confirm|send|share|give|provide|show|use (?:it|this|that|the)|install|load|download|upload|run (?:it|this|the)|try|also|just|only|feel|live with|guarantee|even|imagine|recall|work (?:it|this|out)|submit|click|save|be (?:there|bothered|sure|honest|right|the only|serious)|take (?:it|this|that|any)|read (?:it|this|that|the|your)|go (?:on|there|with|back)|keep up|focus|concentrate|sleep$|breathe|move$|complain|argue|always|build the|compile|edit|print|pay (?:for (?:it|this)|now)|join (?:the|now)|talk|fix|start the|ask|put (?:it|this|my finger)|follow|handle (?:it|this))/;
