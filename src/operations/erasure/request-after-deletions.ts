// Requests compaction of local files after deletions in a session that the database has no part in, such as that of a
// context key.
import type { Result } from "../../platform/errors";
import type { Directive } from "../../schemas/directive";
import type { SpaceOp } from "../../schemas/space";
import type { SessionRpc } from "../../session/session-rpc";

type Call = (...args: unknown[]) => Promise<Result<unknown>>;

export function requestAfterDeletions(session: SessionRpc, request: () => Promise<void>): SessionRpc {
  return new Proxy(session, {
    get(target, name: keyof SessionRpc & string) {
      const call = Reflect.get(target, name) as Call;
      return async (...args: unknown[]): Promise<Result<unknown>> => {
        const result = await Reflect.apply(call, target, args);
        if (result.ok && isDeletion(name, args)) await request();
        return result;
      };
    },
  });
}

function isDeletion(name: keyof SessionRpc, args: readonly unknown[]): boolean {
  switch (name) {
    case "erase":
    case "deleteContext":
    case "removeTask":
    case "deleteSpace":
      return true;
    case "changeSpace":
      return (args[2] as SpaceOp[]).some(({ op }) => op === "delete" || op === "remove");
    case "acceptDirective":
      return (args[1] as Directive).type === "delete";
    default:
      return false;
  }
}
