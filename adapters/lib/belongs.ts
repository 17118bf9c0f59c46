// Whose memory an adapter works on.
import { KiokuError } from "../../client/errors";

/** A session, an agent or a project. The narrowest is where things are kept; the others go along with a new session. */
export type Belongs = {
  session_id?: string | undefined;
  agent_id?: string | undefined;
  project_id?: string | undefined;
};

export const IDS = ["session_id", "agent_id", "project_id"] as const;

/** What was given, without what was not; refused when nothing says whose it is. */
export function belonging(given: Belongs): Belongs {
  const ids = IDS.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]]));
  if (ids.length > 0) return Object.fromEntries(ids);
  const message = "is required, unless agent_id or project_id is given";
  throw new KiokuError("invalid_request", `session_id: ${message}`, {
    errors: [{ path: "session_id", message }],
  });
}

/** The one id that things are kept under. */
export function narrowest(given: Belongs): Belongs {
  const name = IDS.find((id) => given[id] !== undefined);
  return name === undefined ? {} : { [name]: given[name] };
}
