// Input and answer of the tool that queries the graph, with descriptions written for models.
import { LIMITS } from "../../limits";
import { z } from "../common";

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
