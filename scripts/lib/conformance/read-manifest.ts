// Reads the manifests of a W3C test suite (https://w3c.github.io/rdf-tests/): its query tests, with their files.
import { readdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { type Quad, Store, type Term } from "n3";
import { readRdf } from "./parse-rdf.ts";

const MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#";
const QT = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#";
const UT = "http://www.w3.org/2009/sparql/tests/test-update#";
const DAWGT = "http://www.w3.org/2001/sw/DataAccess/tests/test-dawg#";
const RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const RDFS = "http://www.w3.org/2000/01/rdf-schema#";
const SD = "http://www.w3.org/ns/sparql-service-description#";

/** The address of the suites, against which their relative IRIs are resolved. */
const SUITE_BASE = "https://w3c.github.io/rdf-tests/";

/** A file of the suite and the IRI that it is known by. */
export interface SuiteFile {
  path: string;
  iri: string;
}

interface CommonTest {
  category: string;
  name: string;
}

export interface EvaluationTest extends CommonTest {
  kind: "evaluation";
  query: SuiteFile;
  data: SuiteFile[];
  /** Named graphs: a file, under its own IRI or another. */
  named: SuiteFile[];
  result: SuiteFile;
  /** Duplicates may be left out, as REDUCED allows. */
  isLax: boolean;
}

export interface SyntaxTest extends CommonTest {
  kind: "syntax";
  query: SuiteFile;
  isPositive: boolean;
}

export interface ProtocolTest extends CommonTest {
  kind: "protocol";
  /** The graphs that the requests need. */
  named: SuiteFile[];
  manifest: Manifest;
  requests: Term[];
}

/** A test of something else than queries: updates, entailment regimes, federation. */
export interface SkippedTest extends CommonTest {
  kind: "skipped";
  reason: string;
}

export type SuiteTest = EvaluationTest | SyntaxTest | ProtocolTest | SkippedTest;

/** The graph of one manifest. */
export class Manifest {
  readonly #store: Store;

  constructor(quads: readonly Quad[]) {
    this.#store = new Store([...quads]);
  }

  findOne(subject: Term, predicate: string): Term | undefined {
    return this.findAll(subject, predicate)[0];
  }

  findAll(subject: Term, predicate: string): Term[] {
    return this.#store.getObjects(subject, predicate, null);
  }

  readList(head: Term | undefined): Term[] {
    const items: Term[] = [];
    for (let node = head; node !== undefined && node.value !== `${RDF}nil`; ) {
      const item = this.findOne(node, `${RDF}first`);
      if (item === undefined) break;
      items.push(item);
      node = this.findOne(node, `${RDF}rest`);
    }
    return items;
  }

  listEntries(): Term[] {
    const [entries] = this.#store.getObjects(null, `${MF}entries`, null);
    return this.readList(entries);
  }
}

/** Reads all tests of the manifests in a folder and the folders below, in the order of their paths. */
export async function readSuite(folder: string): Promise<SuiteTest[]> {
  const paths = await readdir(folder, { recursive: true });
  const manifests = paths.filter((path) => /(?:^|[\\/])manifest\.ttl$/.test(path)).toSorted();
  const tests: SuiteTest[] = [];
  for (const path of manifests) tests.push(...(await readManifest(folder, join(folder, path))));
  return tests;
}

async function readManifest(folder: string, path: string): Promise<SuiteTest[]> {
  const place = relative(folder, dirname(path)).replaceAll("\\", "/");
  const category = place === "" ? (folder.split(/[\\/]/).findLast((part) => part !== "") ?? "suite") : place;
  const base = `${SUITE_BASE}${category}/`;
  const manifest = new Manifest(await readRdf(path, `${base}manifest.ttl`));
  const toFile = ({ value }: Term): SuiteFile => ({
    iri: value,
    path: join(dirname(path), decodeURIComponent(value.slice(base.length))),
  });
  return manifest.listEntries().map((test) => describeTest(manifest, { test, category, toFile }));
}

type Entry = { test: Term; category: string; toFile: (iri: Term) => SuiteFile };

function describeTest(manifest: Manifest, { test, category, toFile }: Entry): SuiteTest {
  const name = test.value.slice(test.value.lastIndexOf("#") + 1) || test.value;
  const common = { category, name };
  const types = manifest
    .findAll(test, `${RDF}type`)
    .map(({ value }) => value.slice(value.lastIndexOf("#") + 1));
  const type = types.find((one) => one.includes("Test")) ?? "QueryEvaluationTest";
  const action = manifest.findOne(test, `${MF}action`);
  const approval = manifest.findOne(test, `${DAWGT}approval`)?.value ?? "";
  const skip = (reason: string): SkippedTest => ({ ...common, kind: "skipped", reason });
  if (action === undefined) return skip("no action");
  if (/#(?:Withdrawn|Rejected|Obsoleted)$/.test(approval)) return skip("withdrawn");

  const named = [
    ...manifest.findAll(action, `${QT}graphData`),
    ...manifest.findAll(test, `${UT}graphData`),
  ].map((graph) => readNamedGraph(manifest, graph, toFile));
  if (type === "ProtocolTest") {
    // Those named bad_update_ expect a refusal, and are run.
    if (name.startsWith("update_")) return skip("update");
    const requests = manifest.readList(manifest.findOne(action, "http://www.w3.org/2011/http#requests"));
    return { ...common, kind: "protocol", named, manifest, requests };
  }
  if (/Update/.test(type)) return skip("update");
  const query = manifest.findOne(action, `${QT}query`) ?? action;
  const syntax = /^(Positive|Negative)SyntaxTest/.exec(type);
  if (syntax !== null)
    return { ...common, kind: "syntax", query: toFile(query), isPositive: syntax[1] === "Positive" };
  if (type !== "QueryEvaluationTest" && type !== "CSVResultFormatTest") return skip(type);
  if (manifest.findOne(action, `${SD}entailmentRegime`) !== undefined) return skip("entailment regime");
  if (manifest.findOne(action, `${QT}serviceData`) !== undefined) return skip("federation");
  const result = manifest.findOne(test, `${MF}result`);
  if (result === undefined) return skip("no result");
  return {
    ...common,
    kind: "evaluation",
    query: toFile(query),
    data: manifest.findAll(action, `${QT}data`).map(toFile),
    named,
    result: toFile(result),
    isLax: manifest.findOne(test, `${MF}resultCardinality`)?.value === `${MF}LaxCardinality`,
  };
}

/** A graph is a file under its own IRI, or one under the IRI in its label. */
function readNamedGraph(manifest: Manifest, graph: Term, toFile: Entry["toFile"]): SuiteFile {
  if (graph.termType === "NamedNode") return toFile(graph);
  const file = manifest.findOne(graph, `${QT}graph`) ?? manifest.findOne(graph, `${UT}graph`);
  if (file === undefined) throw new Error("A named graph has no file");
  const label = manifest.findOne(graph, `${RDFS}label`);
  return { ...toFile(file), ...(label !== undefined && { iri: label.value }) };
}
