// Rules that classify sentences by memory type, tried from top to bottom; the first match decides. Rules see prose with
// straight apostrophes, and with code and quotations masked.
import type { MemoryType } from "../../ontology/generated/terms.generated";

export type Speaker = "user" | "assistant";

type ExtractionRule = {
  type: MemoryType;
  /** Limits the rule to one speaker: an assistant's general advice is not a memory. */
  by?: Speaker;
  patterns: readonly RegExp[];
  except?: RegExp;
  evenConditional?: true;
};

/** Sentences with an explicit label, such as "TODO: …", which may also be questions. */
export const LABELS: readonly { name: RegExp; type: MemoryType }[] = [
  { name: /^(?:to-?do|action items?|follow[- ]?up)s?\s?[:—–] ?\S+ \S/i, type: "task" },
  { name: /^(?:final |our )?decision(?: recorded| made| taken| log)?\s?[:—–] ?\S+ \S/i, type: "decision" },
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

export const RULES: readonly ExtractionRule[] = [
  {
    type: "task",
    by: "user",
    patterns: [
      /^(?:please )?(?:remember|don't forget|remind me) to \w+ \w+/i,
      ignoreCase(
        "\\b(?:i|we)(?:'ve got| still need| need| have| must)(?: to)? ",
        `(?!(?:it|this|that|these|those|an answer|help)\\b).+ (?:by|before) ${DATE}`,
      ),
    ],
    except: /\byour?(?:self)?\b|\b(?:this|these) [\w-]+ (?:by|before)\b/i,
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
    except:
      /\b(?:if|whether|why|when|which|who) (?:this|that|it|you)\b|\b(?:if|why) i\b|\bhow to\b|\bi(?:'m| am) (?:still |really )?(?:not (?:really |quite )?sure|unsure) (?:which|where|why)\b|\bwhat to (?:wear|eat|cook|order|watch|say|do|write|pick)\b/i,
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
      /\b(?:we|you|the team)(?:'ve| have| has)?(?: finally| just)? (?:chose|chosen|picked|selected|went with) .+ (?:over|instead of|rather than|because|as our|for (?:the|our|all|every))\b/i,
      /^(?:so |and |ok,? |okay,? |noted,? )?(?:we|you|the team|our team)(?:'ve| have| all| both)? (?:went (?:with|for)|landed on|voted (?:to|for|against)|ruled out|adopted|standardi[sz]ed on|committed to|gone with|ended up (?:choosing|going)|are sticking with|chose to) (?!(?:it|that|this)\b)\w/i,
      /^(?:for|in|on|as) (?:the|this|our|my|a) [\w' -]{1,50},? (?:we|the team)(?:'ve| have| has)?(?: finally| just)? (?:chosen|picked|selected|gone with|chose|went with|opted for|settled on) (?!(?:it|that|this)\b)\w/i,
      /\bit was (?:decided|agreed) (?:that|to)\b/i,
      /\b(?:the|our|my|your|final) decision(?: (?:we|you|that we) \w+)? (?:is|was) (?:to|that|not to|against)\b/i,
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
    patterns: [
      /^(?:please )?(?:always|never) [a-z]{2,}(?<!ed|ing) \w/i,
      ignoreCase(`, (?:please )?(?:always|never) ${IMPERATIVE_VERB}`),
      /\bi(?:'d| would)? (?:like|love|want|need|prefer) you to (?:please )?(?:always|never|only|stop)\b/i,
      /^(?:all )?(?:my |your |our )?(?:emails|replies|answers|responses|summaries|messages|letters|invoices|reports|commit messages|comments|headings|dates|prices|quotes) (?:should|must) (?:always |never |not )?(?:be|have|end|start|use|include|contain|go|stay)\b/i,
      // An instruction for every case: "when you write SQL for me, …, every time".
      /^(?:please )?(?:when(?:ever)? you|if you|in (?:all|your) (?:replies|answers|emails|summaries))\b.*\b(?:always|never|every time|each time|by default|in every|for every|use|put|write|keep|add|include|avoid|leave|give|start|end|get|choose|pick|book|suggest|make|send|call|stick|skip|round|format|stay|go)\b/i,
      /^(?!(?:i|we|you|he|she|they|it|the)\b)(?:please )?[a-z'-]+ .*\b(?:in every|for every|for all|in all)(?: of)? (?:future |our |my |your )?(?:chats?|repl(?:y|ies)|answers?|conversations?|responses?|emails?|messages?)\b/i,
    ],
    except:
      /\bgive up\b|^(?:please )?(?:always|never) (?:mind|heard|been|thought|seen|knew|happy|a|the|again|ever|better|say never|too|in|on|at|had|felt|met|glad|good|nice|fun|here|there|use it|my|your|not|forget this|will|would|understood|got)\b|\bif you (?:could|can|would|want|have|need|like|don't|were|know)\b|^when you(?:'re| are| have| get) (?!\w+ .*\b(?:for|with) (?:me|us)\b)/i,
  },
  {
    type: "convention",
    by: "user",
    patterns: [
      ignoreCase(`\\b(?:we|our team|the team) (?:always|never) ${IMPERATIVE_VERB}`),
      /^(?:please )?(?:from now on|going forward|from here on|in future|in the future)\b|\b(?:from now on|from here on(?: out)?|going forward|in future|at all times)[.!]*$/i,
      /^(?:please )?(?:don't|do not) ever \w/i,
      /^(?:please )?(?:don't|do not) \w.*\bwhen(?:ever)? you\b/i,
      // An instruction on the style of all replies, or one with an exception to come.
      /^(?:please )?(?:keep|make|write|give|format|limit|structure) (?:your|all|all your|all of your) (?:[\w-]+ )?(?:answers|replies|responses|explanations|emails|messages|summaries)\b/i,
      /^(?:please )?(?:use|give|keep|write|show|assume|prefer|quote|list|put|format)\b.*\b(?:by default|whenever possible|unless i (?:say|ask|tell)|as a rule)\b/i,
      /^(?:please )?(?:use|give|put|keep|write|spell|format|address|show|quote|leave|avoid|include|stick)\b.* when(?:ever)? you\b/i,
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
      /^(?:please |you can |you may |just |everyone |people |friends )*(?:reach me (?:at|on|under|via)|(?:find|email|contact) me (?:at|on|under)(?= \S+[@.\d])|calls? me|address me as|refer to me as) (?!back|later|when|if|at|on|in|before|after|crazy|tomorrow|now|again|a |an |the |old|mad)[\w+(@]/i,
    ],
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
