// The extensions of a tenant as its row of keys has them: every call reads those that hold together with its key.
import { type SQL, sql } from "drizzle-orm";
import { parseJson } from "../kernel/json";
import type { ExtensionDocument } from "./read-extension";
import { BUILT_IN_ONTOLOGY, createOntology, type TenantOntology } from "./tenant-ontology";

/** The extensions that hold for the tenant of a row of `api_keys`, as JSON. */
export const EXTENSIONS = sql<string>`(SELECT json_group_array(json_object('name', e.name, 'version', e.version, 'turtle', e.turtle))
  FROM ontology_extensions e WHERE e.tenant = api_keys.tenant AND e.current = 1)`;

/** Their names and versions, as `TenantOntology.version` has them; null without any. */
export const EXTENSION_VERSIONS = sql<string | null>`(SELECT group_concat(v.name || ':' || v.version) FROM (
  SELECT e.name, e.version FROM ontology_extensions e WHERE e.tenant = api_keys.tenant AND e.current = 1 ORDER BY e.name) v)`;

const ontologies = new Map<string, TenantOntology>();

const MAX_ONTOLOGIES = 50;

/** Returns the ontology with stored extensions. Each isolate compiles the same ones once. */
export function parseTenantOntology(stored: string): TenantOntology {
  if (stored === "[]") return BUILT_IN_ONTOLOGY;
  const known = ontologies.get(stored);
  if (known !== undefined) return known;
  const ontology = createOntology(parseJson<ExtensionDocument[]>(stored));
  for (const oldest of ontologies.keys()) {
    if (ontologies.size < MAX_ONTOLOGIES) break;
    ontologies.delete(oldest);
  }
  ontologies.set(stored, ontology);
  return ontology;
}

/** Selects the extensions that hold for a tenant. */
export function selectCurrentExtensions(tenant: string): SQL {
  return sql`SELECT name, version, turtle FROM ontology_extensions WHERE tenant = ${tenant} AND current = 1 ORDER BY name`;
}
