// save_skill: a way of doing something, written down to be followed again.

import { Skill } from "../../schemas/skill";
import { NoScope, SaveSkillInput } from "../../schemas/tool-parameters";
import { defineTool } from "../tools/tool";
import { putSkill } from "./write-skill";

export const saveSkill = defineTool({
  name: "save_skill",
  title: "Save a skill",
  description:
    "Write down how something is done, so that it can be followed again: steps, prerequisites, common errors, exit " +
    "criteria. A skill of the same slug gets a new version; the one before stays in its history.",
  scope: "write",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  belongs: NoScope,
  input: SaveSkillInput,
  output: Skill,
  answers: { 200: "The skill, which was there before", 201: "The new skill" },
  async run(services, _target, { slug, ...told }) {
    const { skill, created } = await putSkill(services, slug, told);
    return { status: created ? 201 : 200, body: skill };
  },
});
