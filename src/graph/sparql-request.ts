// The parameters and the JSON answer of a SPARQL query. Parameters have the names of the SPARQL 1.1 Protocol.

import { Clock, z } from "../kernel/common";
import { LIMITS } from "../kernel/limits";

const QueryText = z
  .string({
    error: ({ input }) => (input === undefined ? "is required: a SPARQL 1.1 query" : "must be a text"),
  })
  .min(1, "must not be empty: send a SPARQL 1.1 query")
  .max(LIMITS.sparqlChars, `must have at most ${LIMITS.sparqlChars} characters`)
  .openapi({ description: "A SPARQL 1.1 query: SELECT, ASK, CONSTRUCT or DESCRIBE" });

const GraphNames = z
  .array(
    z
      .string()
      .min(1, "must be the IRI of a graph")
      .max(LIMITS.sparqlGraphChars, `must have at most ${LIMITS.sparqlGraphChars} characters`),
  )
  .max(LIMITS.sparqlGraphs, `must be at most ${LIMITS.sparqlGraphs} graphs`)
  .optional();

/** The dataset of a query: it replaces FROM and FROM NAMED. */
const Dataset = {
  "default-graph-uri": GraphNames.openapi({ description: "The graphs that form the default graph" }),
  "named-graph-uri": GraphNames.openapi({ description: "The named graphs" }),
};

const INFER_NOTE = "Whether subclasses, sub-properties and inverse properties are followed";

/** In a query string: exactly `true` or `false`. */
const InferFlag = z
  .enum(["true", "false"], { error: "must be true or false" })
  .transform((value) => value === "true")
  .optional()
  .openapi({ type: "boolean", default: true, description: INFER_NOTE });

const RefusedUpdate = z.string().optional().openapi({
  description: "Refused with 405: updates go through the calls that write",
  deprecated: true,
});

/** The query string of a GET. Without `query` it asks for the service description. */
export const SparqlGet = z.object({
  query: QueryText.optional(),
  ...Dataset,
  infer: InferFlag,
  ...Clock.shape,
  update: RefusedUpdate,
});

/** The query string of a POST, whose body has the query. */
export const SparqlPostQuery = z.object({ ...Dataset, infer: InferFlag, ...Clock.shape });

/** The body of a POST: as JSON, or as a form with the same names. */
export const SparqlPost = z
  .object({
    query: QueryText,
    ...Dataset,
    infer: z.boolean().optional().openapi({ default: true, description: INFER_NOTE }),
    ...Clock.shape,
  })
  .strict()
  .openapi("SparqlPost");

const SparqlTerm = z.object({
  type: z.enum(["uri", "literal", "bnode"]),
  value: z.string(),
  "xml:lang": z.string().optional(),
  datatype: z.string().optional(),
});

/** SPARQL 1.1 Query Results JSON Format: `results` answers SELECT, `boolean` answers ASK. */
export const SparqlResults = z
  .object({
    head: z.object({ vars: z.array(z.string()).optional() }),
    results: z.object({ bindings: z.array(z.record(z.string(), SparqlTerm)) }).optional(),
    boolean: z.boolean().optional(),
  })
  .openapi("SparqlResults");

// As tools, with descriptions written for models.

const DEFAULT_ROWS = 50;

export const QueryGraphInput = z
  .object({
    query: z
      .string()
      .min(1, "must not be empty")
      .max(LIMITS.sparqlChars, `must have at most ${LIMITS.sparqlChars} characters`)
      .meta({
        description:
          "A SPARQL 1.1 query: SELECT, ASK, CONSTRUCT or DESCRIBE. The prefixes jido, rdf, rdfs, owl, xsd and prov are declared",
      }),
    infer: z.boolean().default(true).meta({
      description: "Whether a class includes its subclasses, and a property its inverse",
    }),
    limit: z.number().int().min(1).max(LIMITS.queryGraphRows).default(DEFAULT_ROWS).meta({
      description: "Maximum number of rows or triples in the answer",
    }),
  })
  .strict();
export type QueryGraphInput = z.output<typeof QueryGraphInput>;

const PlainValue = z.union([z.string(), z.number(), z.boolean()]);

export const QueryGraphAnswer = z.object({
  count: z.number().meta({ description: "The number of rows or triples before the limit; 1 for ASK" }),
  rows: z.array(z.record(z.string(), PlainValue)).optional().meta({
    description: "Of SELECT: the values by variable. A variable without a value is left out",
  }),
  boolean: z.boolean().optional().meta({ description: "Of ASK" }),
  turtle: z.string().optional().meta({ description: "Of CONSTRUCT and DESCRIBE: the graph" }),
  truncated: z.literal(true).optional().meta({
    description: "There are more than the limit: narrow the query, or use LIMIT and OFFSET",
  }),
});
export type QueryGraphAnswer = z.infer<typeof QueryGraphAnswer>;
