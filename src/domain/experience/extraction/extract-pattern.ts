// From a cluster of episodes to a pattern: what the task is, when it comes up, what works, what does not. By rules
// alone, and without counts, so that the same episodes give the same text and more of them do not make it wrong.
import { EXPERIENCE, LIMITS } from "../../../limits";
import type { Episode } from "../../../schemas/episode";
import { clip } from "../../../text/memory-text";
import { approachOf, claimOf } from "./approach";
import { attemptsOf } from "./attempts";
import { categoryOf, conditionsOf } from "./conditions";
import { type Evidence, evidenceOf, inOrder } from "./evidence";
import { mistakesOf } from "./mistakes";
import { isOneKind, themeOf } from "./theme";

export type NewPattern = Evidence & {
  theme: string;
  pattern: string;
  category: string;
  conditions: string[];
  correct_approach: string | null;
  incorrect_approach: string | null;
  memory_type: "discovery" | "hypothesis";
};

/** Null when every attempt failed: then only its errors speak. And when the goals have nothing to do with each other. */
export function extractPattern(cluster: readonly Episode[]): NewPattern | null {
  const episodes = inOrder(cluster);
  if (episodes.every(({ outcome }) => outcome === "failure")) return null;
  const goals = episodes.map(({ context }) => context.goal);
  if (!isOneKind(goals)) return null;
  const theme = themeOf(goals);
  const evidence = evidenceOf(episodes);
  const attempts = attemptsOf(episodes);
  const within = (text: string) => clip(text, LIMITS.contentChars);
  const orNull = (text: string) => (text === "" ? null : within(text));
  return {
    ...evidence,
    theme,
    pattern: within(`${theme}${theme.includes(":") ? " –" : ":"} ${claimOf(attempts)}`),
    category: categoryOf(episodes),
    conditions: conditionsOf(episodes),
    correct_approach: orNull(approachOf(attempts)),
    incorrect_approach: orNull(mistakesOf(attempts)),
    memory_type: evidence.confidence >= EXPERIENCE.kept ? "discovery" : "hypothesis",
  };
}
