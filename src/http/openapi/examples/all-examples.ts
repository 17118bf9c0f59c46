// An example of every operation: one small story, of an agent that mends a shop's checkout, told through all of them.
import { adminExamples } from "./admin-examples";
import type { Example, Examples } from "./example";
import { experienceExamples } from "./experience-examples";
import { graphExamples } from "./graph-examples";
import { handoverExamples } from "./handover-examples";
import { keyExamples } from "./key-examples";
import { linkExamples } from "./link-examples";
import { mem0Examples } from "./mem0-examples";
import { memoryExamples } from "./memory-examples";
import { policyExamples } from "./policy-examples";
import { serviceExamples } from "./service-examples";
import { sessionExamples } from "./session-examples";
import { shortTermExamples } from "./short-term-examples";
import { skillExamples } from "./skill-examples";
import { spaceExamples } from "./space-examples";
import { taskExamples } from "./task-examples";
import { threadExamples } from "./thread-examples";
import { toolExamples } from "./tool-examples";

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
