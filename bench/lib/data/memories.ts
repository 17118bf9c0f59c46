// Generates memories, messages and queries that read like an agent's, the same in every run. Each is generated from a
// seed and its number alone, so any range can be generated on its own.
import { getItem } from "../get-item.ts";
import { createRandom, pick, type Random } from "./random.ts";
import { COMMON_WORDS, NAMES } from "./words.ts";

const SEED = 0x6b696f6b;
const SESSIONS = 12;
const AGENTS = ["planner", "coder", "reviewer", "researcher"];
const PROJECTS = ["storefront", "ledger", "atlas"];
const SOURCES = ["user", "agent", "tool", "external_document"];

/** So many consecutive memories share a session, as the writes of one batch do in the service. */
const RUN_LENGTH = 50;

const FIRST_TIME = Date.parse("2026-01-01T00:00:00.000Z");
const MINUTES_APART = 2;

export const SESSION_IDS = Array.from({ length: SESSIONS }, (_, i) => `session-${i + 1}`);

/** The session that is read, and the one that messages are added to. */
export const TALKING = getItem(SESSION_IDS, 0);
export const GROWING = getItem(SESSION_IDS, 1);

/** A word's place in the list is its Zipf rank. */
const VOCABULARY = [...COMMON_WORDS, ...NAMES];

const VOCABULARY_SET = new Set(VOCABULARY);
const FLATNESS = 10;

/** `w` stands for a word, `n` for a number. */
const TEMPLATES: readonly (readonly [type: string, template: string])[] = [
  ["fact", "The w w uses w n.n for w"],
  ["fact", "The user prefers w over w when working on the w w"],
  ["fact", "The customer's w plan allows n w per w and w"],
  ["fact", "The w team owns the w w and the w w"],
  ["assumption", "We assume that every w has a w before the w starts"],
  ["hypothesis", "The w w may be slow because the w w is read twice"],
  ["discovery", "Found out that w w returns n w when the w is empty"],
  ["risk", "If the w w fails, w and w are lost after n minutes"],
  ["unknown", "Nobody knows yet why the w w needs w w"],
  ["decision", "Decided to keep w in the w w instead of w, since w w was too slow"],
  [
    "architectural_decision",
    "The w service talks to w through the w queue, never to the w database directly",
  ],
  ["implementation_decision", "Use w for w in the w module; w stays behind the w flag"],
  ["task", "Move the w w to w n and remove the old w"],
  ["convention", "Name every w after its w, and put w tests beside the w"],
  ["coding_standard", "Functions in w take one w object and return w, never w"],
  ["agent_rule", "Ask the user before changing w or w in the w environment"],
  ["process_convention", "Every w change needs a w review and a green w run"],
  ["error", "w w failed with error n: w not found in w"],
  ["bug", "The w page shows w twice when the w is w"],
  ["root_cause", "The w outage came from a w that held the w lock for n seconds"],
  ["lesson_learned", "Run w with the w w first: it shows w problems within n seconds"],
  ["skill", "To release w: build the w w, check w, then deploy w to w"],
];

const RATIONALES = [
  "The user said so while we worked on w",
  "It came up n times in w reviews",
  "w and w depend on it",
];

const QUESTIONS = [
  "w w",
  "w w w",
  "which w does w use",
  "what was decided about w w",
  "error in w w",
  "w w w w",
];

export type GeneratedMemory = ReturnType<typeof generateMemory>;

export function generateMemory(index: number) {
  const random = createRandom(index, SEED);
  const [type, template] = pick(random, TEMPLATES);
  const timestamp = new Date(FIRST_TIME + index * MINUTES_APART * 60_000).toISOString();
  return {
    type,
    content: fillTemplate(random, template),
    confidence: Math.round((0.5 + random() * 0.5) * 100) / 100,
    importance: Math.round(random() * 100) / 100,
    source_type: pick(random, SOURCES),
    rationale: random() < 0.3 ? fillTemplate(random, pick(random, RATIONALES)) : null,
    session_id: getItem(SESSION_IDS, Math.floor(index / RUN_LENGTH) % SESSIONS),
    agent_id: pick(random, AGENTS),
    project_id: pick(random, PROJECTS),
    topic_key: null,
    timestamp,
    valid_from: null,
    evidence: random() < 0.2 ? [`message-${index}`] : [],
    properties: {},
  };
}

/** Generates a query with words of one memory among the first `count`, so that there is something to find. */
export function generateQuery(index: number, count: number): string {
  const random = createRandom(index + 0x71000000, SEED);
  const { content } = generateMemory(Math.floor(random() * count));
  const words = (content.toLowerCase().match(/[a-z]+/g) ?? []).filter(
    (word, i, all) => VOCABULARY_SET.has(word) && all.indexOf(word) === i,
  );
  const question = pick(random, QUESTIONS);
  return question.replaceAll(/ ?\bw\b/g, (slot) => {
    const [word] = words.splice(Math.floor(random() * words.length), 1);
    return word === undefined ? "" : slot.replace("w", word);
  });
}

/** Generates a turn of a conversation: two to five sentences. */
export function generateMessage(index: number) {
  const random = createRandom(index + 0x6d000000, SEED);
  const sentences = Array.from({ length: 2 + Math.floor(random() * 4) }, () =>
    fillTemplate(random, pick(random, TEMPLATES)[1]),
  );
  return { role: index % 2 === 0 ? "user" : "assistant", content: `${sentences.join(". ")}.` };
}

export function generateMessages(count: number) {
  return Array.from({ length: count }, (_, i) => generateMessage(i));
}

export function generateType(index: number): string {
  return pick(createRandom(index + 0x74000000, SEED), TEMPLATES)[0];
}

function fillTemplate(random: Random, template: string): string {
  const text = template
    .replaceAll(/\bw\b/g, () => pickZipfWord(random))
    .replaceAll(/\bn\b/g, () => String(1 + Math.floor(random() * 500)));
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Zipf's law as Mandelbrot corrected it, by inversion: the probability of rank r falls as 1/(r + FLATNESS). Without
 * the correction every third memory would hold the same word, as is true of "the" but of no word worth searching for.
 */
function pickZipfWord(random: Random): string {
  const rank = FLATNESS * ((VOCABULARY.length + FLATNESS) / FLATNESS) ** random() - FLATNESS;
  return getItem(VOCABULARY, Math.floor(rank));
}
