// Expressions of time that tell a lasting statement from a passing one.

const MONTH =
  "(?:jan(?:uary)?|feb(?:ruary)?|march|april|may|june|july|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)days?";
const SEASON =
  "(?:spring|summer|autumn|fall|winter|christmas|easter|ramadan|diwali|thanksgiving|new year(?:'s)?)";
const NUMBER =
  "(?:\\d[\\d,.]*|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|several|many|a few|a couple of|some|about \\w+|over \\w+|nearly \\w+|almost \\w+)";

/** A date, or a time further away than tomorrow. */
export const DATED = new RegExp(
  `\\b(?:in|on|by|until|till|before|after|from|since|for|of|this|last|next|early|late|mid|during|come|every|each|around|through|over) (?:the )?(?:\\w+ )?(?:${MONTH}|${SEASON})\\b` +
    `|\\b${MONTH} (?:\\d|the )|\\b\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTH}\\b|\\b${WEEKDAY}\\b|\\bthe \\d{1,2}(?:st|nd|rd|th)\\b|\\b20[2-9]\\d\\b|\\b(?:in|by|since|until|from|till) (?:19|20)\\d\\d\\b|\\b\\d{1,2}[/.]\\d{1,2}\\b|\\bfor (?:our|my|his|her|their|\\w+'s) (?:\\w+ )?(?:anniversary|birthday|honeymoon|\\d\\dth)\\b|\\bhalf[- ]term\\b|\\bin a fortnight\\b|\\bwithin (?:the next )?\\w+ (?:weeks|months|years)\\b|\\bover the summer\\b|\\bgood friday\\b|\\b(?:spend|spending|celebrat(?:e|ing)) ${SEASON}\\b` +
    `|\\bnext (?:\\w+ )?(?:week|weekend|month|year|quarter|term|semester|season|sprint|${SEASON}|${MONTH})\\b|\\bthis (?:year|${SEASON}|coming|month|quarter|semester|term)\\b` +
    `|\\bin ${NUMBER} (?:more )?(?:days|weeks?|months?|years?)\\b|\\b(?:end|start|beginning|middle) of (?:the )?(?:week|month|year|quarter|q\\d|term|season|${MONTH})\\b|\\bq[1-4]\\b|\\bwhen i(?:'m| am| turn) \\w+|\\bbefore i turn\\b|\\bafter (?:graduation|graduating|university|college|school|my (?:degree|exams|maternity leave|parental leave))\\b`,
  "i",
);

/** A day, a weekday or an hour, or a repetition of one: statements about the world seldom have any. */
export const SCHEDULED = new RegExp(
  `\\b(?:on|by|from|until|till|every|each|next|for|to|before|is|are|'s) (?:the )?(?:\\w+ )?${WEEKDAY}\\b|\\b${MONTH} \\d{1,2}\\b|\\b\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTH}\\b|\\bthe \\d{1,2}(?:st|nd|rd|th)\\b|\\bnext (?:\\w+ )?(?:week|month|year|quarter|sprint|term|${SEASON}|${MONTH})\\b|\\bq[1-4]\\b|\\bin week \\d|\\bhalf[- ]term\\b|\\b(?:in|over|by|before|after|until|this) (?:the |early |late |mid-)?${SEASON}\\b|\\bin (?:early |late |mid-?)?(?:${MONTH}|20[2-9]\\d)\\b|\\b(?:end|start|beginning|last (?:working )?day|first \\w+|last weekend|first week) of (?:the |each |every )?(?:week|month|year|quarter|${MONTH})\\b|\\bat (?:noon|midnight|\\d{1,2}(?:[:.]\\d\\d)? ?(?:am|pm)?)\\b|\\bgood friday\\b|\\b(?:last|first) working day\\b|\\b(?:every|each) (?:second |other )?(?:day|week|month|year|morning|sprint|quarter|weekday|${MONTH}|${SEASON})\\b`,
  "i",
);

/** A repetition or a duration: the statement holds beyond the conversation. */
export const HABITUAL = new RegExp(
  `\\b(?:every|each) (?:other |second |third |single |few |two |three |four |five |six |\\d+ )?(?:day|night|morning|afternoon|evening|week|weekday|weekend|month|year|spring|summer|autumn|fall|winter|quarter|sprint|time|hours?|${WEEKDAY})|\\b(?:on|at) (?:weekends|weekdays|night|nights)\\b|\\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\\b` +
    "|\\b(?:daily|weekly|monthly|yearly|annually|nightly|regularly|twice|once|(?:two|three|four|five|six|\\d+) times) (?:a|an|per|every|each) \\w+|\\b(?:daily|weekly|monthly|yearly|regularly|mostly|mainly|primarily|exclusively|as a rule|for a living|on the side|most of the time|nowadays|these days|most days|all my life|my whole life|as a (?:kid|child|teenager|teen)|since (?:i|we|the|my|childhood|birth|(?:\\w+ )?(?:school|university|college|uni|kindergarten)|\\d|\\w+ \\d)|long-term|permanently|for good|for life)\\b" +
    `|\\bfor (?:the (?:last|past) )?(?:about |around |over |nearly |almost |more than )?${NUMBER} (?:weeks|months?|years?|decades?)\\b`,
  "i",
);

/** A past that is over for long: an event of a life, not of the day. */
export const LONG_AGO = new RegExp(
  `\\b(?:in|since|back in|around|until) (?:(?:early|late|mid)[ -])?(?:the )?(?:19|20)\\d\\d|\\b(?:years?|months?|decades?|weeks) ago\\b|\\blast (?:year|month|${SEASON}|${MONTH})\\b|\\bwhen (?:i|we) (?:was|were|lived|worked|studied)\\b|\\bas a (?:kid|child|teenager|teen|student)\\b|\\bgrowing up\\b|\\b(?:in|at|over) (?:my (?:\\w+ )?(?:twenties|thirties|forties|fifties|youth|childhood)|school|university|college|${MONTH}|${SEASON})\\b|\\bat (?:the )?age (?:of )?\\d|\\bthis (?:year|${SEASON})\\b`,
  "i",
);

/** The time of the conversation: the statement is over by tomorrow. */
export const PASSING_TIME =
  /\b(?:right now|just now|at the moment|at the minute|at present|for now|for the moment|today|tonight|this (?:morning|afternoon|evening|second|minute|instant|weekend)|tomorrow(?: morning| evening)?|yesterday|last night|as we speak|earlier|in a (?:minute|second|sec|moment|bit|few|while|hurry|rush)|in (?:\w+ )?(?:minutes?|mins?|seconds|hours?|an hour|half an hour)|(?:a |\w+ )?(?:minutes?|moments?|hours?|seconds?) ago|after (?:lunch|dinner|breakfast|this|that|work)|out there|later(?: today)?|out of (?:the )?(?:shower|bed)|so far today|all (?:day|morning|afternoon))\b/i;

// Events that change a life, a household or a project: they are lasting even if they happened today.

/** Events that change a life, a household or a project, in any form of the verb. */
export const LIFE_EVENT =
  /\b(?:mov(?:ed|ing) (?:to|from|in|into|out|away|back|house|here|abroad|over|our|the|off|everything)|relocated|emigrated|immigrated|settled|married|engaged|divorced|separated|widowed|graduat\w+|born|raised|grew up|grown up|brought up|retired?|quit|resigned|got (?:fired|the (?:job|role|position|place|visa|scholarship|grant|keys|contract|funding)|promoted|hired|divorced|married|engaged|laid|my (?:degree|licen[cs]e|citizenship|diploma|first|driving)|a (?:degree|scholarship|new job|job|dog|puppy|cat|kitten|promotion|tattoo|divorce|place|raise|diagnosis)|into (?!it|this|that|the (?:car|habit|details)))|laid off|(?:was|were|been) (?:fired|promoted|hired|accepted|elected|diagnosed|adopted|vaccinated|treated|operated)|hired|promoted|diagnosed|vaccinated|adopted|inherit\w*|bought (?:(?:a|an) (?!(?:\w+ )?(?:coffee|sandwich|snack|drink|beer|ticket|pizza|cake|tea|bottle|newspaper|pack|bag|few|bit)\b)|our|my|two|the (?:house|flat|apartment|land|farm|company|business|car|shop|plot)|(?:some )?(?:land|shares|property|stock))|sold (?:a|our|my|the)|purchased|founded|co-founded|start(?:ed|ing|s)? (?:a|an|my|our|the (?:company|job|project|course|business)|working|learning|studying|playing|school|university|college|as|at|therapy|\w+ing)|launch(?:ed|ing)|opened (?:a|our|my)|closed (?:our|my|the (?:shop|business|company|office))|joined|left (?:the (?:company|team|army|navy|church|country|industry|job|uk|us|eu)|my (?:job|husband|wife|partner|company|firm|old|last|position|home)|our (?:old|last)|school|home|university)|spent (?:my|our|\d|\w+ (?:years|months)|a (?:year|decade|semester))|lost (?:most of|my (?:job|wife|husband|mother|father|mum|mom|dad|son|daughter|brother|sister|dog|cat|leg|sight|hearing|sense|partner|best|licen[cs]e)|our|\d+ ?(?:kg|kilos|pounds|lbs)|a (?:child|baby|friend|brother|sister|parent|leg))|won (?:a|an|the|our|my|two|three|\d)|wrote (?:a|my|our|two|three|\d+) (?:\w+ )?(?:book|novel|thesis|dissertation|memoir|album|song|paper|plugin|library)s?|published|studied|majored|trained as|qualified|served|fought|enrol?led|signed (?:up|a (?:lease|contract)|the (?:lease|contract|papers))|passed (?:my|the (?:bar|exam|driving))|failed (?:my|the (?:bar|exam|driving))|broke (?:my|a|both)|had (?:(?:both|my|one|two|all|an?) (?:[\w-]+ ){1,3}(?:removed|replaced|operated|amputated|transplanted|out)|a (?:baby|son|daughter|stroke|heart|miscarriage|c-section|concussion|dog|cat|stent|transplant|hip|knee|kidney|fall|seizure|vasectomy|hysterectomy|bypass)|an? (?:\w+ )?(?:operation|surgery|replacement|accident|transplant|removal|injury|episode|scare)|surgery|chemo|cancer|covid|twins|my (?:\w+ ){1,3}(?:removed|replaced|out|operated|done|diagnosed)|our (?:first|second|third))|underwent|survived|recovered|converted|switched (?!(?:it|this|that|them|tabs?|off|on|the)\b)|migrated|(?:replaced|upgraded|renamed) (?!(?:it|this|that|them|all|every|the (?:variable|function|file|column|class|word|comma|string|line|tab|method|button|folder|image|cell|key|value|parameter|field|test|import|code|dependency|package|library|version|colou?r|font|title|text|battery|bulb))\b)|stopped (?!(?:it|this|that|the|here|there)\b)|gave up|given up|took up|taken up|dropped out|became|become|turned (?:\d|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)|died|passed away|gave birth|miscarried|lived|worked (?:as|at|for|in)|work(?:ed)? there|taught (?!me|you|him|her)|went to (?:\w+ ){0,4}(?:school|university|college|uni|art school|med school|law school|boarding school)|attended|met (?:my|our|her|him|each|(?:in|at) (?!the\b|a\b|an\b|my\b|person\b|front\b|\d|noon|lunch))|fell in love|came out|came to (?:the (?:us|uk|states|country|netherlands)|[a-z]+ (?:in|from|as|when))|travell?ed|backpacked|climbed|ran (?:a|the|my) (?:\w+ )?(?:marathon|half|10k|5k|ultra|company|business|shop|restaurant|caf[eé]|bakery)|completed (?:a|my|an|the)|finished (?:my (?:degree|phd|master|thesis|studies|training|residency|apprenticeship|first|novel)|school|university|college)|cancelled (?:my|our)|cancelled (?:the (?:contract|subscription|wedding))|built (?:a|an|our|my)|renovated|planted|got rid|(?:traded|swapped) (?:my|our) .+ for|put (?:in )?an offer|learn(?:ed|t) (?:to|how to) \w+|picked up (?:the (?:violin|guitar|piano|habit)|\w+ing)|signed|filed for|paid off|came back from|emigrate|outgrew|suffered|developed|contracted|tore|sprained|fractured|donated|volunteered|coached|raised)\b/;

/** The same events after "did not" and "did". */
export const LIFE_EVENT_BASE =
  /^(?:go to (?:\w+ )?(?:school|university|college|uni)|finish (?:school|university|college|my)|grow up|graduate|marry|get (?:married|the job|into|my)|study|pass (?:my|the)|learn (?:to|\w+ (?:until|as))|have (?:kids|children|siblings|a (?:father|mother|car|tv))|vote|renew|move|attend|serve)\b/;

// Parts of the text, code or data at hand. A sentence about them is about the task of the turn: "I have a JSON file",
// "I renamed the variable".

const TASK_OBJECT =
  "(?:form|presentation|survey|timer|variable|function|method|class|object|component|div|span|button|file|folder|json|xml|yaml|csv|pdf|spreadsheet|document|dataframe|dict|dictionary|array|list|tuple|string|integer|number|column|row|cell|table|regex|loop|query|script|snippet|code|program|import|parameter|argument|field|value|key|tab|line|(?:for |while )?loop|word|comma|semicolon|sentence|paragraph|heading|header|footer|title|subtitle|intro|introduction|conclusion|greeting|bullet|bullet point|slide|chart|plot|figure|axis|legend|caption|draft|essay|poem|speech|toast|cover letter|letter|e-?mail|message|reply|text|wording|tone|output|input|link|page|image|picture|screenshot|error|exception|stack trace|warning|exercise|equation|formula|triangle|circle|rectangle|matrix|vector|graph|dataset|sample|example|version|option|template|slogan|headline|summary|outline|test|settings?|cache|dependency|package|branch|commit|merge conflict)(?:s|es)?";

/** The object of a verb, at the start: a determiner, at most two other words and the noun. */
const OBJECT = new RegExp(
  `^(?:(?:an?|the|this|that|these|those|some|any|another|two|three|four|five|several|many|\\d+|my|our|all|both|each|one|just|only|first|last|second) ){0,3}(?:[\\w-]+ ){0,2}?${TASK_OBJECT}(?= (?:and|but|or|that|which|with|from|to|for|in|on|of|by|about|into|so|because|again|now|as|at|here|below|above|where|whose|when|called|named|open|to|like|containing|it|i|you|overnight)\\b| ?[,.;:]|$)`,
);

/** Whether the words after a verb begin with a part of the task at hand. */
export function isTaskObject(rest: string): boolean {
  return OBJECT.test(rest);
}
