// Writes statements as TriG, N-Quads, Turtle or JSON-LD, piece by piece: what belongs to the whole document stands once.
import type { Quad } from "n3";
// The parts of n3 without its streams, which a Worker cannot load.
import DataFactory from "n3/src/N3DataFactory.js";
import Writer from "n3/src/N3Writer.js";
import { expandIri, PREFIXES } from "../../ontology/triples";
import type { GraphStatement } from "../subject-pages";
import { TRANSFER_TYPES, type TransferFormat } from "../transfer-request";

export type GraphFormat = Exclude<TransferFormat, "jsonl">;

/** The statements of one subject. Subjects and objects are compact IRIs, or blank nodes such as `_:link`. */
export type WrittenSubject = { subject: string; statements: readonly GraphStatement[] };

type GraphWriter = {
  /** Returns the text of subjects, each of which comes once. */
  write: (subjects: readonly WrittenSubject[]) => string;
  end: () => string;
};

export function createGraphWriter(format: GraphFormat): GraphWriter {
  return format === "jsonld" ? createJsonLdWriter() : createN3Writer(format);
}

function createN3Writer(format: Exclude<GraphFormat, "jsonld">): GraphWriter {
  let output = "";
  const sink = {
    write(chunk: string, _encoding: string, done?: () => void) {
      output += chunk;
      done?.();
    },
    end: (done?: () => void) => done?.(),
  };
  const takeOutput = () => {
    const text = output;
    output = "";
    return text;
  };
  const writer = new Writer(sink, {
    format: TRANSFER_TYPES[format],
    ...(format === "nquads" ? {} : { prefixes: { ...PREFIXES } }),
  });
  return {
    write(subjects) {
      for (const { statements } of subjects)
        writer.addQuads(statements.map((one) => toQuad(format === "turtle" ? { ...one, graph: "" } : one)));
      return takeOutput();
    },
    end() {
      writer.end();
      return takeOutput();
    },
  };
}

function toQuad({ subject, predicate, object, datatype, graph }: GraphStatement): Quad {
  const { namedNode, literal, quad, defaultGraph } = DataFactory;
  return quad(
    toResource(subject),
    namedNode(expandIri(predicate)),
    datatype === "" ? toResource(object) : literal(object, toLiteralType(datatype)),
    graph === "" ? defaultGraph() : namedNode(expandIri(graph)),
  );
}

function toResource(name: string) {
  return name.startsWith("_:")
    ? DataFactory.blankNode(name.slice("_:".length))
    : DataFactory.namedNode(expandIri(name));
}

/** Returns the language of a datatype such as `@en`, else the datatype. */
function toLiteralType(datatype: string) {
  return datatype.startsWith("@") ? datatype.slice(1) : DataFactory.namedNode(expandIri(datatype));
}

type JsonLdNode = { "@id": string; [key: string]: unknown };

/** Writes one object with an inline context: no reader has to load one. */
function createJsonLdWriter(): GraphWriter {
  let text = `{"@context":${JSON.stringify(PREFIXES)},"@graph":[`;
  let isFirst = true;
  return {
    write(subjects) {
      for (const node of subjects.flatMap(toNodes)) {
        text += `${isFirst ? "\n" : ",\n"}${JSON.stringify(node)}`;
        isFirst = false;
      }
      const written = text;
      text = "";
      return written;
    },
    end: () => `${text}\n]}\n`,
  };
}

/** Returns the node of a subject; in a named graph, within that graph. */
function toNodes({ subject, statements }: WrittenSubject): JsonLdNode[] {
  return [...Map.groupBy(statements, ({ graph }) => graph)].map(([graph, own]) => {
    const node: JsonLdNode = { "@id": subject };
    for (const { predicate, object, datatype } of own) {
      const isType = predicate === "rdf:type" && datatype === "";
      const key = isType ? "@type" : predicate;
      const value = isType ? object : toValue(object, datatype);
      const values = node[key];
      if (values === undefined) node[key] = value;
      else node[key] = [values, value].flat();
    }
    return graph === "" ? node : { "@id": graph, "@graph": [node] };
  });
}

function toValue(object: string, datatype: string): unknown {
  if (datatype === "") return { "@id": object };
  if (datatype === "xsd:string") return object;
  return datatype.startsWith("@")
    ? { "@value": object, "@language": datatype.slice(1) }
    : { "@value": object, "@type": datatype };
}
