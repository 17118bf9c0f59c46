// The vocabulary of the generated data: common words by rank, and names joined from two parts.

/** The most frequent first. */
export const COMMON_WORDS = `
user project api test build config database session token error request response file server client
cache queue table index deploy branch release version schema key value customer order payment invoice account email
login password role permission team report dashboard page form button style theme language timezone currency date
migration backup restore log metric alert trace latency timeout retry limit quota batch stream event message topic
webhook job worker scheduler cron task pipeline workflow step stage review merge commit tag pull issue ticket bug fix
patch feature flag rollout experiment variant cohort segment campaign coupon discount price tax refund cart checkout
shipping address warehouse stock supplier product catalog search filter sort ranking recommendation profile avatar
notification subscription plan trial renewal billing usage export import csv json yaml markdown template layout
component hook context state store reducer selector route middleware handler controller service repository model view
entity column row constraint transaction lock replica shard partition cluster node pod container image registry
network firewall proxy gateway balancer certificate domain dns region zone bucket object blob folder archive
compression encryption signature hash secret vault credential audit policy rule compliance privacy consent retention
tenant workspace organisation member invite guest owner admin support incident outage postmortem runbook checklist
document wiki glossary diagram prototype mockup design icon font colour spacing grid table chart graph map
timeline calendar reminder deadline milestone sprint backlog estimate velocity capacity budget forecast contract
vendor license dependency package module library framework runtime compiler linter formatter bundler debugger profiler
benchmark fixture mock stub snapshot coverage assertion property scenario sample dataset feature label training
inference prompt embedding vector similarity score threshold weight gradient epoch checkpoint tokenizer
`
  .trim()
  .split(/\s+/)
  .filter((word, i, words) => words.indexOf(word) === i);

const NAME_STEMS = `
amber anchor apex arbor atlas aurora basil beacon birch bishop bolt brook canyon cedar cinder cobalt comet copper coral
crater crest cypress delta drift ember falcon fern fjord flint forge garnet glacier granite harbor hazel heron indigo
iris ivory jasper juniper kelp kestrel lark laurel linden lotus lunar maple marble meadow mesa nectar nimbus nova oak
onyx opal orchid osprey otter
`
  .trim()
  .split(/\s+/);

const NAME_ENDINGS = `
base beam bell bind bond box bridge cast chart clock craft crew dash deck desk dock drop fall feed field flow fold
frame gate grid guard hub kit lane lens line link list loop mark mesh mill node pad path pier pin port post press pulse
rail relay ring scan seed shelf shift sync tide trail vault watch wave well yard
`
  .trim()
  .split(/\s+/);

/** Names as a code base has them. */
export const NAMES = NAME_STEMS.flatMap((stem) => NAME_ENDINGS.map((ending) => stem + ending));
