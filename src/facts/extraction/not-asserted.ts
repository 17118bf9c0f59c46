// Sentences that assert nothing of lasting value whatever they are about: code and logs, questions, requests,
// conditions, fiction and jokes.

/** Activities that are over within the hour. */
export const SHORT_LIVED =
  /\b(?:brb|afk|for (?:lunch|dinner|breakfast)|(?:a|some|another) (?:coffee|snack|nap)|not to say)\b/i;

/** Code, logs, stack traces, tables, data and the output of tools within prose. */
export const NOT_PROSE: readonly RegExp[] = [
  /[{};]$|=>|==|\w\(\)|https?:\/\/\S{80}/,
  /^[[{<|]|^\$ |^at \S+[.(]|^[+#~%] ?\d|^\S+:\d+(?::\d+)?:/,
  /^(?:import|export|const|let|var|function|def|class|return|from) \S+ ?[=({;:]/,
  /\b[a-z_]\w+\((?!e?s\)|n\))[^)\s]{0,30}\)/,
  /^(?:curl|git|docker|kubectl|sudo|pip3?|ssh|npx|npm|cargo|terraform|helm|aws|gcloud) .{0,200} --?\w/,
  /^(?:curl|git|docker|kubectl|sudo|pip3?|cd|ls|ssh|brew|apt(?:-get)?|yarn|pnpm|npx|python3?|node|cargo|go|make|chmod|rm|mkdir|wget|grep) (?:-|\w+ -|\S+$|\S*[/.]\S)/,
  /^(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ERROR|WARN|INFO|DEBUG|FATAL|GET|POST|PUT|PATCH|HTTP|CONTAINER|npm|Traceback)\b/,
  /^\W?\d{4}-\d\d-\d\d[T ]\d\d:|\b\d\d:\d\d:\d\d\b|\w\[\d+\]|^commit [0-9a-f]{7}|^\S+@\S+[:~]|^(?:Date|From|To|Subject|Author|Status|Host|User-Agent|Content-\w+|Location): /,
  /^(?:\w+(?:Error|Exception)|error|warning|fatal|panic|usage|note|hint|info|debug)(?:\[\w+\])?: /,
  /\b(?:exited with (?:code|status)|exit code|stack trace|\d+ (?:passing|failing|passed|failed|warnings?|rows?) ?\()/i,
];

/** Questions, with or without a question mark. */
export const QUESTION =
  /\?[)\]"']*$|^(?:have|had|was|were|am)(?= (?:i|you|we|they|he|she|it|there|the|this|that|these|those|my|your|our|his|her|any|anyone|someone|some|all)\b)|^(?:has|did|do|does|should|could|can|would|will|shall|is|are|may|might|when (?:did|do|does|is|are|was|were|will|can|should|would|has|have)|what|what's|whats|why|why's|how|how's|who|who's|which|whose|where(?! (?:i|we) (?:live|work|come|grew|am|study)\b)|where's|isn't|aren't|doesn't|didn't|won't|wouldn't|shouldn't|couldn't|can't you|any (?:idea|chance|tips|thoughts|advice|suggestions?))\b/i;

/** A request that begins with its verb, in sentences that other rules read for tasks and decisions. */
export const DIRECT_REQUEST =
  /^(?:please )?(?:write|tell|translate|summari[sz]e|explain|generate|create|draft|rewrite|describe|list|show|give|help|act|find|search)\b/i;

/** Verbs that open a request of the turn. A statement never begins with a bare verb. */
const REQUEST_VERB =
  "(?:write|tell|translate|summari[sz]e|explain|generate|create|draft|rewrite|describe|list|show|give|help|act|find|search" +
  "|make|add|remove|convert|run|fix|compare|change|check|look|let|send|book|order|suggest|recommend|calculate|compute|try" +
  "|format|shorten|expand|edit|correct|proofread|review|open|close|delete|update|rename|refactor|implement|build|set|put" +
  "|get|fetch|use|turn|pick|choose|plan|schedule|outline|analy[sz]e|break|walk|guide|teach|continue|go|stop|start|wait|hold" +
  "|read|paste|print|plot|draw|design|simplify|paraphrase|reword|polish|merge|split|sort|filter|replace|insert|provide" +
  "|consider|assume|ignore|skip|keep|move|copy|bring|play|pretend|imagine|ask|answer|reply|repeat|redo|undo|finish|complete" +
  "|include|exclude|debug|test|deploy|install|cancel|call|email|text|message|ping|come|do|don't|do not|be|grab|note|see|feel" +
  "|pull|push|save|load|share|post|mark|highlight|extract|count|estimate|guess|name|think|double-check|brainstorm|propose" +
  "|define|clarify|elaborate|rephrase|tidy|clean|swap|combine|classify|rate|rank|roast|quiz|interview|trim|tighten" +
  "|remind|remember|restart|reset|retry|rerun|upload|download|attach|drop|bear|thank|congratulate|wish|apologi[sz]e|invite|cook|bake)";

/** "Design reviews are on Tuesdays" begins with a noun. */
const NOT_A_NOUN =
  "(?!(?:-\\w+)? (?!(?:the|my|our|your|an?|this|that|it|me|us|whether|if|why|how|what|which|who|sure|for|to|all|every)\\b)(?:[\\w-]+ ){0,2}(?:is|are|must|has|have|needs?|happens?|takes?|lives?|runs?|goes|go|starts?|ends?|gets?)\\b)";

/** Requests of the turn, in the imperative or as what the user wants from the assistant. */
export const REQUEST: readonly RegExp[] = [
  new RegExp(
    `^(?:(?:please|pls|just|now|then|ok|okay|and|also|first|next|maybe),? ){0,3}${REQUEST_VERB}\\b(?!'s)${NOT_A_NOUN}`,
    "i",
  ),
  /^(?:please|pls)\b/i,
  /\b(?:i need|i want|i'd like|i would like|i'd love|i'd prefer it if|i'd appreciate it if) (?:you|your|someone|help|some help)\b/i,
  /\bi(?:'d| would) (?:like|love|appreciate|need|be grateful|be happy|be glad)\b(?!.*\b(?:one day|some ?day|eventually|before i|by 20\d\d|next (?:year|spring|summer|autumn|fall|winter)|in 20\d\d)\b)/i,
  /\bi(?:'m| am|'ve been| was)(?: also| just| currently)? (?:looking for|looking to|after|searching for|trying to (?:find|figure|understand|get|fix|make|work|see|remember|decide|debug|write|set|install|solve|reach|log|open|use|connect|work out))\b/i,
  /\b(?:i was |i'm |just )wonder(?:ing|ed)\b|\bi wonder\b/i,
  /^(?:could|can|would|will) you\b|\b(?:let me know|if you (?:could|can|would|don't mind)|can you|could you|would you|let's)\b/i,
];

/** Examples, fiction, pretence, irony and jokes: the words are not meant as true. */
export const NOT_MEANT: readonly RegExp[] = [
  /\b(?:for example|for instance|hypothetically|in theory|kidding|joking|joke|jk|a?haha\w*|hehe\w*|lol|lmao|rofl|said (?:nobody|no one|no-one)|ted talk|witchcraft|yeah right|as if)\b|, ha[.!]*$|😂|🤣|😜|😉|\/s$/i,
  /^(?:e\.g\.|chapter \w+|act \w+|scene \w+|dear (?:sir|madam|mr|mrs|ms|dr|hiring|team|all|customer|\w+,)|to whom it may concern|as humans|we (?:humans|people|mortals)|we all (?:make|need|know|want|die|get|do|deserve|have (?:our|bad|good|those|days)|love|hate|like)\b|oh (?:great|joy|wow|sure|wonderful|fantastic|perfect|yes|yay)|because|yeah right|what if|picture (?:this|me)|let's (?:say|assume|pretend|imagine)|once upon)\b/i,
  /\b(?:my|the|main|our|whose) (?:\S+ )?(?:character|protagonist|hero|heroine|villain|avatar)\b|\bof my (?:novel|story|book|screenplay|film|play|comic)\b|\b(?:married|engaged|marry|dating|relationship|wedding|president|ceo|mayor)\b.*\b(?:sofa|couch|bed|pizza|netflix|coffee|laptop|keyboard|fridge|cheese|houseplant|duvet|blanket|snooze)\b|\b(?:[2-9]\d\d|\d{4,}) years old\b/i,
  /\bin (?:my|a|the) (?:last |worst |\w+ )?(?:dreams?|nightmare)\b|^(?:in|from|for) (?:my|our|the|a|this|that|his|her) (?:last |latest |first |\w+ )?(?:scenario|role-?play|exercise|novel|film|movie|story|book|tale|sketch|game|play|episode|series|sitcom|show|scene|myth|fable|poem|song|script|screenplay|fanfic|comic|cartoon)\b(?! club)/i,
  /\b(?:a (?:million|billion|thousand|zillion) (?:times|years|things)|literally (?:dying|an?)|basically an?|practically an?|send help|in human form|secretly (?:an?|the|in|run)|alter ego|imaginary friend|plot twist|parallel universe|in (?:another|a (?:past|previous|former)) life|according to my (?:cat|dog)|identify as|the (?:queen|king|emperor|pope) of|world domination|rule the world|fluent in sarcasm|sarcasm|spirit animal|love language is|memory of a goldfish|attention span of|(?:black belt|phd|degree|masters?|doctorate|gold medal|world champion) (?:in|at) (?:procrastinati|overthink|napp|sarcas|complain|snack|being|losing|avoid)\w*|running on (?:\w+ ){0,5}(?:sleep|coffee|caffeine|spite|fumes|hope|adrenaline)|energy-saving mode|aged (?:\w+ )?(?:\w+ )?years|and regrets?|two moods|seafood diet|powered by coffee|runs? on (?:coffee|caffeine)|life support|on energy-saving mode|blood type is coffee|possessed by)\b/i,
  /\b(?:i'm|i am|i was|we're|he's|she's|my \w+ is) (?:\w+ ){0,4}(?:batman|superman|spider-?man|superhero|sherlock|gandalf|yoda|wizard|vampire|zombie|dragon|unicorn|alien|martian|dinosaur|time travell?er|procrastinator|napper|overthinker|radioactive)\b|\b(?:dinosaurs?|hogwarts|pet dragon|time machine)\b|\ballergic to (?:mondays?|mornings|work|meetings|exercise|math|adulting)\b/i,
  /\b(?:i'm|i am|he's|she's|it's|we're|was|were|is|are) so \w+(?:,? that|,? even|,? (?:i|my|we|the|it)\b)/i,
  /\bmy (?:bed|sofa|couch|alarm clock|fridge|duvet|laptop|computer|printer|coffee machine|phone|oven|scales?|wallet|pillow|blanket|inbox|keyboard|snooze button) and i\b|\b(?:fictional|imaginary|made-up|fictitious|pretend) \w+|\bshould have been an e-?mail\b|\bvery young age\b|\b(?:hear|know) about this\b/i,
  /^you(?:'re| are) (?:the|an?|my) .{2,60} and (?:i'm|i am|i've|i have) |^(?:on .{3,60} wrote:|\p{L}+ (?:wrote|said|asked|replied|says): )/iu,
  // Exaggerations: abstract nouns beside things, impossible acts, and the words that announce them.
  /\b(?:i(?:'m| am) (?:like |about |literally )?\d+ ?(?:%|percent)|metaphorically|figuratively|in my head|in my dreams|raised by wolves|held together (?:by|with)|one \w+ away from|deserves? an? (?:nobel|oscar|medal|award|prize|raise)|rather (?:eat glass|die|lick|chew|wrestle|swallow)|(?:sold|sell|give|trade|kill) (?:my|our|for) (?:\w+ )?(?:kidney|soul|firstborn|right arm|left arm|kingdom)|(?:two|three) (?:speeds|modes|settings|moods|states|personalities)\b)/i,
  /\b(?:my|our|i|i'm|i've|we|we're)\b.*\b(?:despair|dignity|spite|denial|existential|sanity|doom|the void|misery|desperation|pure chaos|tears and|and (?:tears|crying|chaos|panic|anxiety|hope|lies|vibes)|% (?:crying|panic|coffee|caffeine|chaos|anxiety|sarcasm)|the reaper|evil twin|arch-?enem(?:y|ies)|nemesis)\b/i,
  /\b(?:as usual because|just love (?:it when|\w+ing)|exactly what i (?:always|needed|wanted)|story of my life|my (?:cat|dog|toaster|fridge|plant|houseplant|goldfish|laptop|printer|roomba|computer|car|keyboard|sourdough|phone|bank account|wallet|alarm clock|oven|code|compiler|calendar|inbox|sofa|couch|bed|gps|hamster|parrot|microwave|vacuum|dishwasher|washing machine|scales?|jeans|stomach|brain|knees)s? (?:is |are |has |have )?(?:\w+ )?(?:thinks?|crying|started an? (?:union|band|podcast|cult|revolution|war|rebellion)|formed an? \w+|unioni[sz]ed|on strike|the (?:ceo|boss|king|queen|real|true|lord|president)|judg(?:es?|ing)|plotting|planning|filed|wrote|writes|told|says|said|believes|demands|hates? me|wants (?:me )?(?:to|a)|has unionised|has opinions|runs the|is (?:secretly|clearly|basically|my (?:boss|therapist|lawyer|manager))))\b/i,
];

export const CONDITIONAL: readonly RegExp[] = [
  /^(?:if (?!i have (?:the|a) choice|given|possible|it's up to me|there's a choice)|unless\b|suppose\b|supposing\b|imagine\b|say\b|once (?!a |an |every |per |(?:i|we)(?:'ve| have) (?:finished|completed|graduated|retired|moved|saved|sold|paid|passed|turned|qualified)\b)|until (?=(?:i|you|we|they|he|she|it|then|the)\b)|in case\b|whether\b|assum(?:e|ing)\b|let's (?:say|assume|pretend)|pretend\b|had i\b|were i\b)/i,
  /\b(?:if|unless|whether|until|once|before|when|wish) (?:we|i|you|they|he|she)(?:'ve|'d| have| had)? (?:decided?|agreed?|chose|chosen|choose|settled?)\b/i,
  /\bif (?:i|we|only i|only we) (?:were|had|was|won|could|ever|lived|owned)\b|\b(?:i|we) wish\b|\bas though\b/i,
];

export function matchesAny(patterns: readonly RegExp[], prose: string): boolean {
  return patterns.some((pattern) => pattern.test(prose));
}
