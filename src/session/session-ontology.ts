// The ontology of a session's tenant, with its extensions: the memories that a session writes must not violate its shapes.
import { BUILT_IN_ONTOLOGY, type TenantOntology } from "../ontology/extensions/tenant-ontology";

export class SessionOntology {
  #current: TenantOntology = BUILT_IN_ONTOLOGY;
  readonly #reload: (tenant: string) => Promise<void>;

  /** `reload` reads the ontology and passes it to `set`. */
  constructor(reload: (tenant: string) => Promise<void>) {
    this.#reload = reload;
  }

  get current(): TenantOntology {
    return this.#current;
  }

  set(ontology: TenantOntology): void {
    this.#current = ontology;
  }

  /** Reads the ontology again if a call knows another version of it. */
  async use({ tenant, ontology }: { tenant: string; ontology?: string | null }): Promise<void> {
    if (ontology !== undefined && ontology !== this.#current.version) await this.#reload(tenant);
  }
}
