// Runs one test of a suite over HTTP, and says whether the service passes it.
import { readFile } from "node:fs/promises";
import type { Term } from "n3";
import { compareResults } from "./compare-results.ts";
import { readRdf } from "./parse-rdf.ts";
import { parseResults, type Results, readResultGraph } from "./parse-results.ts";
import type { EvaluationTest, Manifest, ProtocolTest, SuiteFile, SyntaxTest } from "./read-manifest.ts";
import type { SuiteService } from "./suite-service.ts";

export interface Verdict {
  passed: boolean;
  /** Why it failed. */
  reason?: string;
  /** Whether the query ran in SQL alone. */
  inSql?: boolean;
  /** Whether numbers were equal by value only. */
  byValue?: boolean;
}

const fail = (reason: string): Verdict => ({
  passed: false,
  reason: reason.replaceAll(/\s+/g, " ").slice(0, 300),
});

/** The format that is asked for, by the ending of the expected result. */
const ACCEPTED: Readonly<Record<string, string>> = {
  srx: "application/sparql-results+xml",
  srj: "application/sparql-results+json",
  csv: "text/csv",
  tsv: "text/tab-separated-values",
};

/** Result sets in RDF, and graphs: whichever of the two the query gives. */
const ANY = "application/sparql-results+json, application/n-triples";

/** Returns the files of a test's dataset. FROM names files of the suite. */
export async function listDataFiles(test: EvaluationTest): Promise<SuiteFile[]> {
  return [...test.data, ...test.named, ...(await listFromFiles(test))];
}

async function listFromFiles({ query }: EvaluationTest): Promise<SuiteFile[]> {
  const text = await readFile(query.path, "utf8");
  const names = [...text.matchAll(/\bFROM\s+(?:NAMED\s+)?<([^>]+)>/gi)].map(([, name = ""]) => name);
  const folder = query.path.slice(0, query.path.lastIndexOf("/") + 1);
  return [...new Set(names)].flatMap((name) => {
    const { href } = new URL(name, query.iri);
    const base = new URL(".", query.iri).href;
    return href.startsWith(base)
      ? [{ iri: href, path: folder + decodeURIComponent(href.slice(base.length)) }]
      : [];
  });
}

export async function runEvaluationTest(service: SuiteService, test: EvaluationTest): Promise<Verdict> {
  const { query, data, named, result, isLax } = test;
  const key = await service.findKey(await listDataFiles(test));
  const text = await readFile(query.path, "utf8");
  const ending = result.path.slice(result.path.lastIndexOf(".") + 1);
  const url = new URL(`${service.url}/v1/sparql?infer=false`);
  // The suite's datasets are given by the protocol, so that nothing else of the tenant's graph is seen.
  if ((await listFromFiles(test)).length === 0) {
    const graphs = data.length === 0 ? ["urn:empty"] : data.map(({ iri }) => iri);
    for (const graph of graphs) url.searchParams.append("default-graph-uri", graph);
    for (const { iri } of named) url.searchParams.append("named-graph-uri", iri);
  }
  const answer = await fetch(url, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${key}`,
      "Content-Type": "application/sparql-query",
      Accept: ACCEPTED[ending] ?? ANY,
    },
    body: `BASE <${query.iri}>\n${text}`,
  });
  const body = await answer.text();
  if (answer.status !== 200) return fail(`${answer.status} ${readDetail(body)}`);
  const [type = ""] = (answer.headers.get("Content-Type") ?? "").split(";");
  const expected = await readExpected(result, ending);
  const actual = await parseResults(body, type, query.iri);
  const comparison = compareResults(expected, actual, isLax);
  const inSql = /SQL only/.test(answer.headers.get("Server-Timing") ?? "");
  if (comparison === "different")
    return { ...fail(`wrong result: expected ${summarise(expected)}, got ${summarise(actual)}`), inSql };
  return { passed: true, inSql, byValue: comparison === "by value" };
}

async function readExpected({ path, iri }: SuiteFile, ending: string): Promise<Results> {
  const type = ACCEPTED[ending];
  return type === undefined
    ? readResultGraph(await readRdf(path, iri))
    : parseResults(await readFile(path, "utf8"), type, iri);
}

function summarise(results: Results): string {
  if (results.kind === "boolean") return String(results.value);
  if (results.kind === "graph") return `${results.quads.length} triples`;
  const rows = results.rows.map((row) => [...row].map(([name, { value }]) => `${name}=${value}`).join(" "));
  return `${rows.length} rows of ${results.variables.join(" ")} (${rows.join("; ")})`.slice(0, 140);
}

function readDetail(body: string): string {
  try {
    return (JSON.parse(body) as { detail?: string }).detail ?? body;
  } catch {
    return body;
  }
}

/** A query is syntactically valid unless the service answers that it is malformed. It may still be refused or fail to run. */
export async function runSyntaxTest(
  service: SuiteService,
  { query, isPositive }: SyntaxTest,
): Promise<Verdict> {
  const answer = await fetch(`${service.url}/v1/sparql?infer=false`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${await service.findKey([])}`,
      "Content-Type": "application/sparql-query",
      Accept: ANY,
    },
    body: await readFile(query.path, "utf8"),
  });
  const body = await answer.text();
  if (answer.status >= 500) return fail(`${answer.status} ${readDetail(body)}`);
  const isAccepted = answer.status !== 400 && answer.status !== 405;
  if (isAccepted === isPositive) return { passed: true };
  return fail(isPositive ? `refused: ${readDetail(body)}` : "accepted");
}

const HT = "http://www.w3.org/2011/http#";
const CNT = "http://www.w3.org/2011/content#";
const MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#";

/** Sends the requests of a protocol test in order and compares each response with what the manifest expects. */
export async function runProtocolTest(
  service: SuiteService,
  { manifest, requests, named }: ProtocolTest,
): Promise<Verdict> {
  const key = await service.findKey(named);
  for (const request of requests) {
    const reason = await runProtocolRequest(service.url, key, manifest, request);
    if (reason !== null) return fail(reason);
  }
  return { passed: true };
}

/** Returns why the response is not as expected; null if it is. */
async function runProtocolRequest(
  serviceUrl: string,
  key: string,
  manifest: Manifest,
  request: Term,
): Promise<string | null> {
  const read = (name: string) => manifest.findOne(request, HT + name)?.value;
  const path = (read("absolutePath") ?? "").replace(/^\/sparql\/?/, "/v1/sparql");
  const body = manifest.findOne(request, `${HT}body`);
  const headers = manifest
    .readList(manifest.findOne(request, `${HT}headers`))
    .map((header) => [
      manifest.findOne(header, `${HT}fieldName`)?.value ?? "",
      manifest.findOne(header, `${HT}fieldValue`)?.value ?? "",
    ]);
  const answer = await fetch(serviceUrl + path, {
    method: read("methodName") ?? "GET",
    headers: [...headers, ["Authorization", `Bearer ${key}`]] as [string, string][],
    // As bytes: fetch gives a text a media type of its own, and some tests must send none.
    ...(body !== undefined && { body: encodeBody(manifest, body) }),
  });
  const text = await answer.text();
  const response = manifest.findOne(request, `${HT}resp`);
  if (response === undefined) return null;
  const statuses = manifest.findAll(response, `${MF}expectedStatus`).map(({ value }) => value.slice(-3));
  if (statuses.length > 0 && !statuses.some((status) => matchesStatus(status, answer.status)))
    return `answered ${answer.status}, expected ${statuses.join(" or ")}: ${readDetail(text)}`;
  const boolean = manifest.findOne(response, `${MF}expectedBoolean`)?.value;
  const type = answer.headers.get("Content-Type") ?? "";
  const format = manifest.findOne(response, `${MF}expectedFormat`)?.value;
  if (format !== undefined && !matchesFormat(format, type)) return `answered as ${type}, expected ${format}`;
  if (boolean !== undefined) {
    const results = await parseResults(text, type.split(";")[0] ?? "", serviceUrl);
    if (results.kind !== "boolean" || String(results.value) !== boolean) return `expected ${boolean}`;
  }
  return null;
}

function encodeBody(manifest: Manifest, body: Term): Uint8Array<ArrayBuffer> {
  const text = manifest.findOne(body, `${CNT}chars`)?.value ?? "";
  const encoding = manifest.findOne(body, `${CNT}characterEncoding`)?.value ?? "UTF-8";
  return new Uint8Array(Buffer.from(text, encoding === "UTF-16" ? "utf16le" : "utf8"));
}

/** A class of status codes is written `2xx`. */
function matchesStatus(expected: string, status: number): boolean {
  return expected.endsWith("xx") ? expected[0] === String(status)[0] : expected === String(status);
}

function matchesFormat(format: string, type: string): boolean {
  const isResult = /sparql-results|csv|tab-separated/.test(type);
  return format === "RDF" ? /turtle|n-triples|trig|n-quads|ld\+json|rdf\+xml/.test(type) : isResult;
}
