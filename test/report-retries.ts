// Lists the tests that failed and passed when they ran again, with their first error: vitest does not show it.
import type { Reporter, TestCase } from "vitest/node";

export class RetryReporter implements Reporter {
  readonly #flaky: TestCase[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky) this.#flaky.push(test);
  }

  onTestRunEnd(): void {
    for (const test of this.#flaky) {
      const [error] = test.result().errors ?? [];
      console.error(
        `Passed only when retried: ${test.module.relativeModuleId} > ${test.fullName}\n${error?.stack}\n`,
      );
    }
  }
}
