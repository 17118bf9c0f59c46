// read_skill: a skill with its steps.
import { failure } from "../../platform/errors";
import { Skill } from "../../schemas/skill";
import { NoScope, ReadSkillInput } from "../../schemas/tool-parameters";
import { defineTool } from "../tools/tool";
import { toSkill } from "./write-skill";

export const readSkill = defineTool({
  name: "read_skill",
  title: "Read a skill",
  description:
    "Read a skill to follow it: prerequisites, steps, common errors with their fixes, and how to tell that it is done.",
  scope: "read",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  belongs: NoScope,
  input: ReadSkillInput,
  output: Skill,
  answers: { 200: "The skill" },
  async run({ store }, _target, { slug }) {
    const memory = await store.skills.find(slug);
    if (memory === null)
      throw failure("not_found", `Skill not found: ${slug}. Check the slug; find_skill lists them.`);
    return { status: 200, body: toSkill(memory) };
  },
});
