// A prompt of the AI SDK, read and given its memory. Pure.
import type { LanguageModelMiddleware } from "ai";

type Params = Parameters<NonNullable<LanguageModelMiddleware["transformParams"]>>[0]["params"];
type Generated = Awaited<ReturnType<NonNullable<LanguageModelMiddleware["wrapGenerate"]>>>;

export type Prompt = Params["prompt"];
export type StreamPart =
  Awaited<ReturnType<NonNullable<LanguageModelMiddleware["wrapStream"]>>>["stream"] extends ReadableStream<
    infer Part
  >
    ? Part
    : never;

/** What the user said last. */
export function inputOf(prompt: Prompt): string {
  const message = prompt.findLast(({ role }) => role === "user");
  if (message?.role !== "user") return "";
  return message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** What the model said; nothing when it asks for tools first, or was cut off. */
export function answerOf({ content, finishReason }: Generated): string {
  if (content.some(asksForTool) || wasCutOff(finishReason)) return "";
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

export function wasCutOff({ unified }: Generated["finishReason"]): boolean {
  return unified === "error" || unified === "interrupted";
}

/** A tool that the provider runs itself is part of its answer. */
export function asksForTool(part: Generated["content"][number] | StreamPart): boolean {
  return part.type === "tool-call" && part.providerExecuted !== true;
}

/** In the instructions that are there, or in a message of its own behind them. */
export function withMemory(
  prompt: Prompt,
  told: readonly string[],
  inject: "instructions" | "context",
): Prompt {
  if (told.length === 0) return prompt;
  const memory = told.join("\n\n");
  const others = prompt.findIndex(({ role }) => role !== "system");
  const [before, after] = [prompt.slice(0, others), prompt.slice(others)];
  const last = before.at(-1);
  if (inject === "instructions" && last?.role === "system")
    return [...before.slice(0, -1), { ...last, content: `${last.content}\n\n${memory}` }, ...after];
  return [...before, { role: "system", content: memory }, ...after];
}
