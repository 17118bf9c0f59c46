// A set of quads in memory, in the form that a SHACL engine reads: RDF/JS `match`, with indexes by subject and by object.
import type { Quad, Term } from "n3";

export class QuadSet implements Iterable<Quad> {
  readonly #quads: readonly Quad[];
  #bySubject: Map<string, Quad[]> | null = null;
  #byObject: Map<string, Quad[]> | null = null;

  constructor(quads: readonly Quad[]) {
    this.#quads = quads;
  }

  get size(): number {
    return this.#quads.length;
  }

  [Symbol.iterator](): Iterator<Quad> {
    return this.#quads[Symbol.iterator]();
  }

  match(subject?: Term | null, predicate?: Term | null, object?: Term | null): QuadSet {
    return new QuadSet(
      this.#listCandidates(subject ?? null, object ?? null).filter(
        (quad) =>
          (!subject || quad.subject.equals(subject)) &&
          (!predicate || quad.predicate.equals(predicate)) &&
          (!object || quad.object.equals(object)),
      ),
    );
  }

  #listCandidates(subject: Term | null, object: Term | null): readonly Quad[] {
    if (subject !== null) {
      this.#bySubject ??= Map.groupBy(this.#quads, (quad) => quad.subject.value);
      return this.#bySubject.get(subject.value) ?? [];
    }
    if (object === null) return this.#quads;
    this.#byObject ??= Map.groupBy(this.#quads, (quad) => quad.object.value);
    return this.#byObject.get(object.value) ?? [];
  }
}
