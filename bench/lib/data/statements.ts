// Triples shaped like those of memories: every class, sessions, agents, projects, evidence, relations and chains of
// supersession. The seed is fixed, so every run uses the same data.
import type { LoadedStatement, LoadedTerm } from "../../workers/statement-loader.ts";

const JIDO = "https://jido.ai/ontology#";
const RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
const XSD = "http://www.w3.org/2001/XMLSchema#";

const CLASSES =
  "Fact Assumption Hypothesis Discovery Risk Unknown Preference Decision ArchitecturalDecision ImplementationDecision Alternative TradeOff Task Milestone Plan Convention CodingStandard ArchitecturalConvention AgentRule ProcessConvention Error Bug Failure Incident RootCause LessonLearned Skill".split(
    " ",
  );
const SOURCES = ["UserSource", "AgentSource", "ToolSource", "ExternalDocumentSource"];
const WORDS =
  "the build cache must be cleared before a release because stale artefacts break the deployment of workers and tests use fixtures that rely on deterministic clocks while agents prefer small commits with clear messages".split(
    " ",
  );

/** The mean number of triples of a generated memory. */
const TRIPLES_PER_MEMORY = 13.6;
const START = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;

export function nameMemory(index: number): string {
  return `${JIDO}memory_${index.toString(16).padStart(32, "0")}`;
}

/** Generates about `count` triples. */
export function generateStatements(count: number): LoadedStatement[] {
  const random = createRandom(42);
  const pick = (items: readonly string[]) => items[Math.floor(random() * items.length)] ?? "";
  const write = (words: number) => Array.from({ length: words }, () => pick(WORDS)).join(" ");
  const memories = Math.floor(count / TRIPLES_PER_MEMORY);
  const statements: LoadedStatement[] = [];
  for (let i = 0; i < memories; i += 1) {
    const subject = nameMemory(i);
    const add = (predicate: string, object: LoadedTerm) =>
      statements.push([subject, predicate === "a" ? RDF_TYPE : JIDO + predicate, object, ""]);
    const literal = (value: string | number, type: string) => ({
      value: String(value),
      datatype: XSD + type,
    });
    add("a", JIDO + pick(CLASSES));
    add("summary", literal(`${write(12 + Math.floor(random() * 20))} ${i}`, "string"));
    add("confidenceValue", literal(Math.round(random() * 100) / 100, "decimal"));
    add("importanceScore", literal(Math.round(random() * 1000) / 1000, "decimal"));
    add("hasSourceType", JIDO + pick(SOURCES));
    add("hasTimestamp", literal(new Date(START + i * MINUTE_MS).toISOString(), "dateTime"));
    add("assertedIn", `${JIDO}session_${Math.floor(i / 20)}`);
    add("assertedBy", `${JIDO}agent_${Math.floor(random() * 30)}`);
    add("appliesToProject", `${JIDO}project_${Math.floor(random() * 40)}`);
    if (random() < 0.6) add("rationale", literal(write(15), "string"));
    for (let k = 0; k < 1 + Math.floor(random() * 2); k += 1)
      add("derivedFrom", `${JIDO}evidence_file${Math.floor(random() * 2_000)}.ts`);
    if (random() < 0.5) add("topicKey", literal(`topic_${Math.floor(i / 8)}`, "string"));
    if (i % 8 !== 7 && random() < 0.7 && i + 1 < memories) add("supersededBy", nameMemory(i + 1));
    for (let k = 0; k < 2; k += 1)
      if (random() < 0.6) add("relatedTo", nameMemory(Math.floor(random() * memories)));
  }
  return statements;
}

/** A linear congruential generator: its numbers are from 0 to below 1. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
