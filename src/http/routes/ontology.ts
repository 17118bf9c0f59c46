// The ontology that every memory is typed by, as JSON or as Turtle.
import { accepts } from "hono/accepts";
import { CLASSES, INDIVIDUALS, MEMORY_TYPES, NAMESPACE, PROPERTIES } from "../../ontology/terms.generated";
import { ONTOLOGY_TURTLE } from "../../ontology/turtle.generated";
import { AnyJson, z } from "../../schemas/common";
import { type App, endpoint } from "../endpoint";

const Terms = z.array(z.record(z.string(), AnyJson));

export function ontologyRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v1/ontology",
      summary: "The classes, properties and individuals; as Turtle with Accept: text/turtle",
      tag: "Memories",
      scope: "read",
      answers: {
        200: {
          description: "The ontology",
          schema: z.object({
            namespace: z.string(),
            memory_types: z.array(z.string()),
            classes: Terms,
            properties: Terms,
            individuals: Terms,
          }),
        },
      },
    },
    async ({ c }) => {
      c.header("Vary", "Accept");
      if (
        accepts(c, {
          header: "Accept",
          supports: ["application/json", "text/turtle"],
          default: "application/json",
        }) === "text/turtle"
      ) {
        return c.body(ONTOLOGY_TURTLE, 200, { "Content-Type": "text/turtle; charset=utf-8" });
      }
      return c.json({
        namespace: NAMESPACE,
        memory_types: MEMORY_TYPES,
        classes: named(CLASSES),
        properties: named(PROPERTIES),
        individuals: named(INDIVIDUALS),
      });
    },
  );
}

function named(terms: Record<string, object>) {
  return Object.entries(terms).map(([name, term]) => ({ name, iri: NAMESPACE + name, ...term }));
}
