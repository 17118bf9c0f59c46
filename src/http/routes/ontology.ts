// The ontology of memory types, as JSON or as Turtle.
import { accepts } from "hono/accepts";
import { EXTENSION_NAMESPACE, toLocalTermName } from "../../ontology/extensions/extension-names";
import {
  listMemoryTypes,
  type TenantOntology,
  toPropertyTerm,
} from "../../ontology/extensions/tenant-ontology";
import { CLASSES, INDIVIDUALS, NAMESPACE, PROPERTIES } from "../../ontology/terms.generated";
import { ONTOLOGY_TURTLE } from "../../ontology/turtle.generated";
import { AnyJson, z } from "../../schemas/common";
import type { App } from "../app-context";
import { groupRoutes } from "../endpoint";

const Terms = z.array(z.record(z.string(), AnyJson));

export function ontologyRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Memories" });

  routes.get("/v1/ontology", "getOntology", {
    summary:
      "Read the ontology with the tenant's extensions: classes, properties and individuals; as Turtle with `Accept: text/turtle`",
    bound: "open",
    responses: {
      200: {
        description: "The ontology",
        schema: z.object({
          namespace: z.string(),
          memory_types: z.array(z.string()),
          classes: Terms,
          properties: Terms,
          individuals: Terms,
        }),
        types: ["text/turtle"],
        exampleText: `<${NAMESPACE}Fact> a <http://www.w3.org/2002/07/owl#Class> .\n`,
        example: ONTOLOGY_EXCERPT,
      },
    },
    handle: async ({ c, services: { ontology, store } }) => {
      c.header("Vary", "Accept");
      if (
        accepts(c, {
          header: "Accept",
          supports: ["application/json", "text/turtle"],
          default: "application/json",
        }) === "text/turtle"
      ) {
        const added = ontology.version === null ? [] : await store.extensions.listDocuments();
        const documents = [ONTOLOGY_TURTLE, ...added.map(({ turtle }) => turtle)];
        return c.body(documents.join("\n"), 200, { "Content-Type": "text/turtle; charset=utf-8" });
      }
      return {
        namespace: NAMESPACE,
        memory_types: listMemoryTypes(ontology),
        classes: [...listTerms(CLASSES), ...listAddedClasses(ontology)],
        properties: [...listTerms(PROPERTIES), ...listAddedProperties(ontology)],
        individuals: [...listTerms(INDIVIDUALS), ...listAddedIndividuals(ontology)],
      };
    },
  });
}

function listTerms(terms: Record<string, object>) {
  return Object.entries(terms).map(([name, term]) => ({ name, iri: NAMESPACE + name, ...term }));
}

/** Terms of extensions have their prefix in references, and their local names as names, by which callers set them. */
function describeAdded(name: string) {
  const local = toLocalTermName(name);
  return { name: local, iri: EXTENSION_NAMESPACE + local };
}

function listAddedClasses({ added }: TenantOntology) {
  return [...added.classes].map(([name, { superclasses, ...term }]) => ({
    ...describeAdded(name),
    subClassOf: superclasses[0] ?? null,
    ...term,
  }));
}

function listAddedProperties({ added }: TenantOntology) {
  return [...added.properties].map(([name, property]) => ({
    ...describeAdded(name),
    ...toPropertyTerm(property),
  }));
}

function listAddedIndividuals({ added }: TenantOntology) {
  return [...added.individuals].map(([name, term]) => ({ ...describeAdded(name), ...term }));
}

const ONTOLOGY_EXCERPT = {
  namespace: "https://jido.ai/ontology#",
  memory_types: ["fact", "assumption", "hypothesis"],
  classes: [
    {
      name: "Fact",
      iri: "https://jido.ai/ontology#Fact",
      subClassOf: "MemoryItem",
      label: "fact",
      comment: "Knowledge that has been verified.",
      module: "jido-knowledge",
    },
    {
      name: "ProcessConvention",
      iri: "https://jido.ai/ontology#ProcessConvention",
      subClassOf: "Convention",
      label: "process convention",
      comment: "A rule on how work is done: workflow, review, release, operations.",
      module: "jido-convention",
    },
  ],
  properties: [
    {
      name: "hasConventionScope",
      iri: "https://jido.ai/ontology#hasConventionScope",
      kind: "object",
      domain: "Convention",
      range: "ConventionScope",
      functional: true,
      symmetric: false,
      transitive: false,
      inverseOf: null,
      label: "has convention scope",
      comment: "How widely the convention holds.",
      module: "jido-convention",
    },
  ],
  individuals: [
    {
      name: "ProjectScope",
      iri: "https://jido.ai/ontology#ProjectScope",
      classes: ["ConventionScope"],
      label: "project scope",
      comment: "Holds in one project.",
      module: "jido-convention",
    },
  ],
};
