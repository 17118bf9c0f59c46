// Faults during the erasure of an agent, a project or a tenant: it is not acknowledged before it is complete, and a
// repeated call completes it. The faults of the steps that users have too are in user-erasure.test.ts.
import { afterEach, beforeEach, expect, it } from "vitest";
import { fillOwner } from "../integration/erasure/support";
import { ADMIN_KEY, type Client, callWith } from "../integration/support";
import { findInD1, findInTextIndexes, newTenantOfUsers } from "../integration/users/support";
import { breakBatches, MOMENTS, mendD1 } from "./support";

const OWNER = { agent_id: "ada", project_id: "shop" };

let client: Client;
let word: string;

beforeEach(async () => {
  ({ client, word } = await newTenantOfUsers());
  await fillOwner(client, OWNER, word);
});
afterEach(mendD1);

const STEPS = [
  ["agents/ada", "its declaration", /DELETE FROM triples WHERE tenant = \? AND subject = \?/],
  ["agents/ada", "its ledger", /DELETE FROM ledgers WHERE/],
  ["projects/shop", "its handoffs", /DELETE FROM handoffs WHERE/],
  ["tenants/", "its keys", /DELETE FROM api_keys WHERE/],
  ["tenants/", "its last rows", /DELETE FROM tenants WHERE/],
] as const;
const CASES = STEPS.flatMap(([path, step, matching]) =>
  MOMENTS.map((moment) => ({ path, step, matching, moment })),
);

it.each(
  CASES,
)("$path: D1 that fails $moment $step is erased stops the call, and a repeated one completes it", async ({
  path,
  matching,
  moment,
}) => {
  const isTenant = path === "tenants/";
  const erase = () =>
    isTenant
      ? callWith(ADMIN_KEY, "DELETE", `/v1/tenants/${client.tenant}`)
      : client.call("DELETE", `/v1/${path}`);
  breakBatches({ moment, matching, times: 1 });
  const { status, body } = await erase();
  expect(status).toBe(503);
  expect(body.detail).toContain("Send the same call again");
  mendD1();
  // The answer of the last step may be what was lost: then nothing is left for the second call.
  expect([200, 404]).toContain((await erase()).status);
  expect((await erase()).status).toBe(404);
  expect(await findInTextIndexes(word)).toEqual([]);
  if (isTenant) expect(await findInD1(client.tenant, client.tenant)).toEqual([]);
  const left = await findInD1(client.tenant, word);
  expect(left.filter((place) => !/^(statements|policies|ledgers)\./.test(place))).toEqual([]);
});
