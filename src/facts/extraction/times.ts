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
