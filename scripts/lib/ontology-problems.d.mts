import type { Ontology } from "./ontology.mjs";

export function problems(ontology: Ontology): string[];
