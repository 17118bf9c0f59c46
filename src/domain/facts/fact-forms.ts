// All sentence forms, in the order in which they are tried: a plan or a version before a place, a place before a state.
import { LIFE_FORMS } from "./life-forms";
import { MEASURE_FORMS } from "./measure-forms";
import { type Fact, findFact } from "./sentence-form";
import { THING_FORMS } from "./thing-forms";
import { TOOL_FORMS } from "./tool-forms";

const FORMS = [...TOOL_FORMS, ...LIFE_FORMS, ...THING_FORMS, ...MEASURE_FORMS];

export function matchForms(clause: string): Fact | null {
  return findFact(FORMS, clause);
}
