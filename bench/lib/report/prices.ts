// Cloudflare's prices of the plan Workers Paid, in US dollars, beyond the included usage. Copied by hand from the pages
// named here, on the date below: check them before you rely on a number.

export const PRICES_DATE = "2026-11-16";

const DOCS = "https://developers.cloudflare.com";

export interface Price {
  /** The name of the unit. */
  what: string;
  price: number;
  /** How many units the price is for. */
  per: number;
  /** The plan's monthly allowance. */
  included: string;
  source: string;
}

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
} satisfies Record<string, Price>;

export type PricedUnit = keyof typeof PRICES;

/** A Durable Object is billed for its whole memory limit. */
export const OBJECT_GB = 0.128;

/** The assumed network latency from an object on Cloudflare to D1; here both run in one process. */
export const D1_ROUND_TRIP_MS = 10;

/** Returns the dollars by unit of a million calls, each of which uses `usage` on average. */
export function computeDollarsPerMillion<Unit extends PricedUnit>(
  usage: Readonly<Record<Unit, number>>,
): Record<Unit, number> {
  const dollars: Record<Unit, number> = { ...usage };
  for (const unit in usage) dollars[unit] = computeDollars(unit, usage[unit] * 1e6);
  return dollars;
}

export function computeDollars(unit: PricedUnit, amount: number): number {
  return (amount * PRICES[unit].price) / PRICES[unit].per;
}
