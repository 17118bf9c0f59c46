import type { Ontology } from "./ontology.mjs";

export function generate(ontology: Ontology): Record<string, string>;
