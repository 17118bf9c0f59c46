// Word tables for the comparison of statements: synonyms, stop words, optional words, qualifiers, modality, pronouns.
// Synonyms belong here only when swapping them never changes a statement, in any context.
import { stem } from "../words/stem";

/** One group of synonyms per line. Inflections need no entry of their own; derived words do. */
const SYNONYMS = `
start begin commence
end finish conclude
stop cease halt
buy purchase
help assist
need require requirement
want wish desire
prefer favour favor preference
favourite favorite
like enjoy
hate detest loathe
choose pick select opt choice selection
decide agree decision
keep retain
store save persist
run execute
change alter modify
fix repair
answer reply respond response
send dispatch
ship shipping shipment
show display
happen occur
talk communicate
live reside
reduce decrease reduction
big large
small little
fast quick rapid
quickly rapidly
slowly gradually
near nearby
sick ill
wrong incorrect
mandatory compulsory obligatory
automatic automatically
issue problem
mother mum mom
father dad
child kid
grandmother grandma granny
grandfather grandpa
doctor physician
physio physiotherapist
lawyer attorney
pupil student
car automobile
lorry truck
bike bicycle
phone telephone
fridge refrigerator
sofa couch
lift elevator
aubergine eggplant
courgette zucchini
coriander cilantro
petrol gasoline
rubbish trash garbage
cargo freight
flat apartment
film movie
holiday vacation
client customer
staff personnel
photo photograph picture
repo repository
db database
config configuration configure
env environment
prod production
infra infrastructure
perf performance
auth authentication authenticate
docs documentation
app application
admin administrator
info information
spec specification
param parameter
dir directory
lib library
msg message
dept department
temp temperature
dep dependency
deploy deployment
migrate migration
install installation
implement implementation
integrate integration
validate validation
recommend recommendation
suggest suggestion propose proposal
discuss discussion
analyse analyze analysis
describe description
move relocate
arrive arrival
depart departure
expire expiry expiration
renew renewal
cancel cancellation
replace replacement
improve improvement
approve approval
pay payment
fail failure
limit limitation cap
allergic allergy
colour color
grey gray
centre center
organisation organization
organise organize
optimise optimize optimisation optimization
behaviour behavior
licence license
programme program
attend attendance
use utilise utilize usage
include contain
build construct
cause trigger
ensure guarantee
regularly routinely
usually normally typically generally
often frequently
rarely seldom
immediately instantly
simultaneously concurrently
entire whole
same identical
enough sufficient
additional extra
previous prior
allow permit
forbid prohibit ban
enable activate
disable deactivate
postpone defer
kilogram kilo
maximum max
javascript js ecmascript
typescript ts
postgres postgresql
kubernetes k8s
python py
mongo mongodb
elastic elasticsearch
github gh
wifi wlan
`;

/** Words without a meaning of their own, which are not compared. */
export const STOP_WORDS = toWordSet(
  `a an the this that these those it its itself there here to of in on at for with as and so then such into onto
  do does doing be been is are am get gets have has which by per your yours you thus`,
);

/** Words that only one of two near-duplicates may have. */
export const OPTIONAL_WORDS = toWordSet(
  `really very quite just simply actually basically currently presently now please also too indeed certainly
  definitely obviously clearly kindly format version located situated set team project mr mrs ms dr btw fyi`,
);

/** Words that negate, bound, order or direct the word after them, by canonical name. */
export const QUALIFIERS: ReadonlyMap<string, string> = invertTable({
  not: "not no",
  or: "or nor",
  but: "but",
  only: "only solely merely",
  even: "even",
  all: "all every each",
  everyother: "everyother",
  some: "some",
  most: "most",
  many: "many",
  few: "few several",
  any: "any",
  both: "both",
  either: "either neither",
  other: "other another else",
  from: "from",
  before: "before",
  after: "after",
  since: "since",
  until: "until till",
  within: "within",
  during: "during",
  between: "between among",
  without: "without",
  against: "against",
  except: "except unless excluding",
  including: "including",
  over: "over above morethan beyond",
  under: "under below lessthan beneath",
  atleast: "atleast",
  atmost: "atmost",
  about: "about around approximately roughly circa",
  almost: "almost nearly",
  instead: "insteadof than",
  if: "if when whenever",
  while: "while whereas although though",
  because: "because",
  once: "once",
  off: "off",
  out: "out",
  up: "up",
  down: "down",
  away: "away",
  back: "back",
  more: "more",
  less: "less fewer",
  least: "least",
  again: "again",
  still: "still",
  yet: "yet already",
  first: "first",
  last: "last",
  next: "next",
  who: "who whom whose",
  what: "what",
  why: "why",
  how: "how",
  where: "where",
  fornow: "fornow temporarily",
});

/** Words of modality and frequency, by canonical name. */
export const MODALITIES: ReadonlyMap<string, string> = invertTable({
  will: "will shall",
  would: "would",
  may: "may might could maybe perhaps possibly",
  probably: "probably likely presumably supposedly",
  can: "can",
  must: "must",
  should: "should",
  wants: "wantsto",
  hopes: "hopesto",
  plans: "plansto",
  former: "usedto formerly previously nolonger",
  always: "always",
  never: "never",
});

/** Personal pronouns, by canonical name. "I" is the user, as in memories worded "the user …". */
export const PERSONS: ReadonlyMap<string, string> = invertTable({
  user: "i me my mine myself",
  we: "we us our ours ourselves",
  he: "he him his himself",
  she: "she her hers herself",
  they: "they them their theirs themselves",
});

const groups = new Map<string, string>();
for (const line of SYNONYMS.trim().split("\n")) {
  const [head = "", ...others] = line.trim().split(/\s+/);
  for (const word of [head, ...others]) {
    groups.set(word, head);
    groups.set(stem(word), head);
  }
}

/** Returns the name of a word's synonym group, or its stem; inflections of a word share it. */
export function getSynonymGroup(word: string): string {
  const root = stem(word);
  return groups.get(word) ?? groups.get(root) ?? root;
}

/** Returns the synonym group of a name, or the name itself: names have no inflections. */
export function resolveAlias(name: string): string {
  return groups.get(name) ?? name;
}

function toWordSet(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/));
}

function invertTable(table: Record<string, string>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(table).flatMap(([name, words]) =>
      words.split(" ").map((word): [string, string] => [word, name]),
    ),
  );
}
