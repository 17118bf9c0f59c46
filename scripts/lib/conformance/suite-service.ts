// Starts the service with the data of a suite in it: a tenant for each dataset, each file as a graph of its own name.
import { mkdir } from "node:fs/promises";
import type { Quad, Term } from "n3";
import {
  createKey,
  type OwnService,
  startService,
  startWorker,
} from "../../../bench/lib/benchmark-servers.ts";
import { applyMigrations, readDatabaseId } from "../../../bench/lib/load/load-memories.ts";
import type { LoadedStatement, LoadedTerm } from "../../../bench/workers/statement-loader.ts";
import { readMessage } from "../errors.ts";
import { readRdf } from "./parse-rdf.ts";
import type { SuiteFile } from "./read-manifest.ts";

/** The tests are requests of one key after the other. */
const NO_LIMITS = { RATE_LIMIT_READ: "0", RATE_LIMIT_WRITE: "0" };

export interface SuiteService {
  url: string;
  /** Returns a key of the tenant that has these files. */
  findKey(files: readonly SuiteFile[]): Promise<string>;
  dispose(): Promise<void>;
}

/** Loads the datasets, then serves them. */
export async function startSuiteService(
  folder: string,
  datasets: readonly (readonly SuiteFile[])[],
): Promise<SuiteService> {
  await mkdir(folder, { recursive: true });
  await applyMigrations(folder);
  const tenants = await loadDatasets(folder, datasets);
  const service = await startService(folder, NO_LIMITS);
  const keys = new Map<string, Promise<string>>();
  return {
    url: service.url,
    async findKey(files) {
      const tenant = files.length === 0 ? "w3c" : tenants.get(nameDataset(files));
      if (tenant === undefined) throw new Error(`no data: ${files.map(({ path }) => path).join(", ")}`);
      const key = keys.get(tenant) ?? createTenantKey(service, tenant);
      keys.set(tenant, key);
      return key;
    },
    dispose: () => service.dispose(),
  };
}

const createTenantKey = ({ url, adminKey }: OwnService, tenant: string) => createKey(url, adminKey, tenant);

function nameDataset(files: readonly SuiteFile[]): string {
  return files
    .map(({ iri, path }) => `${iri} ${path}`)
    .toSorted()
    .join("\n");
}

/** Returns the tenant of each dataset. One that cannot be read has none, so that only its own tests fail. */
async function loadDatasets(
  folder: string,
  datasets: readonly (readonly SuiteFile[])[],
): Promise<Map<string, string>> {
  const loader = await startWorker("statement-loader.ts", {
    persist: folder,
    d1Databases: { DB: await readDatabaseId() },
  });
  const tenants = new Map<string, string>();
  try {
    for (const files of datasets) {
      const name = nameDataset(files);
      if (files.length === 0 || tenants.has(name)) continue;
      const tenant = `w3c-${tenants.size}`;
      const statements = await readDataset(files).catch((error: unknown) => {
        console.error(`A dataset cannot be read: ${readMessage(error)}`);
        return null;
      });
      if (statements === null) continue;
      await loadStatements(loader.url, tenant, statements);
      tenants.set(name, tenant);
    }
  } finally {
    await loader.dispose();
  }
  return tenants;
}

async function readDataset(files: readonly SuiteFile[]): Promise<LoadedStatement[]> {
  const statements: LoadedStatement[] = [];
  for (const [i, { path, iri }] of files.entries())
    for (const quad of await readRdf(path, iri)) statements.push(toStatement(quad, iri, `f${i}`));
  return statements;
}

export async function loadStatements(
  url: string,
  tenant: string,
  statements: readonly LoadedStatement[],
): Promise<void> {
  // A connection of its own: the server may close an idle one just when the next load is sent.
  const answer = await fetch(url, {
    method: "POST",
    headers: { Connection: "close" },
    body: JSON.stringify({ tenant, statements }),
  });
  if (!answer.ok) throw new Error(`Loading stopped: ${await answer.text()}`);
}

/** Blank nodes of different files are different, whatever their labels. */
function toStatement({ subject, predicate, object }: Quad, graph: string, file: string): LoadedStatement {
  const name = (term: Term) => (term.termType === "BlankNode" ? `_:${file}.${term.value}` : term.value);
  const value: LoadedTerm =
    object.termType !== "Literal"
      ? name(object)
      : object.language === ""
        ? { value: object.value, datatype: object.datatype.value }
        : { value: object.value, language: object.language };
  return [name(subject), predicate.value, value, graph];
}
