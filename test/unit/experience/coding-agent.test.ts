// The patterns of three days of a coding agent, with vectors of the embedded embedder.
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { getEpisodeText } from "../../../src/experience/episodes/episode-record";
import { extractAntiPatterns, renderAntiPattern } from "../../../src/experience/patterns/anti-patterns";
import {
  CLUSTER_SIMILARITY,
  clusterEpisodes,
  computeCentroid,
  MIN_CLUSTER_SIZE,
} from "../../../src/experience/patterns/cluster-episodes";
import { extractPattern, type NewPattern } from "../../../src/experience/patterns/extract-pattern";
import { findSamePattern, planPatternMerges } from "../../../src/experience/patterns/match-patterns";
import { getSharedUseLiteEmbedder } from "../../../src/models/use-lite/use-lite-embedder";
import { CODING_AGENT } from "./episodes";

const embed = (texts: readonly string[]) => getSharedUseLiteEmbedder(env.ASSETS).embed(texts, "document");

let vectors: Float32Array[];
let clusters: number[][];
let patterns: NewPattern[];

beforeAll(async () => {
  vectors = await embed(CODING_AGENT.map(getEpisodeText));
  const items = vectors.map((vector) => ({ vector }));
  clusters = clusterEpisodes(items, CLUSTER_SIMILARITY).filter(({ length }) => length >= MIN_CLUSTER_SIZE);
  patterns = clusters.flatMap(
    (members) => extractPattern(CODING_AGENT.filter((_, i) => members.includes(i))) ?? [],
  );
});

describe("twenty episodes of a coding agent", () => {
  it("form four clusters and three singletons", () => {
    expect(clusters.map((members) => members.map((i) => CODING_AGENT[i]?.context.goal))).toEqual([
      [
        "Implement POST /api/todos endpoint",
        "Implement POST /api/users endpoint",
        "Implement POST /api/invoices endpoint",
        "Implement GET /api/todos endpoint",
        "Implement POST /api/orders endpoint with validation",
      ],
      [
        "Fix the flaky login test",
        "Fix flaky checkout test",
        "Fix the flaky search integration test",
        "Fix the flaky payment test",
      ],
      [
        "Add a migration for the orders table",
        "Add a migration for the invoices table",
        "Add migration for the sessions table",
        "Add a migration for the payments table",
      ],
      [
        "Deploy the api to staging",
        "Deploy the api to production",
        "Deploy api to production",
        "Deploy the web app to staging",
      ],
    ]);
  });

  it("yield the pattern of implementing an endpoint", () => {
    expect(patterns[0]).toEqual({
      theme: "Implement POST /api/… endpoint",
      pattern:
        "Implement POST /api/… endpoint: what works is read_file openapi.yaml, then write_file src/routes/*.ts, " +
        "then run_test, then edit_file src/routes/*.ts, then run_test; " +
        "if TypeScript compilation fails: Added explicit :void to route handler.",
      category: "typescript",
      conditions: [
        "During development",
        "No third-party deps",
        "Working on src/db/*.ts",
        "Working on src/routes/*.ts",
      ],
      correct_approach:
        "read_file openapi.yaml, then write_file src/routes/*.ts, then run_test, " +
        "then edit_file src/routes/*.ts, then run_test. " +
        "If TypeScript compilation fails: Added explicit :void to route handler. " +
        "On Schema mismatch: Regenerated the types from the spec.",
      incorrect_approach:
        "Leaving out read_file openapi.yaml. Missing return type annotation (TypeScript compilation).",
      confidence: 0.95,
      memory_type: "discovery",
      importance: 0.5,
      source_episodes: ["ep-01", "ep-02", "ep-03", "ep-04", "ep-05"],
      timestamp: "2026-01-05T13:00:00.000Z",
    });
  });

  it("yield the pattern of fixing a flaky test", () => {
    expect(patterns[1]).toMatchObject({
      pattern:
        "Fix the flaky … test: what works is run_test tests/*.test.ts, then read_file, " +
        "then edit_file tests/*.test.ts, then run_test tests/*.test.ts; " +
        "on Timeout: Waited for the form to be visible.",
      conditions: ["During testing", "Working on tests/*.test.ts"],
      incorrect_approach: "Leaving out read_file. The sandbox did not answer (Timeout).",
    });
  });

  it("yield the pattern of adding a migration", () => {
    expect(patterns[2]).toMatchObject({
      pattern:
        "Add a migration for the … table: what works is read_file docs/schema.md, " +
        "then write_file migrations/*.sql, then run_migration staging, then run_test.",
      category: "sql",
      incorrect_approach:
        "run_migration production instead of staging. canceling statement due to lock timeout.",
    });
  });

  it("yield the pattern of deploying", () => {
    expect(patterns[3]).toMatchObject({
      pattern: "Deploy the api to …: what works is run_build, then run_test, then deploy, then check_health.",
      category: "release",
      conditions: ["During release"],
      incorrect_approach: "Leaving out run_test. 503 from /health (Health check).",
    });
  });

  it("yield anti-patterns", () => {
    expect(extractAntiPatterns(CODING_AGENT).map(renderAntiPattern)).toEqual([
      "Health check fails: 503 from /health. Prevention: Rolled back to the last release.",
      "lock timeout: canceling statement due to lock timeout. Prevention: Created the index concurrently.",
      "Peer dependency conflict: The plugin asks for the former version.",
      "Schema mismatch: email is required in the spec. Prevention: Regenerated the types from the spec.",
      "Timeout: The sandbox did not answer. Prevention: Waited for the form to be visible.",
      "TypeScript compilation fails: Missing return type annotation. Prevention: Added explicit :void to route handler.",
    ]);
  });

  it("match later episodes to their own patterns, of which none merge", async () => {
    const texts = await embed(patterns.map(({ pattern }) => pattern));
    const themes = await embed(patterns.map(({ theme }) => theme));
    const known = patterns.map(({ theme, confidence, source_episodes }, i) => ({
      id: theme,
      vector: texts[i] ?? new Float32Array(),
      themeVector: themes[i] ?? null,
      confidence,
      sources: new Set(source_episodes),
    }));
    const candidates = known.map(({ id, vector, themeVector }, i) => ({
      id,
      vector,
      themeVector: themeVector ?? vector,
      centroid: computeCentroid((clusters[i] ?? []).flatMap((at) => vectors[at] ?? [])),
      sources: ["new"],
    }));
    for (const candidate of candidates) {
      expect(findSamePattern(candidate, known)).toBe(candidate.id);
      const others = known.filter(({ id }) => id !== candidate.id);
      expect(findSamePattern(candidate, others)).toBeNull();
    }
    const mergeable = known.map(({ id, ...rest }) => ({
      ...rest,
      id,
      text: id,
      created_at: "2026",
      group: "pattern",
    }));
    expect(planPatternMerges(mergeable, () => false)).toEqual([]);
  });
});
