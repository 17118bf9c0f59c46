// find_skill: which skill fits what is to be done.

import { FindSkillAnswer, FindSkillInput, NoScope } from "../../schemas/tool-parameters";
import { FOR_PROMPT } from "../../search/search";
import { fromRow, type MemoryRow } from "../../store/memories/memory-rows";
import { defineTool } from "../tools/tool";
import { toSkill } from "./write-skill";

export const findSkill = defineTool({
  name: "find_skill",
  title: "Find a skill",
  description:
    "Find skills, ways of doing something that were written down to be followed again, by what you want to do. Then read " +
    "the one that fits with read_skill.",
  scope: "read",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  belongs: NoScope,
  input: FindSkillInput,
  output: FindSkillAnswer,
  answers: { 200: "Skills, best first" },
  async run({ search }, _target, { query, limit }) {
    const wanted = { ...FOR_PROMPT, type: "skill" as const, min_confidence: 0, query, limit };
    const { hits, rows } = await search.recall({ kind: "tenant" }, wanted);
    const skills = rows.map((row, i) => {
      const { slug, name, description, usage_count } = toSkill(fromRow(row as MemoryRow));
      return { slug, name, description, usage_count, score: hits[i]?.score ?? 0 };
    });
    return { status: 200, body: { count: skills.length, skills } };
  },
});
