// Changes the extensions of a tenant's ontology. A change has to be consistent, and to hold for the memories that are stored.
import DataFactory from "n3/src/N3DataFactory.js";
import { fail, failure, invalidField, ok, type Result, unwrap } from "../kernel/errors";
import { MAX_CHECKED } from "../memories/store/check-memory";
import type { ExtensionAnswer, ExtensionDetail } from "../ontology/extension-schemas";
import { findExtensionProblems } from "../ontology/find-extension-problems";
import { MEMORY_TYPES } from "../ontology/generated/terms.generated";
import {
  type ExtensionDocument,
  RDF,
  readExtensions,
  SH,
  TurtleSyntaxError,
} from "../ontology/read-extension";
import { createOntology, listMemoryTypes, type TenantOntology } from "../ontology/tenant-ontology";
import type { Services } from "../services/services";

export async function putExtension(
  services: Services,
  input: { name: string; turtle: string; expected: number | null },
): Promise<ExtensionAnswer> {
  let added: string[] = [];
  const stored = unwrap(
    await services.store.extensions.save(input, async (documents) => {
      const checked = await checkExtensions(services, documents);
      if (checked.ok) added = listMemoryTypes(createOntology(documents)).slice(MEMORY_TYPES.length);
      return checked;
    }),
  );
  return { ...stored, memory_types: added };
}

export async function readExtension(
  { store }: Services,
  name: string,
  version: number | null,
): Promise<ExtensionDetail> {
  const found = await store.extensions.find(name, version);
  if (found === null) throw extensionNotFound(name, version);
  return { ...found, versions: await store.extensions.listVersions(name) };
}

export async function deleteExtension(services: Services, name: string): Promise<void> {
  const removed = await services.store.extensions.remove(name, (rest) => checkExtensions(services, rest));
  if (removed === null) throw extensionNotFound(name, null);
  unwrap(removed);
}

function extensionNotFound(name: string, version: number | null) {
  const which = version === null ? `extension ${name} that holds` : `version ${version} of extension ${name}`;
  return failure("not_found", `There is no ${which}. List them with GET /v1/ontology/extensions.`);
}

/** Returns a failure if the extensions are not consistent, or if a stored memory would not conform to them. */
export async function checkExtensions(
  { store }: Services,
  documents: readonly ExtensionDocument[],
): Promise<Result<null>> {
  const problems = findProblems(documents);
  if (!problems.ok) return problems;
  const ontology = createOntology(documents);
  const trial = await tryShapes(ontology);
  if (!trial.ok) return trial;
  const { offenders, isComplete } = await store.extensions.findOffenders(ontology);
  if (offenders.length > 0)
    return fail(
      "conflict",
      `${offenders.length} stored ${offenders.length === 1 ? "memory does" : "memories do"} not conform to it: change or forget them first, or change the extension. errors has their ids.`,
      { errors: offenders.map(({ id, problem }) => ({ path: id, message: problem })) },
    );
  return isComplete
    ? ok(null)
    : fail(
        "limit_exceeded",
        `More than ${MAX_CHECKED} stored memories would have to be checked. Let the shapes target a narrower class.`,
      );
}

/** Runs every shape once: a malformed one, such as an `sh:in` without a list, must not fail the writes that follow. */
async function tryShapes({ added, shapes }: TenantOntology): Promise<Result<null>> {
  const { namedNode, literal, quad } = DataFactory;
  const trial = namedNode("urn:trial");
  const quads = added.quads.flatMap(({ predicate, object }) => {
    if (predicate.value === `${SH}targetClass`)
      return [quad(trial, namedNode(`${RDF}type`), namedNode(object.value))];
    if (predicate.value === `${SH}targetSubjectsOf`)
      return [quad(trial, namedNode(object.value), literal("x"))];
    return [];
  });
  try {
    await shapes.validate(quads);
    return ok(null);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return fail("unprocessable", `A shape is malformed, and cannot be run: ${reason}.`);
  }
}

function findProblems(documents: readonly ExtensionDocument[]): Result<null> {
  try {
    const errors = findExtensionProblems(readExtensions(documents));
    const [first] = errors;
    return first === undefined
      ? ok(null)
      : fail("unprocessable", `${first.path} ${first.message}.`, { errors });
  } catch (error) {
    if (error instanceof TurtleSyntaxError) return invalidField("turtle", `is not Turtle: ${error.message}`);
    throw error;
  }
}
