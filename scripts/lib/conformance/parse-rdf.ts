// Reads the RDF files of a test suite: Turtle, N-Triples, TriG, N-Quads and RDF/XML.
import { readFile } from "node:fs/promises";
import { Parser, type Quad } from "n3";
import { RdfXmlParser } from "rdfxml-streaming-parser";

const FORMATS: Readonly<Record<string, string>> = {
  ttl: "text/turtle",
  nt: "application/n-triples",
  trig: "application/trig",
  nq: "application/n-quads",
};

export async function readRdf(path: string, base: string): Promise<Quad[]> {
  const ending = path.slice(path.lastIndexOf(".") + 1);
  const text = await readFile(path, "utf8");
  if (ending === "rdf") return parseRdfXml(text, base);
  return parseRdf(text, base, FORMATS[ending] ?? "text/turtle");
}

export function parseRdf(text: string, base: string, format: string): Quad[] {
  return new Parser({ baseIRI: base, format, blankNodePrefix: "_:" }).parse(text);
}

function parseRdfXml(text: string, base: string): Promise<Quad[]> {
  return new Promise((resolve, reject) => {
    const quads: Quad[] = [];
    const parser = new RdfXmlParser({ baseIRI: base });
    parser.on("data", (quad: Quad) => quads.push(quad));
    parser.on("error", reject);
    parser.on("end", () => resolve(quads));
    parser.end(text);
  });
}
