// Puts the arguments of every repository method that may store them through the privacy gate. A new repository, or a
// new method of one, is guarded without a line of its own.
import type { PrivacyGate } from "../../domain/privacy/privacy-gate";
import { isJsonObject } from "../../platform/json";

/** Methods that only read. */
const READS = /^(?:find|list|count|get|read|has|exists|search|match|filter|recall|resolveEnds)/;
/** Methods that name stored values in order to remove them. */
const REMOVALS = /^(?:delete|erase)/;

type Method = (...args: unknown[]) => unknown;

/** Returns the repositories with every write guarded. A method that opens a repository returns a guarded one. */
export function guardRepositories<T extends object>(
  repositories: T,
  gate: PrivacyGate,
  projectId: string | null = null,
): T {
  return new Proxy(repositories, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof name === "symbol") return member;
      if (typeof member === "function")
        return guardMethod(name, member.bind(target) as Method, gate, projectId);
      return isRepository(member) ? guardRepositories(member, gate, projectId) : member;
    },
  });
}

function guardMethod(name: string, method: Method, gate: PrivacyGate, projectId: string | null): Method {
  if (READS.test(name)) return method;
  const clean = REMOVALS.test(name) ? gate.cleanDeleted : gate.clean;
  return (...args) => {
    const result = method(...clean(args, projectId));
    return isRepository(result) ? guardRepositories(result, gate, findProject(args) ?? projectId) : result;
  };
}

/** A repository is an object of methods. Promises are none. */
function isRepository(value: unknown): value is object {
  return isJsonObject(value) && Object.getPrototypeOf(value) === Object.prototype;
}

/** Returns the project that the arguments of an opened repository name. */
function findProject(args: readonly unknown[]): string | null {
  const owner = args.find((arg) => isJsonObject(arg) && typeof arg.project_id === "string");
  return isJsonObject(owner) && typeof owner.project_id === "string" ? owner.project_id : null;
}
