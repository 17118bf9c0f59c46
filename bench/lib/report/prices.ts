// What Cloudflare charges on the plan Workers Paid, in US dollars, beyond what the plan includes. Taken by hand, on the
// date given, from stored copies of the pages named here: check them before you rely on a number.

export const PRICES_DATE = "2026-11-16";

const DOCS = "https://developers.cloudflare.com";

/** `per` is how many units the price is for; `included` what the plan has of them each month. */
export const PRICES = {
  requests: {
    ...{ what: "Workers: requests", price: 0.3, per: 1e6, included: "10 million" },
    source: `${DOCS}/workers/platform/pricing/`,
  },
  cpuMs: {
    ...{ what: "Workers: CPU milliseconds", price: 0.02, per: 1e6, included: "30 million" },
    source: `${DOCS}/workers/platform/pricing/`,
  },
  d1RowsRead: {
    ...{ what: "D1: rows read", price: 0.001, per: 1e6, included: "25 billion" },
    source: `${DOCS}/d1/platform/pricing/`,
  },
  d1RowsWritten: {
    ...{ what: "D1: rows written", price: 1, per: 1e6, included: "50 million" },
    source: `${DOCS}/d1/platform/pricing/`,
  },
  d1GbMonths: {
    ...{ what: "D1: stored GB, a month", price: 0.75, per: 1, included: "5" },
    source: `${DOCS}/d1/platform/pricing/`,
  },
  objectRequests: {
    ...{ what: "Durable Objects: requests", price: 0.15, per: 1e6, included: "1 million" },
    source: `${DOCS}/durable-objects/platform/pricing/`,
  },
  objectGbSeconds: {
    ...{ what: "Durable Objects: GB-seconds", price: 12.5, per: 1e6, included: "400,000" },
    source: `${DOCS}/durable-objects/platform/pricing/`,
  },
  objectRowsRead: {
    ...{ what: "Durable Objects: rows read", price: 0.001, per: 1e6, included: "25 billion" },
    source: `${DOCS}/durable-objects/platform/pricing/`,
  },
  objectRowsWritten: {
    ...{ what: "Durable Objects: rows written", price: 1, per: 1e6, included: "50 million" },
    source: `${DOCS}/durable-objects/platform/pricing/`,
  },
  queriedDimensions: {
    ...{ what: "Vectorize: queried dimensions", price: 0.01, per: 1e6, included: "50 million" },
    source: `${DOCS}/vectorize/platform/pricing/`,
  },
  storedDimensions: {
    ...{ what: "Vectorize: stored dimensions, a month", price: 0.05, per: 1e8, included: "10 million" },
    source: `${DOCS}/vectorize/platform/pricing/`,
  },
  embeddedTokens: {
    ...{ what: "Workers AI: tokens of @cf/baai/bge-m3", price: 0.012, per: 1e6, included: "" },
    source: `${DOCS}/workers-ai/platform/pricing/`,
  },
};

/** An object is billed as if it used all the memory it may. */
export const OBJECT_GB = 0.128;

/** On this machine D1 is in the same process. From an object on Cloudflare it is a network away: assumed. */
export const D1_ROUND_TRIP_MS = 10;

/** Dollars for what a million calls use, each of them `usage` on average; only what has a price counts. */
export function dollarsPerMillion(usage) {
  return Object.fromEntries(
    Object.entries(usage).map(([unit, each]) => [unit, (each * 1e6 * PRICES[unit].price) / PRICES[unit].per]),
  );
}
