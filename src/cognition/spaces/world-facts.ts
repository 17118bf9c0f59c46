// Facts that an agent notes itself, in `world.facts` beside those of the facts projector, which leaves them as they are.
import { fail, ok, type Result } from "../../kernel/errors";
import { isJsonObject } from "../../kernel/json";
import { applyOps, getSpaceKey, type SpaceContainer } from "./space-container";

const WORLD = "world";
const FACTS = "facts";

/** Notes a fact about a subject. It takes the place of an earlier one on the same subject. */
export function noteFact(
  container: SpaceContainer,
  { subject, text }: { subject: string; text: string },
  now: string,
): Result<{ container: SpaceContainer; replaced: boolean }> {
  const found = getSpaceKey(container, WORLD, FACTS);
  const facts = found.ok ? found.value : {};
  if (!isJsonObject(facts))
    return fail(
      "conflict",
      "The key facts of the world is no map of facts by subject. Put a map there first.",
    );
  const value = { ...facts, [subject]: { kind: "fact", text, at: now, source: "agent" } };
  const noted = applyOps(container, WORLD, [{ op: "put", key: FACTS, value }], {}, now);
  return noted.ok ? ok({ container: noted.value, replaced: Object.hasOwn(facts, subject) }) : noted;
}
