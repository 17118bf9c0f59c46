// All sentence forms, in the order in which they are tried: a plan or a version before a place, a place before a state.
import { CONTACT_FORMS } from "./contact-rules";
import { WORK_FORMS } from "./employment-rules";
import { MEASURE_FORMS } from "./measurement-rules";
import { LIFE_FORMS } from "./personal-rules";
import { THING_FORMS } from "./possession-rules";
import { HOME_FORMS } from "./residence-rules";
import { type Fact, findFact } from "./sentence-rule";
import { TOOL_FORMS } from "./tool-rules";

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
