// Every rule that reads text takes work in proportion to its length, whatever the text is.
import { describe, expect, it } from "vitest";
import type { ProjectorContext } from "../../../src/cognition/projectors/projector";
import { findProjector } from "../../../src/cognition/projectors/projector-registry";
import { computeErrorKey } from "../../../src/experience/patterns/anti-patterns";
import { extractTheme } from "../../../src/experience/patterns/consensus";
import { parseSense } from "../../../src/experience/patterns/contradiction";
import { parseSkillMarkdown, renderSkillMarkdown } from "../../../src/experience/skills/skill-markdown";
import { trimLines } from "../../../src/experience/skills/skill-schemas";
import { extractCandidates, hasLastingContent } from "../../../src/facts/extraction/extract-candidates";
import { deriveTopicKey, replacesFact } from "../../../src/facts/topics/topic-key";
import { isCleanText } from "../../../src/kernel/common";
import { mayHaveHugeNumber } from "../../../src/kernel/json";
import { isNearDuplicate } from "../../../src/language/near-duplicates/near-duplicate";
import { parseStatement, parseTogether } from "../../../src/language/near-duplicates/parse-statement";
import { normaliseContent, splitText, toSingleLine } from "../../../src/language/normalise-text";
import { endSentence, splitSentences } from "../../../src/language/sentences";
import { findTimeRanges } from "../../../src/language/times/time-ranges";
import {
  extractIndexWords,
  extractQueryTerms,
  extractSearchTerms,
  listIdentifierParts,
  toIndexText,
} from "../../../src/language/words/query-terms";
import { findTopics } from "../../../src/owners/read-user";
import { escapeText } from "../../../src/recall/prompts/render-prompt";
import { summariseMessages } from "../../../src/recall/prompts/summarise-messages";
import { scanReply } from "../../../src/sessions/short-term/scan-reply";
import { findSensitive } from "../../../src/trust/privacy/find-sensitive";
import { hasSecret, redactSecrets } from "../../../src/trust/privacy/mask-values";
import { PERSONAL_CATEGORIES } from "../../../src/trust/privacy/privacy-schemas";

/** Parts that a hostile text repeats. */
const PARTS = [
  ...[
    "1",
    "a",
    "A",
    " ",
    "\n",
    "\r\n",
    " \t",
    '"',
    "'",
    "“",
    "«",
    "[",
    "(",
    ")]}",
    "`",
    "```",
    "|",
    "| a ",
    "*",
    "*a",
    "_",
  ],
  ...[
    "#",
    "# \n",
    "-",
    "- a\n",
    "1. a\n",
    "- [ ] a\n",
    "[a](",
    "<",
    "&amp;",
    "\\",
    "/",
    ".",
    "a. ",
    "?",
    "=",
    "@",
    "a@",
    "a@a.a",
  ],
  ...[
    "e\u0301",
    "\u0301",
    "漢",
    "😂",
    "\u200b",
    "aB",
    "a's ",
    "1 ",
    "12:",
    "2026-01-01 ",
    "+1 ",
    "DE89 ",
    "123-45-6789 ",
  ],
  ...[
    "I am ",
    "my password is ",
    "password=",
    "token",
    "Bearer ",
    "eyJ",
    "sk-",
    "a://b:",
    "http://a",
    "-----BEGIN PRIVATE KEY-----",
  ],
  ...["and ", "not ", "because ", "working on ", "todo: ", `${"1".repeat(308)} `],
];

function makeHostile(part: string, length: number): string {
  return part.repeat(Math.ceil(length / part.length)).slice(0, length);
}

type Rule = (text: string) => unknown;

const message = (role: "user" | "assistant", content: string) => ({
  id: "m1",
  role,
  content,
  timestamp: "2026-01-01T00:00:00.000Z",
});

const CONTEXT: ProjectorContext = {
  covers: { from: 1, to: 1 },
  now: 0,
  failures: 0,
  model: null,
  spaces: { map: () => ({}), list: () => [] },
  entries: async () => [],
  indexMessages: async () => undefined,
};

function project(name: string): Rule {
  return (content) =>
    findProjector(name)?.project(
      [{ seq: 1, kind: "message", payload: { role: "user", content }, at: "2026-01-01T00:00:00.000Z" }],
      CONTEXT,
    );
}

/** Rules on texts of any length. */
const ANY_LENGTH: Readonly<Record<string, Rule>> = {
  "numbers of a body": mayHaveHugeNumber,
  "clean text": isCleanText,
  "privacy detectors": (text) => findSensitive(text, PERSONAL_CATEGORIES),
  "sentences about secrets": hasSecret,
  "redaction for summaries": (text) => redactSecrets({ text }),
  sentences: splitSentences,
  "end of a sentence": endSentence,
  normalisation: normaliseContent,
  "single line": toSingleLine,
  "words of the index": extractIndexWords,
  "terms of a query": extractQueryTerms,
  "terms of a search": extractSearchTerms,
  "times of a query": (text) => findTimeRanges(text, "2026-11-17T10:00:00Z"),
  "text of the index": toIndexText,
  identifiers: listIdentifierParts,
  "parts of a turn": (text) => splitText(text, 2_000),
  "facts projector": project("facts"),
  "tasks projector": project("tasks"),
  "summary projector": project("summary"),
  "summary of messages": (text) => summariseMessages([message("user", text)], 1_000),
  "context of a reply": scanReply,
  "candidates of a user": (text) => extractCandidates(message("user", text)),
  "candidates of an assistant": (text) => extractCandidates(message("assistant", text)),
  "lasting content": hasLastingContent,
  "text of a prompt": escapeText,
  "skill in Markdown": (text) => parseSkillMarkdown(`# Skill: s\n\n## Steps\n${text}`),
  "any Markdown": parseSkillMarkdown,
  "escapes of Markdown": (text) =>
    renderSkillMarkdown({
      name: "s",
      description: text,
      prerequisites: [text],
      steps: [text],
      common_errors: [{ error: text, fix: text }],
      exit_criteria: [],
      example_usage: text,
    }),
  "empty lines": trimLines,
};

/** Rules on contents of memories and goals of episodes, which have at most 2,000 characters: four times that. */
const SHORT_TEXTS: Readonly<Record<string, Rule>> = {
  "topic of a fact": deriveTopicKey,
  "changed facts": (text) => replacesFact(text, `${text} x`),
  "sense of a statement": parseSense,
  "topics of a user": (text) => findTopics([text, text], 5),
  "key of an error": (text) => computeErrorKey({ type: text, message: text }),
  "theme of goals": (text) => extractTheme([text, text]),
  "near duplicates": (text) => {
    const [a, b] = [text, `${text} x`].map((content) => parseStatement({ type: "fact", content }));
    return a === undefined || b === undefined ? null : isNearDuplicate(...parseTogether(a, b), null);
  },
};

/** Work below this is not compared: it is mostly that of the engine. */
const COMPARED_MS = 500;
/** A text of eight times the length takes about eight times the work; quadratic rules take 64 times as much. */
const GROWTH = 8;
const MAX_GROWTH = 4 * GROWTH;

async function measureCpu(rule: Rule, text: string): Promise<number> {
  const before = process.cpuUsage();
  await rule(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** The time of a process includes other threads, which test other files: a rule is slow only if it always is. */
const ATTEMPTS = 3;

/** Returns the parts whose repetition takes more than linear work. */
async function findSuperlinear(rule: Rule, length: number): Promise<string[]> {
  const found: string[] = [];
  for (const part of PARTS) {
    let isSuperlinear = true;
    for (let attempt = 0; attempt < ATTEMPTS && isSuperlinear; attempt += 1)
      isSuperlinear = await growsFaster(rule, part, length);
    if (isSuperlinear) found.push(part);
  }
  return found;
}

async function growsFaster(rule: Rule, part: string, length: number): Promise<boolean> {
  const long = await measureCpu(rule, makeHostile(part, length));
  if (long < COMPARED_MS) return false;
  return long > (await measureCpu(rule, makeHostile(part, length / GROWTH))) * MAX_GROWTH;
}

describe.each([
  ["128 KB", ANY_LENGTH, 2 ** 17],
  ["8 KB", SHORT_TEXTS, 2 ** 13],
])("the work on hostile texts of %s grows with their length", (_, rules, length) => {
  it.each(Object.entries(rules))("in the rules of %s", async (_name, rule) => {
    expect(await findSuperlinear(rule, length)).toEqual([]);
  });
});

describe("numbers of a body", () => {
  it.each([
    ["1".repeat(309), true],
    [`[${"1".repeat(308)}, ${"1".repeat(308)}]`, false],
    ['{"a": 1e999}', true],
    ['{"a": 1E+999}', true],
    ['{"a": 1.5e10, "b": "2026"}', false],
  ])("may be unrepresentable: %#", (raw, expected) => expect(mayHaveHugeNumber(raw)).toBe(expected));
});
