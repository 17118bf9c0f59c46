// An example of every operation: one small story, of an agent that mends a shop's checkout, told through all of them.
import { adminExamples } from "./admin";
import type { Example, Examples } from "./example";
import { experienceExamples } from "./experience";
import { graphExamples } from "./graph";
import { handoverExamples } from "./handover";
import { keyExamples } from "./keys";
import { linkExamples } from "./links";
import { mem0Examples } from "./mem0";
import { memoryExamples } from "./memories";
import { policyExamples } from "./policy";
import { serviceExamples } from "./service";
import { sessionExamples } from "./sessions";
import { shortTermExamples } from "./short-term";
import { skillExamples } from "./skills";
import { spaceExamples } from "./spaces";
import { taskExamples } from "./tasks";
import { threadExamples } from "./thread";
import { toolExamples } from "./tools";

export type { Example };
export { pathExample } from "./path-parameters";

const EXAMPLES: Examples = {
  ...keyExamples,
  ...sessionExamples,
  ...shortTermExamples,
  ...toolExamples,
  ...memoryExamples,
  ...linkExamples,
  ...graphExamples,
  ...policyExamples,
  ...spaceExamples,
  ...taskExamples,
  ...threadExamples,
  ...experienceExamples,
  ...skillExamples,
  ...handoverExamples,
  ...mem0Examples,
  ...adminExamples,
  ...serviceExamples,
};

export function exampleOf(method: string, path: string): Example {
  return EXAMPLES[`${method.toUpperCase()} ${path}`] ?? {};
}
