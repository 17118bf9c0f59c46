// Declares what a repository's method does with its arguments. Whether they pass the privacy gate follows from the
// declaration, and a repository with a method that has none does not have the type that `createRepositories` requires.
import type { PrivacyGate } from "../trust/privacy/privacy-gate";
import type { Result } from "./errors";

type Method = (...args: never[]) => unknown;

declare const DECLARED: unique symbol;

/** A method that went through one of the functions of `declareMethods`. */
type Declared<F extends Method = Method> = F & { readonly [DECLARED]: true };

export type Repository = Readonly<Record<string, Declared>>;

type Opener = Declared<(...args: never[]) => Repository>;

/** Repositories by name. Nothing else can be stored through them. */
export type DeclaredRepositories = Readonly<Record<string, Repository | Opener>>;

/** `projectId` is the project whose privacy policy applies to arguments that name none. */
export function declareMethods({ gate }: { gate: PrivacyGate }, projectId: string | null = null) {
  const pass = <F extends Method>(method: F, clean: PrivacyGate["clean"]): Declared<F> =>
    ((...args: Parameters<F>) => method(...clean(args, projectId))) as F as Declared<F>;
  return {
    /** Stores none of its arguments. */
    reads: <F extends Method>(method: F) => method as Declared<F>,

    /** May store its arguments. They are masked; those that the privacy policy refuses fail the call. */
    writes: <F extends Method>(method: F) => pass(method, gate.clean),

    /** Like `writes`, for a list that is answered item by item: an item that the policy refuses fails alone. */
    writesEach: <T, R>(method: (items: readonly T[]) => Promise<Result<R>[]>) =>
      ((items) => gate.passEach(items, method, projectId)) as Declared<typeof method>,

    /** Removes what its arguments name. They are masked as they were when they were stored, and never refused. */
    removes: <F extends Method>(method: F) => pass(method, gate.cleanDeleted),

    /** Stores its arguments as they are. Every use says why. */
    unmasked: <F extends Method>(method: F) => method as Declared<F>,

    /** Opens a repository for its arguments, which are masked. */
    opens: <F extends (...args: never[]) => Repository>(open: F) => pass(open, gate.clean),
  };
}
