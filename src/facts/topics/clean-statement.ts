// Reduces a statement to one plain clause for the fact parser: strips openings, adverbs, corrections and dates of the
// change, and refuses everything that asserts no lasting present fact. A wrong replacement hides a memory, so any doubt
// refuses.
import { collapseWhitespace } from "../../language/normalise-text";

/** Longer texts hold more than one statement. */
const MAX_CHARS = 300;

type CleanStatement = {
  /** The clause that states the fact. */
  clause: string;
  /** An earlier clause that a pronoun ties to it: "Maria left Paris" in "Maria left Paris, she lives in Rome now". */
  before: string | null;
  /** Both clauses together, for a break that was none. */
  whole: string;
};

/** Returns the clause of a statement that holds a fact; null if it asserts no lasting present fact. */
export function cleanStatement(content: string): CleanStatement | null {
  if (content.length > MAX_CHARS) return null;
  const line = content.normalize("NFKC").replace(/[‘’ʼ]/g, "'").replace(/[“”]/g, '"').trim();
  if (line === "" || /[\n\r?]/.test(line)) return null;
  const text = rewritePhrases(expandContractions(collapseWhitespace(line).replace(/[\s.!…]+$/, "")));
  const [first = "", second] = splitClauses(text);
  if (UNCERTAIN.test(maskQuotes(text)) || MAY.test(maskQuotes(text))) return null;
  const last = stripTails(second ?? first);
  const clause = maskQuotes(last);
  if (HISTORICAL.test(clause) || PAST.test(clause) || NEGATED.test(clause)) return null;
  return {
    clause: stripAdverbs(last),
    before: second === undefined ? null : stripAdverbs(first),
    whole: stripAdverbs(stripTails(text)),
  };
}

function maskQuotes(text: string): string {
  return text.replace(/`[^`]*`|"[^"]*"/g, "x");
}

const OPENINGS = [
  /^(?:(?:a )?(?:change|changes) of plans?|new plan|i (?:was|were) (?:wrong|mistaken)|i (?:have )?(?:made a mistake|got (?:it|that) wrong|misspoke|mixed (?:it|that|this|things) up|changed my mind)|forget (?:that|what i said)|ignore (?:that|my last message)|to correct myself)(?: (?:about|on|with|before|earlier) [^:;,.]{1,40}?)?(?::|,|;|\.| -| —| –) ?(?:and |but )?/i,
  /^(?:after|following|since|with) (?:the|my|our|his|her|a|an|\d+|two|three|four|five|six|seven|eight|nine|ten|many|several) [^,]{1,50}, /i,
  /^(?:(?:quick |small |minor |important |big )?(?:correction|update|edit|fix|change|note|fyi|news|heads[- ]?up|reminder|for the record|good news|big news|fact|preference|decision|decided|convention|rule|memo|info|nb|ps))(?: (?:on|about) (?:this|that|me|my side|my end))?(?::|,|;|\.| -| —| –|!) ?/i,
  /^(?:actually|basically|btw|by the way|anyway|anyhow|also|so|well|oh|ah|hey|hi|hello|ok|okay|sorry|oops|whoops|no|nope|yes|yeah|yep|right|wait|hm+|listen|look|in fact|as it happens|turns out|it turns out(?: that)?|i misspoke|my mistake|my bad|scratch that|let me correct (?:that|myself)|just so you know|just to let you know|for your information|guess what|good news|finally|officially)(?:,|:|\.| -| —| –|!|;) ?/i,
  /^(?:actually|btw|turns out|it turns out|so|well|fyi) (?:that )?(?=\S)/i,
  /^(?:please )?(?:note|remember|keep in mind|be aware|know|record|save|store)(?: that|:|,) /i,
  /^(?:i|we) (?:wanted|want|have|need|should|must) to (?:let you know|tell you|correct myself|mention|say)(?: that|:|,) /i,
  /^(?:i am|we are) (?:happy|glad|pleased|sad|sorry|proud|excited) to (?:say|announce|report|tell you)(?: that)? /i,
  /^(?:(?:we|the team|it)(?: have| has| was)? (?:decided|agreed|settled)(?: that| to)|the decision is (?:to|that)) (?!on\b|against\b|with\b)/i,
  /^(?:as of|effective|since|starting|beginning|from) (?:now|today|(?:this|last|next) (?:week|month|year|quarter)|(?:[a-z0-9-]+ ){0,2}?[a-z0-9-]+)(?: on(?:wards?)?)?,? (?=(?:i|we|my|our|the|please)\b|[\p{Lu}])/iu,
  /^(?:from now on|going forward|from here on|nowadays|these days|currently|presently|at present|now|recently|lately|(?:just )?(?:yesterday|last (?:week|month|year|night|spring|summer|autumn|fall|winter|monday|tuesday|wednesday|thursday|friday|saturday|sunday))),? /i,
] as const;

/** Openings may be stacked: "Sorry, correction: …". */
const MAX_OPENINGS = 4;

function stripOpenings(text: string): string {
  let rest = text;
  for (let round = 0; round < MAX_OPENINGS; round += 1) {
    const shorter = OPENINGS.reduce((at, opening) => at.replace(opening, ""), rest);
    if (shorter === rest || shorter === "") break;
    rest = shorter;
  }
  return rest;
}

/** Phrases that read like a guess, a negation or a correction, and are none. */
const REWRITES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:works|passes|runs) again$/i, "is working"],
  [/\beats? no meat$/i, "eats vegetarian"],
  [/\b(am|is|are) going out with /i, "$1 dating "],
  [/\b(am|is|are) not married$/i, "$1 unmarried"],
  [/ by default$/i, ""],
  [/\b(at \S{1,8}) in the (morning|afternoon|evening)\b/i, "$1 $2"],
  [/\b(?:is|are|stays?) open (?:until|till) /i, "closes at "],
  [/\bonce (?=an? |per |every )/i, "1 time "],
  [/\btwice (?=an? |per |every )/i, "2 times "],
  [/^home is (?:in )?(.{2,40}?)(?: for me)?(?= now$|$)/i, "my home is in $1"],
  [/\b(has|have) since (?=\p{L}+ed\b)/iu, "$1 "],
  [
    /\b(?:must|should|needs? to|(?:has|have) to) (?:be|have) (?=(?:at least|at most|no more than|up to) [\d$€£])/i,
    "is ",
  ],
  [/\b(?:runs?|lasts?|is valid|are valid|is good|stays open) (?:until|till|through) /i, "ends on "],
  [/\b(is|are|am) no longer [^,;]{1,40}?,? but (?:now )?(?=\S)/i, "$1 "],
  [/\bdo(?:es)? not eat (?:any )?meat(?: any ?more| any longer)?$/i, "eats vegetarian"],
  [/\b(postponed|delayed|extended|pushed(?: back| out)?|moved|deferred|rescheduled) until\b/gi, "$1 to"],
  [
    /\b(is|are|has|have) not (?:yet )?(?:been )?(done|started|finished|complete|completed|approved|merged|paid|signed|released|launched|deployed|confirmed|submitted|resolved|published)(?: yet)?$/i,
    "$1 un$2",
  ],
  [/ (?:instead of|rather than|in place of) [^,;:]{1,40}?(?= (?:for|as) )/i, ""],
  [/\b(is|are) not ([^,;]{1,40}),? but (?=\S)/i, "$1 "],
];

function rewritePhrases(text: string): string {
  return REWRITES.reduce((at, [pattern, plain]) => at.replace(pattern, plain), stripOpenings(text));
}

const CONTRACTED_HAS =
  "moved|relocated|joined|switched|been|changed|started|got|gotten|turned|left|taken|become|gone|renamed|settled|quit|accepted|migrated|upgraded|bought";
const CONTRACTED_IS =
  "now|living|working(?! hours| time| days| title| directory| group| language)|based|married|engaged|divorced|single|widowed|vegan|vegetarian|pescatarian|employed|called|named|due(?! date)|running|hosted|deployed|on|in|at|a|an|the|no longer|currently|actually|my|our|still|back";

/** "It's" is expanded before "is" and "has" are told apart by the next word. */
const CONTRACTIONS: readonly (readonly [RegExp, string])[] = [
  [/\b(I)'m\b/gi, "$1 am"],
  [/\b(I|we|they|you)'ve\b/gi, "$1 have"],
  [/\b(we|they|you)'re\b/gi, "$1 are"],
  [/\b(I|we|they|you|he|she|it)'ll\b/gi, "$1 will"],
  [/\b(I|we|they|you|he|she|it)'d\b/gi, "$1 would"],
  [
    new RegExp(`(\\p{L})'s (?=(?:just |now |recently |already |finally )?(?:${CONTRACTED_HAS})\\b)`, "giu"),
    "$1 has ",
  ],
  [new RegExp(`(\\p{L})'s (?=(?:${CONTRACTED_IS})\\b)`, "giu"), "$1 is "],
  [/\b(it|he|she|that|there)'s\b/gi, "$1 is"],
  [/\b(name|number|e-?mail|birthday|phone|mobile|deadline|timezone)'s (?=\S)/gi, "$1 is "],
  [/(\p{L})'s (?=[\d+$€£])/gu, "$1 is "],
  [/\b(is|are|was|were|do|does|did|has|have|had|wo|ca|would|could|should|must|might)n't\b/gi, "$1 not"],
];

function expandContractions(text: string): string {
  return CONTRACTIONS.reduce((at, [pattern, full]) => at.replace(pattern, full), text);
}

const PERIOD =
  "(?:morning|afternoon|evening|week|weekend|month|quarter|semester|term|sprint|season|spring|summer|autumn|fall|winter|year|trip|visit|time|once)";

/** Words that make a statement a guess, a wish, a plan, a condition, a report or a fiction, or limit it in time. */
const UNCERTAIN = new RegExp(
  [
    "\\b(?:might|could|would|should|shall|perhaps|maybe|possibly|probably|likely|unlikely|presumably|supposedly|allegedly|reportedly|apparently|seems?|seemed|appears?|guess|suppose[ds]?|assum\\w+|doubt\\w*|unsure|uncertain|unclear|not sure|no idea|roughly speaking|potentially|hopefully|tentatively|theoretically|hypothetically)\\b",
    "\\b(?:if|unless|whether|when|whenever|while|once|except|until|till|unless|in case|as long as|provided|suppose|imagine|pretend|assuming|otherwise)\\b",
    "\\b(?:thinking|considering|(?:plan(?:s|ned|ning)?) (?:to|on)|hop(?:e|es|ing)|wish(?:es)?|wants?|wanted|would like|love to|intend\\w*|aim(?:s|ing)|going to|about to|looking (?:to|for|at)|trying to|tr(?:y|ies|ied)|dream\\w*|wonder\\w*|expects?|expected to|need(?:s|ed)? to|(?:has|have) to|ought|must|applying|applied)\\b",
    "\\b(?:says?|said|tells?|told|thinks?|thought|believ\\w+|claims?(?= (?:that|the|to|i|he|she|we|they|it|my|everyone|our)\\b)|claimed|heard|hears?|reckons?|insists?|mentioned|suggest\\w*|recommend\\w*|propos(?:e|es|ed|ing)|according to|rumou?rs?|rumou?red|argues?|mistook|mistakenly|wrote that|asked|asks|joked?|joking|kidding|lol|haha)\\b",
    `\\b(?:this ${PERIOD}|next ${PERIOD}|today|tonight|tomorrow|this once|right now|at the moment|for now|for the (?:moment|time being|next|rest|summer|winter|weekend|week|month|holidays?|day|night|season)|temporar\\w+|for (?:a|an|one|two|three|four|five|six|\\d+|a few|a couple of|several|some) (?:\\w+ )?(?:hours?|days?|nights?|weeks?|months?)|during|on (?:vacation|holiday|leave|a trip)|visiting|staying|covering for|filling in|standing in|acting|interim|provisional\\w*|on (?:weekends|weekdays)|sometimes|occasionally|often|partly|part[- ]time|seasonally|in (?:the )?(?:spring|summer|autumn|winter|mornings?|evenings?|afternoons?))\\b`,
    "\\b(?:also|as well|too|another|additionally|besides|both|either|neither|one of|some of|among|a second|the other)\\b",
    "\\b(?:in|from) (?:the|my|our|his|her|this|that|a) (?:play|novel|book|film|movie|story|game|series|show|dream|script|comic|example|scenario|song|poem|simulation|tutorial|demo)\\b",
    "\\b(?:never|nobody|nothing|cannot|can not|won't|will not|almost|nearly|not yet|far from)\\b",
  ].join("|"),
  "i",
);
const HISTORICAL =
  /\b(?:used to|formerly|once|back then|back when|in the past|originally|at the time|ago|years earlier|before that|previous(?:ly)?|former|ex-\w+|(?:my|our|the|his|her) old|earlier|historically|initially|at first|had|did|(?<!half |quarter )past)\b/i;
const NEGATED = /\b(?:not|no longer|without|none)\b/i;
/** The auxiliary, not the month. */
const MAY = /\bmay\b/;
/** "was" states the past, unless it reports a change that holds. */
const PAST =
  /\b(?:was|were)\b(?! (?:\w+ly )?(?:born|promoted|rebooked|rearranged|doubled|tripled|halved|turned down|elected|settled|reinstated|sold|delivered|renewed|repaired|fixed|relocated|published|deployed|changed|moved|updated|set|raised|lowered|increased|decreased|reduced|cut|bumped|upgraded|downgraded|switched|pushed|brought|extended|postponed|rescheduled|delayed|shifted|migrated|renamed|rebranded|corrected|adjusted|reassigned|transferred|handed|passed|relocated|rewritten|ported|replaced|approved|rejected|closed|paid|completed|cancelled|canceled|merged|finished|accepted|appointed|named|taken over|made|hired|released|shipped|launched|resolved|denied|granted|signed|archived|deprecated)\b)/i;

/** The part of a correction that names the wrong value. */
const WRONG = "(?:[^,;:.]|\\.(?=\\S)){1,60}$";
const REPAIRS = [
  new RegExp(`,?(?: and| but)? not ${WRONG}`, "i"),
  new RegExp(
    `,? (?:and |but )?(?:no longer|instead of|rather than|in place of|as opposed to|replacing|which replaces|up from|down from) ${WRONG}`,
    "i",
  ),
  new RegExp(`, (?:it )?(?:previously|formerly|was|used to be) ${WRONG}`, "i"),
  / ?\((?:was|were|previously|formerly|not|used to be|up from|down from|before:?|old:?|instead of|no longer|replaces|replacing|ex-)[^()]{1,60}\)$/i,
] as const;

function stripRepairs(text: string): string {
  return REPAIRS.reduce((at, repair) => {
    const shorter = at.replace(repair, "");
    // "My email is not a@x.com" asserts no value.
    return /\b(?:is|are|am|do|does|has|have|was|were|did)$/i.test(shorter) ? at : shorter;
  }, text);
}

const TAILS = [
  /(?<!\b(?:looks?|takes?|goes|go|named|called|expires?|out|deleted|purged|removed|rotated|archived)),? (?:effective immediately|with immediate effect|(?:ever )?since (?:the|my|our|his|her|then|last|yesterday)\b.{0,40}|after (?:the|my|our|his|her|all|a|an|many|\d+|two|three|four|five|six|ten)\b.{0,40}|in the end|all of a sudden)$/i,
  /,? (?:and |but )?(?:i|we) (?:(?:have|had) )?(?:just )?(?:checked|measured|mixed|looked|asked|confirmed|miscounted|misremembered|mistyped|misspoke|confused|double-checked|made a|got (?:it|that|the)|wrote|remembered|(?:was|were) (?:wrong|mistaken|off))\b.{0,40}$/i,
  /,? (?:i checked|i(?: have)? (?:just )?(?:double-)?checked|by the way|btw|fyi|sorry|my mistake|my bad|to be (?:precise|exact|clear)|just so you know|for the record|thanks?|thank you|please|in fact|actually|after all|of course|obviously|finally|officially|at last|permanently|for good|full[- ]time|instead|any ?more|from now on|going forward|onwards?|nowadays|these days|by now|at present|now|currently|already|again|recently|yesterday)$/i,
  /,? (?:last|this past) (?:week|month|year|night|quarter|spring|summer|autumn|fall|winter|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december)$/i,
  /,? (?:as of|since|starting|beginning|effective|from) (?:the )?(?:now|today|[a-z]{0,8} ?(?:19|20)\d\d|(?:this|last|next) (?:week|month|year|quarter)|(?:\d{1,2}(?:st|nd|rd|th)? )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*(?: \d{1,2}(?:st|nd|rd|th)?)?(?:,? (?:19|20)\d\d)?|monday|tuesday|wednesday|thursday|friday|saturday|sunday|childhood|birth)(?: on(?:wards?)?)?$/i,
  /,? (?:because|so that|in order to|due to|thanks to|as (?:it|we|they|he|she|i)\b) ?[^:]{1,150}$/i,
  /, \p{Lu}[\p{L}'-]+ (?:has |is )?(?:left|retired|resigned|quit|gone|moved on|stepped down)$/u,
  / ?[:;]-?[)(DP]$| ?[\u{1F300}-\u{1FAFF}\u2600-\u27BF]+$/u,
] as const;
const MAX_TAILS = 4;

function stripTails(clause: string): string {
  let rest = clause.replace(/[\s.,;!]+$/, "");
  for (let round = 0; round < MAX_TAILS; round += 1) {
    const shorter = TAILS.reduce((at, tail) => at.replace(tail, ""), stripRepairs(rest)).replace(
      /[\s.,;!]+$/,
      "",
    );
    if (shorter === rest || shorter === "") break;
    rest = shorter;
  }
  return rest;
}

const ADVERBS =
  /(?<=\s)(?:now|just|currently|presently|recently|finally|officially|already|actually|still|again|really|indeed|nowadays|lately|newly|formally|permanently|successfully|simply|usually|normally|generally|mainly|mostly)(?=\s|,|$)/g;

function stripAdverbs(clause: string): string {
  return clause.replace(ADVERBS, "").replace(/\s+/g, " ").replace(/ ,/g, ",").trim();
}

/** A second clause that a pronoun ties to the first: "Maria left Paris; she lives in Rome". */
const CLAUSE_BREAK =
  /(?:(?:[,;:.!]| -| —| –)(?: and| but| so)?| and| but| so) (?:now )?(?=(?:(?:I|we|she|he|they|it|that|this) (?:now )?(?:is|are|am|has|have|lives?|works?|uses?|moved|joined|runs?|costs?|starts?|goes|reports?|prefers?|weighs?|drives?|eats?|switched)|(?:my|our|his|her|their|its|the) (?:new |current )?[\p{L}-]+(?: [\p{L}-]+)?(?: (?:of|for|at) (?:the |our |my )?[\p{L}-]+)? (?:is|are)|(?:now )?(?:lives?|works?|uses?|drives?|eats?|reports? to|goes by|moved to|joined|started at|switched to|settled in)|(?:is|am|are) now|(?:is|am|are) \d+ now)\b)/iu;

/** A second sentence with a subject of its own: "Ruth stepped down; the CEO is Jon". */
const SENTENCE_BREAK = /(?:[;!]| -| —| –|(?<=\p{Ll}{3})\.) (?=\p{Lu}|(?:the|my|our) )/u;

function splitClauses(text: string): string[] {
  const found = CLAUSE_BREAK.exec(text.slice(1)) ?? SENTENCE_BREAK.exec(text.slice(1));
  if (found === null || found[0].trim() === "") return [text];
  const at = found.index + 1;
  return [text.slice(0, at), text.slice(at + found[0].length)];
}
