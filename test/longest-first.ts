// The order of test files: project by project, since a shared runtime is kept only while nothing else comes between its
// files; and the longest ones first, so that none of them runs on alone at the end. vitest itself orders by the size of
// the files, unless it has the durations of an earlier run.
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The longest files of each project on two cores, longest first. */
const LONGEST: readonly string[] = [
  "test/repo/edge.test.ts",
  "test/repo/start.test.ts",
  "test/repo/docs.test.ts",
  "test/conformance/http/crash.test.ts",
  "test/repo/eval.test.ts",
  "test/conformance/http/erased-files.test.ts",
  "test/console/console-accessibility.test.ts",
  "test/conformance/http/kill.test.ts",
  "test/conformance/http/reembedding.test.ts",
  "test/repo/deploy.test.ts",
  "test/faults/user-erasure.test.ts",
  "test/faults/project.test.ts",
  "test/conformance/policy/namespaces.test.ts",
  "test/conformance/two-tier/messages-recall.test.ts",
  "test/conformance/service/bound-keys.test.ts",
  "test/conformance/policy/injection.test.ts",
  "test/integration/properties/properties-isolation.test.ts",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.indexOf(relative(this.ctx.config.root, moduleId));
      return at === -1 ? LONGEST.length : at;
    };
    // The projects stay in vitest's order: node, unit, workers.
    const byProject = Map.groupBy(sorted, ({ project }) => project.name);
    return [...byProject.values()].flatMap((specs) => specs.toSorted((a, b) => rank(a) - rank(b)));
  }
}
