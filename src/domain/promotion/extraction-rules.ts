// Rules that classify sentences by memory type, tried from top to bottom; the first match decides. Rules see prose with
// straight apostrophes, and with code and quotations masked.
import type { MemoryType } from "../../ontology/terms.generated";

export type Speaker = "user" | "assistant";

export type ExtractionRule = {
  type: MemoryType;
  /** Limits the rule to one speaker: an assistant's general advice is no memory. */
  by?: Speaker;
  patterns: readonly RegExp[];
  except?: RegExp;
  evenConditional?: true;
};

/** Sentences with an explicit label, such as "TODO: …", which may also be questions. */
export const LABELS: readonly { name: RegExp; type: MemoryType }[] = [
  { name: /^(?:to-?do|action items?|follow[- ]?up)s?\s?[:—–] ?\S+ \S/i, type: "task" },
  { name: /^(?:final |our )?decision\s?[:—–] ?\S+ \S/i, type: "decision" },
  { name: /^(?:open (?:question|issue|point)|unknown)s?\s?[:—–] ?\S+ \S/i, type: "unknown" },
  { name: /^(?:working )?assumption\s?[:—–] ?\S+ \S/i, type: "assumption" },
  { name: /^(?:working )?hypothesis\s?[:—–] ?\S+ \S/i, type: "hypothesis" },
  { name: /^(?:main |key )?risk\s?[:—–] ?\S+ \S/i, type: "risk" },
  { name: /^lessons? (?:learned|learnt)\s?[:—–] ?\S+ \S/i, type: "lesson_learned" },
  { name: /^(?:team |our )?convention\s?[:—–] ?\S+ \S/i, type: "convention" },
  { name: /^(?:discovery|finding)\s?[:—–] ?\S+ \S/i, type: "discovery" },
];

/** Requests to remember something; the memory is the rest of the sentence. */
export const REMINDER = ignoreCase(
  "^(?:please note|(?:please )?(?:remember|keep in mind|bear in mind|don't forget|for the record",
  "|for future reference|fyi|for your information))(?: that\\b,?|:| (?=(?:my|our|the|i|i'm|we|we're)\\b))\\s*",
  "|^(?:please )?(?:remember|don't forget|remind me) to\\s+",
);

const QUESTION_WORD = "(?:if|whether|who|what|when|where|why|how|which)";
const IMPERATIVE_VERB =
  "(?:use|run|write|add|check|include|keep|put|name|call|send|ask|commit|push|deploy|test|validate|log|return|start|end|format|review|sign|cc|book|offer|reply|answer|respond|address|confirm|verify|close|open|avoid|store|pin|squash|rebase|merge|document|mention|cite|translate|round|quote|schedule|escalate|share|give|show|refer|speak|contact|order|skip|delete|refund|charge|promise|tell|email|text|double-check)\\b";
const DATE =
  "(?:\\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*\\b|the (?:end|start|beginning|first|\\d)|eod|noon|midnight|christmas|easter)";
const KIN =
  "(?:wife|husband|partner|spouse|girlfriend|boyfriend|fianc[ée]e?|son|daughter|kids?|children|baby|mother|father|mom|mum|dad|parents|brother|sister|grandmother|grandfather|grandma|grandpa|dog|cat|boss|manager|doctor|dentist|therapist|landlord|client|roommate|colleague|assistant|teacher|neighbou?r)";
/** The start of a main clause: "a song I love" is a relative clause, and states no preference. */
const CLAUSE_START = "(?:^|[,;:(—–-] ?|\\b(?:and|but|because|since|so|although|though) )";
const TEMPORARY = "today|tonight|right now|at the moment|this (?:morning|afternoon|evening|week)";

export const RULES: readonly ExtractionRule[] = [
  {
    type: "task",
    by: "user",
    patterns: [
      /^(?:please )?(?:remember|don't forget|remind me) to \w+ \w+/i,
      ignoreCase(`\\b(?:i|we)(?:'ve got| still need| need| have| must)(?: to)? .+ (?:by|before) ${DATE}`),
    ],
    except: /\byour?(?:self)?\b/i,
  },
  {
    type: "unknown",
    patterns: [
      ignoreCase(
        `\\bwe(?: still)? (?:don't|do not)(?: yet| really| actually)? know (?:yet )?${QUESTION_WORD}\\b`,
      ),
      /\bi (?:still )?(?:don't|do not) know (?:yet )?(?:whether|when|who|which)\b/i,
      /\b(?:nobody|no one) knows (?:whether|who|when|where|why|which)\b/i,
      /\b(?:not|isn't|aren't) (?:yet |quite |entirely |really )?(?:sure|certain|clear|known|confirmed) (?:yet )?(?:whether|if|who|when|which|why|where)\b/i,
      ignoreCase(`\\bunclear (?:to us )?${QUESTION_WORD}\\b`),
      ignoreCase(`\\bstill need to (?:find out|figure out|clarify|determine|confirm) ${QUESTION_WORD}\\b`),
      /\b(?:haven't|have not|hasn't|has not)(?: yet| really| fully)? (?:decided|settled|agreed) (?:on|whether|if|who|which|when|where|what|how|yet)\b/i,
    ],
    except: /\b(?:if|whether|why|when|which|who) (?:this|that|it|you)\b|\b(?:if|why) i\b|\bhow to\b/i,
  },
  {
    type: "unknown",
    patterns: [
      /\b(?:is|are|remains?) (?:still |yet |currently )?(?:unclear|unknown|undecided|unresolved|tbd|to be (?:decided|determined|confirmed)|up in the air|an open question)\b/i,
    ],
    except:
      /\b(?:anything|something|sorry|if|let me know|considered|value|variable|parameter|solve|equation|unknown to)\b/i,
  },
  {
    type: "decision",
    patterns: [
      /\b(?:we|you|the team|our team|management|my \w+ and i|the (?:client|customer|board|committee|company|family))(?:'ve| have| has)?(?: all| both| finally| just| now| already| jointly| unanimously)? (?:decided (?:to|on|that|against|not)|agreed (?:to|on|that)|opted (?:for|to)|settled on)\b/i,
      /\bwe(?:'ve| have)?(?: finally| just)? (?:chose|chosen|picked|selected) .+ (?:over|instead of|rather than|because|as our)\b/i,
      /\b(?:the|our|my|final) decision (?:is|was) (?:to|that|not to|against)\b/i,
    ],
    except:
      /\b(?:not|never|n't|should have|could have|would have)\b.{0,20}\b(?:decided|agreed|opted|settled|chose|chosen|picked)\b/i,
  },
  {
    type: "decision",
    by: "user",
    patterns: [
      /\bi(?:'ve| have)?(?: finally| just| now| already)? decided (?:to|on|that|against|not)\b/i,
      /^(?:let's|we'll|we will|i'll|we're going to|we are going to) (?:go with|stick with|stick to|settle on|standardi[sz]e on|switch to|migrate to)\b/i,
      /\b(?:we're|we are|i'm|i am) (?:switching|migrating) (?:\w+ )?(?:from .+ )?to\b/i,
      /\b(?:we're|we are) going with\b/i,
    ],
    except:
      /\b(?:with|to|on) (?:it|that|this|those|these|you|him|her|them|my|our|his|your|their|friends|family|option|number|the (?:first|second|third|last|former|latter|next|other)|\d|[a-d])\b|\bdecided to (?:ask|try|see|check|come|write|give|take a)\b|\b(?:not|never|n't|should have)\b.{0,20}\bdecided\b/i,
  },
  {
    type: "lesson_learned",
    patterns: [
      /\blessons? (?:learned|learnt)\b/i,
      /\b(?:the|my|our) (?:big |key |main |real |biggest )?lesson (?:here |for (?:us|me) )?(?:is|was) (?:to|that|never|always|not)\b/i,
      /\b(?:we|i)(?:'ve| have)? (?:learned|learnt) (?:that|the hard way|not to|never to|our lesson|from (?:this|that|the))\b/i,
      /\b(?:in hindsight|in retrospect)\b.*\b(?:we|i) (?:should|shouldn't|could)\b/i,
      /\bnext time,? (?:we|i) (?:should|must|need to|have to)\b/i,
      /\bnext time,? (?:let's|remember|make sure|don't|always|never|check|double-check)\b/i,
      /\bthe (?:fix|solution|trick|workaround) (?:was|turned out to be) (?:to |\w+ing\b)/i,
    ],
  },
  {
    type: "convention",
    by: "user",
    evenConditional: true,
    patterns: [ignoreCase(`(?:^|, )(?:please )?(?:always|never) ${IMPERATIVE_VERB}`)],
    except: /\bgive up\b/i,
  },
  {
    type: "convention",
    by: "user",
    patterns: [
      ignoreCase(`\\b(?:we|our team|the team) (?:always|never) ${IMPERATIVE_VERB}`),
      /^(?:please )?(?:from now on|going forward)\b|\bfrom now on[.!]?$/i,
      /^please (?:don't|do not) (?:ever )?(?:use|call|send|include|add|write|address)\b/i,
      /^(?:all|every|each) (?!(?:you|i|we|they|it|time|day|of|the time|one|now)\b)(?:[\w-]+ ){1,4}(?:must|has to|have to|needs?|requires?|should)\b/i,
      /\b(?:we|everyone) (?:must|should) (?:always|never)\b/i,
    ],
    except:
      /\bi(?:'ll|'m| will| am)\b|\b(?:might|maybe|perhaps|probably)\b|\b(?:use|call|send|include|add|write|address) (?:it|that|this)\b/i,
  },
  {
    type: "convention",
    patterns: [
      /\b(?:our|team|house|company|project's) (?:(?:\w+ )?(?:convention|standard|policy|rule|guideline)|style guide)s? (?:is|are|says?|requires?)\b/i,
      /\bthe (?:naming|coding|team|house|branch) (?:convention|standard|rule)s? (?:is|are|says?|requires?)\b/i,
      /\bby convention,? we\b/i,
    ],
    except: /\b(?:unclear|unknown|under review|being|not|n't)\b/i,
  },
  {
    type: "risk",
    patterns: [
      /\bthere(?:'s| is) (?:a|an|some) (?:\w+ ){0,2}risk (?:that|of|in|with|to)\b/i,
      /\b(?:the|our|my) (?:main|biggest|big|major|key|real) risks? (?:is|are|here|with|of)\b/i,
      /\b(?:we|i|this|that|which|it)(?: would| could| will)? risks? \w+ing\b/i,
      /\bat (?:high |higher |increased |serious )?risk (?:of|for)\b/i,
      /\b(?:we're|we are|i'm|i am) (?:worried|concerned) that\b/i,
    ],
    except:
      /\b(?:no|without|little|low|minimal|small) risk\b|\brisk (?:of|for) (?:sounding|repeating)\b|\b(?:worried|concerned) that (?:you|this|it)\b/i,
  },
  {
    type: "risk",
    patterns: [
      /^(?!(?:it|this|that|you|they|which|these|those|there|something|anything|i|we|he|she)\b).{3,90}?\b(?:may|might|could) (?:\w+ )?(?:break|corrupt|leak|overwrite|wipe|expose|invalidate|void|jeopardi[sz]e)\b/i,
    ],
    except: /\bbreak (?:it |this |that |them )?(?:down|into|up|even)\b/i,
  },
  {
    type: "hypothesis",
    patterns: [
      /\b(?:my|our) (?:\w+ )?(?:hypothesis|theory|guess|hunch|suspicion) is\b/i,
      /\b(?:i|we) (?:strongly |now )?suspect\b/i,
      /\b(?:the|my|our|this) (?:[\w-]+ ){1,4}(?:(?:might|may|could) be|(?:is|are) (?:probably|likely|most likely)) (?:caused by|due to|because of|related to|linked to|a side effect|a race condition)\b/i,
    ],
    except: /\bas good as\b|\bsuspect (?:so|not|that's|you|it's (?:fine|ok))\b/i,
  },
  {
    type: "assumption",
    patterns: [
      /\b(?:i'm|we're|i am|we are) assuming\b/i,
      /\b(?:i|we) assume\b/i,
      /\b(?:my|our|the working) assumption is\b/i,
    ],
    except: /\bassum(?:e|ing) (?:that )?(?:you|your|it|it's|this|that|that's|so|not|there)\b/i,
  },
  {
    type: "discovery",
    patterns: [
      /\b(?:i|we)(?:'ve| have)?(?: just| also| recently| finally)? (?:discovered|found out|figured out) (?:that|why|the|our|my)\b/i,
      /(?:^|, )(?:it )?turn(?:s|ed) out (?:that )?(?!(?:that|you|it|they|he|she|this|i|fine|well|okay?|great|good|really|so|very|to|pretty|amazing|perfect)\b)\w+ \w+ \w/i,
      /\bthe root cause (?:is|was|turned out to be)\b/i,
      /\b(?:i|we) found (?:that (?:the|an?|our|my|there|when|we|\w+ing)|an undocumented|the (?:root )?cause)\b/i,
    ],
    except: /\b(?:unknown|unclear|never found)\b/i,
  },
  { type: "fact", by: "user", patterns: [REMINDER], except: /^(?:please )?[\w']+ (?:\w+ )?to\b/i },
  {
    type: "fact",
    by: "user",
    patterns: [
      /\bmy (?:full |first |last |maiden )?name(?:'s| is)\b/i,
      /^(?:please |you can |everyone |people |friends )?calls? me (?!back|later|when|if|at|on|in|before|after|crazy|tomorrow|now|again|a |an |the )\w/i,
      /\bmy favou?rite [\w -]+ (?:is|are)\b/i,
      ignoreCase(`${CLAUSE_START}i (?:live|grew up|was born) (?:in|at|with|near|on)\\b`),
      ignoreCase(
        `${CLAUSE_START}i (?:work|study|studied|teach|volunteer) (?:in|at|for|as|from|remotely|part-time)\\b`,
      ),
      ignoreCase(
        `${CLAUSE_START}i speak (?:fluent |some |a little )?(?!(?:to|with|for|of|about|up|as|on)\\b)\\w`,
      ),
      ignoreCase(
        `${CLAUSE_START}i(?:'m| am) (?:originally |also )?from (?!(?:the|an?|now|here|there|th[ai]t)\\b)\\w`,
      ),
    ],
  },
  {
    type: "fact",
    by: "user",
    patterns: [
      /\bi(?:'m| am) (?:severely |also |a strict |strictly |currently )?(?:vegetarian|vegan|allergic|intolerant|lactose|gluten|diabetic|asthmatic|pregnant|pescatarian|colou?r-?blind|left-handed|deaf|married|divorced|widowed|retired|self-employed|based in|living in|\d+ years old)\b/i,
      /\bi(?:'m| am) on (?:medication|blood thinners|\w+ \d+ ?mg)\b/i,
      ignoreCase(`${CLAUSE_START}i(?:'m| am) an? [\\w-]+ ?\\w`),
    ],
    except: ignoreCase(
      `\\b(?:idiot|mess|mix|part|fool|bit|little|tad|lot|few|couple|genius|${TEMPORARY})\\b|\\bfan(?! of \\w)|\\bof (?:it|this|that|them)\\b`,
    ),
  },
  {
    type: "fact",
    by: "user",
    patterns: [
      /\bi(?: have|'ve got| own| take) (?:(?:an?|two|three|four|five|\d+|type \d|severe|chronic) )*(?:[\w-]+ )?(?:kids|children|sons?|daughters?|dogs?|cats?|brothers?|sisters?|twins|allerg(?:y|ies)|asthma|diabetes|hypertension|migraines|epilepsy|pacemaker|intolerance|arthritis|insulin|metformin|warfarin|\d+ ?mg)(?=[.,;!)]|$| (?:and|who|that|with|but|named|called|in|at|since|for|to|of|every)\b)/i,
    ],
    except: /\b(?:when|if|until|once|before) i\b/i,
  },
  {
    type: "fact",
    by: "user",
    patterns: [
      ignoreCase(
        `${CLAUSE_START}i(?:'d| would)? (?:really |strongly |generally |usually |much |always )?prefer\\b`,
      ),
      ignoreCase(
        `${CLAUSE_START}i (?:really |absolutely )?(?:love|like|enjoy|hate|dislike|can't stand|don't like|do not like`,
        "|don't eat|can't eat|never eat|don't drink) (?!to\\W*$)\\w",
      ),
    ],
    except: ignoreCase(
      "\\b(?:love|like|enjoy|hate|dislike|stand) the\\b",
      "|\\b(?:prefer|love|like|enjoy|hate|dislike|stand|eat|drink) (?:it|that|this|these|those|your?|how|what|when",
      "|where|both|all|everything|to (?:see|know|hear|think|say|ask|be|help|just)|his|hers?|their|its",
      "|the (?:first|second|third|last|former|latter|other|one|new|option)|him|them|if)\\b",
      "|\\b(?:seeing|having|watching|making) (?:them|you|it|him|her|my|this|that|these)\\b|\\bi(?:'d| would) (?:like|love)\\b",
    ),
  },
  {
    type: "fact",
    by: "user",
    patterns: [
      ignoreCase(
        `\\b(?:my|our) (?:(?:older|younger|oldest|youngest|new|ex-?) ?)?${KIN}(?:'s (?:name|birthday))? `,
        "(?:is|are|has|have|works?|lives?|prefers?|loves?|hates?|was born|goes to|takes?)\\b",
      ),
    ],
    except: ignoreCase(
      `\\b(?:${TEMPORARY}|been)\\b|\\b(?:is|are) (?:\\w+ly )?(?:(?!living|working|studying)\\w+ing|sick|angry|mad`,
      "|upset|late|here|not|so|very|great|fine|ok|okay|our|my)\\b|\\bhave so\\b",
    ),
  },
  {
    type: "fact",
    by: "user",
    patterns: [
      /\b(?:my|our) (?:flight|train|ferry|appointment|booking|reservation|check-in|surgery|interview|wedding|anniversary|birthday|lease|contract|subscription|insurance|passport|visa|time ?zone|office|address|phone number|email(?: address)?|(?:account|order|membership|policy|frequent flyer|booking|confirmation) (?:number|id|reference)|budget|due date|blood type) (?:is|are|leaves|departs|arrives|expires?|ends?|starts?|begins|renews)\b/i,
    ],
    except:
      /\b(?:delayed|cancell?ed|late|locked|broken|missing|wrong|not|n't|gone|tomorrow|today|tonight|here|ready|confirmed|coming up|soon|mess|nightmare)\b/i,
  },
  {
    type: "fact",
    by: "user",
    patterns: [
      /\b(?:the|our|this|my) (?:\w+ )?(?:project|app|application|service|backend|frontend|repo|repository|codebase|api|team|company|site|website|database|server|pipeline|stack|product|startup|business|school|clinic|restaurant|shop|store|client|customer) (?:currently |now |still |already |also |mainly |only )?(?:uses|runs on|relies on|depends on|targets|sells|prefers|is (?:written|built|hosted|deployed|based|located))\b/i,
      /\bwe (?:use|host|deploy|store|sell|run on|work with) (?!(?:it|this|that|to|them)\b)\w+/i,
    ],
    except: /\buses? (?:too|up|a lot)\b|\b(?:example|following|section)\b/i,
  },
  {
    type: "fact",
    by: "assistant",
    patterns: [
      /\b(?:the|this|your) (?:project|app|application|codebase|repo|repository|backend|frontend|service) (?:currently |already )?(?:uses|runs on|depends on|is (?:written in|built (?:with|on)|hosted on|deployed (?:to|on)))\b/i,
    ],
    except: /\buses? (?:too|up|a lot)\b/i,
  },
  {
    type: "fact",
    patterns: [
      ignoreCase(
        "\\b(?:the|our|my) (?:[\\w-]+ )?(?:deadline|launch|release|go-live|due date|wedding|exam|conference",
        "|kickoff|move-in date|trip) (?:is|will be|falls|was moved|has moved) ",
        `(?:on |in |at |by |to |set for |scheduled for |due )*${DATE}`,
      ),
    ],
  },
];

function ignoreCase(...pattern: string[]): RegExp {
  return new RegExp(pattern.join(""), "i");
}
