// A small campaign of generated requests: no answer differs from the OpenAPI document, and none is a defect.
import { expect, it } from "vitest";
import { runCampaign } from "../../../scripts/lib/fuzz/run-campaign";
import { createFuzzKeys } from "../../../scripts/lib/fuzz/start-target";
import { scaleCases } from "../../patience";
import { sharedServer } from "../support/http-service";

const kioku = sharedServer();

it("answers generated requests as documented", async () => {
  const url = kioku.anonymous.url("");
  const keys = await createFuzzKeys(url, kioku.admin.key ?? "");
  const requests = scaleCases(800);
  const report = await runCampaign({ url, keys, requests, seed: 20261117, lanes: 2 });
  expect(report.findings).toEqual([]);
  expect(report.sent).toBe(requests);
  // Most requests reach an operation: a campaign of refused ones would prove nothing.
  const succeeded = [...report.statuses].filter(([status]) => status < 300).map(([, count]) => count);
  expect(succeeded.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(requests / 4);
});
