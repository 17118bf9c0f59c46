// All sentence forms, in the order in which they are tried: a plan or a version before a place, a place before a state.
import { CONTACT_FORMS } from "./contact-forms";
import { HOME_FORMS } from "./home-forms";
import { LIFE_FORMS } from "./life-forms";
import { MEASURE_FORMS } from "./measure-forms";
import { type Fact, findFact } from "./sentence-form";
import { THING_FORMS } from "./thing-forms";
import { TOOL_FORMS } from "./tool-forms";
import { WORK_FORMS } from "./work-forms";

const FORMS = [
  ...TOOL_FORMS,
  ...HOME_FORMS,
  ...WORK_FORMS,
  ...CONTACT_FORMS,
  ...LIFE_FORMS,
  ...THING_FORMS,
  ...MEASURE_FORMS,
];

export function matchForms(clause: string): Fact | null {
  return findFact(FORMS, clause);
}
