// Sends a campaign of generated requests in parallel lanes, and collects what was wrong with the answers.
import { type ApiDocument, listOperations } from "./api-document.ts";
import { createAnswerCheck } from "./check-answer.ts";
import { type FuzzRequest, generateRequest, type KnownValues } from "./generate-request.ts";
import { createRandom } from "./random.ts";

/** The secret is null for requests without a key. */
export interface FuzzKey {
  secret: string | null;
  /** Without the scope read, answers of writes have no content. */
  canRead: boolean;
}

export interface CampaignOptions {
  url: string;
  /** The first one is used for most requests. */
  keys: readonly [FuzzKey, ...FuzzKey[]];
  requests: number;
  seed: number;
  lanes: number;
  onProgress?: (answered: number) => void;
}

/** A problem of an operation, with the first request that showed it. */
export interface Finding {
  operation: string;
  problem: string;
  count: number;
  request: { method: string; path: string; body: string | undefined };
}

export interface CampaignReport {
  sent: number;
  operations: number;
  statuses: Map<number, number>;
  findings: Finding[];
  slowest: { operation: string; status: number; ms: number }[];
}

const TIMEOUT_MS = 60_000;
const SLOWEST = 10;

/** Values that are remembered of each member. */
const KNOWN_VALUES = 30;

/** Routes that keep a connection open, or end the campaign. */
const LEFT_OUT = ["/mcp", "/docs"];

export async function runCampaign({
  url,
  keys,
  requests,
  seed,
  lanes,
  onProgress = () => {},
}: CampaignOptions): Promise<CampaignReport> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as ApiDocument;
  const operations = listOperations(document).filter(
    ({ path }) => !LEFT_OUT.some((prefix) => path.startsWith(prefix)),
  );
  const check = createAnswerCheck(document);
  const report: CampaignReport = {
    sent: 0,
    operations: operations.length,
    statuses: new Map(),
    findings: [],
    slowest: [],
  };
  let answered = 0;
  const runLane = async (lane: number) => {
    const random = createRandom(seed * 1_000 + lane);
    const known: KnownValues = new Map();
    while (report.sent < requests) {
      report.sent += 1;
      const operation = random.pickAny(operations);
      if (operation === undefined) throw new Error(`${url}/openapi.json lists no operations`);
      const request = generateRequest({ document, random, known }, operation);
      const started = performance.now();
      const key = random.chance(0.85) ? keys[0] : random.pick(keys);
      const answer = await send(url, key.secret, request).catch((error: unknown) => {
        recordFinding(report, request, `got no answer: ${describeCause(error)}`);
        return null;
      });
      if (answer === null) continue;
      const ms = performance.now() - started;
      report.statuses.set(answer.status, (report.statuses.get(answer.status) ?? 0) + 1);
      recordSlow(report, { operation: operation.name, status: answer.status, ms });
      for (const problem of check(operation, answer, !key.canRead)) recordFinding(report, request, problem);
      if (answer.status < 300) collectValues(known, answer.text);
      answered += 1;
      onProgress(answered);
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, lane) => runLane(lane)));
  return report;
}

async function send(url: string, key: string | null, { operation, path, headers, body }: FuzzRequest) {
  const response = await fetch(`${url}${path}`, {
    method: operation.method,
    headers: { ...headers, ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
    ...(body === undefined ? {} : { body }),
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The error of fetch says no more than that it failed. */
function describeCause(error: unknown): string {
  const { cause = error } = error instanceof Error ? error : {};
  return cause instanceof Error ? cause.message : String(cause);
}

function recordSlow({ slowest }: CampaignReport, call: CampaignReport["slowest"][number]): void {
  slowest.push(call);
  slowest.sort((a, b) => b.ms - a.ms);
  slowest.length = Math.min(slowest.length, SLOWEST);
}

function recordFinding(
  { findings }: CampaignReport,
  { operation, path, body }: FuzzRequest,
  problem: string,
) {
  const known = findings.find(
    (finding) => finding.operation === operation.name && finding.problem === problem,
  );
  if (known !== undefined) known.count += 1;
  else
    findings.push({
      operation: operation.name,
      problem,
      count: 1,
      request: { method: operation.method, path, body },
    });
}

/** Remembers the strings of an answer by the name of their member, and the newest of each. */
function collectValues(known: KnownValues, text: string): void {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // Turtle, Markdown and the like name nothing.
    return;
  }
  JSON.stringify(body, (name, value: unknown) => {
    if (
      typeof value === "string" &&
      value.length > 0 &&
      value.length <= 128 &&
      /(^|_)(id|slug|key|name)$/.test(name)
    ) {
      const values = known.get(name) ?? [];
      if (!values.includes(value)) known.set(name, [value, ...values].slice(0, KNOWN_VALUES));
    }
    return value;
  });
}
