// Helpers of the tests of RDF export and import.
import { exports } from "cloudflare:workers";
import { expect } from "vitest";
import { type Answer, type Client, newClient } from "../support";

export const RDF_TYPES = {
  nquads: "application/n-quads",
  trig: "application/trig",
  turtle: "text/turtle",
  jsonld: "application/ld+json",
} as const;
export type RdfFormat = keyof typeof RDF_TYPES;
export const RDF_FORMATS = Object.keys(RDF_TYPES) as RdfFormat[];

export async function exportRdf(client: Client, format: RdfFormat, query = ""): Promise<string> {
  const response = await exports.default.fetch(`https://kioku.test/v1/export?format=${format}${query}`, {
    headers: { Authorization: `Bearer ${client.key}` },
  });
  const body = new TextDecoder().decode(await response.arrayBuffer());
  expect(response.status, body).toBe(200);
  expect(response.headers.get("Content-Type")).toContain(RDF_TYPES[format]);
  return body;
}

/** The quads of a tenant, as sorted lines. Links have the same blank nodes in every export. */
export async function listQuads(client: Client, query = ""): Promise<string[]> {
  return (await exportRdf(client, "nquads", query)).trimEnd().split("\n").sort();
}

export function importRdf(client: Client, text: string, format: RdfFormat = "turtle"): Promise<Answer> {
  return client.call("POST", "/v1/import", text, { "Content-Type": RDF_TYPES[format] });
}

export const TURTLE_PREFIXES = `@prefix jido: <https://jido.ai/ontology#> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix : <http://example.org/> .
`;

/** Imports Turtle without its prefixes. */
export function importTurtle(client: Client, turtle: string): Promise<Answer> {
  return importRdf(client, TURTLE_PREFIXES + turtle);
}

/** Imports a text into an empty tenant and returns it. */
export async function restore(
  text: string,
  format: RdfFormat,
  prepare?: (client: Client) => Promise<unknown>,
) {
  const client = await newClient(["read", "write", "admin"]);
  await prepare?.(client);
  const { status, body } = await importRdf(client, text, format);
  expect(status, JSON.stringify(body)).toBe(200);
  return { client, body };
}
