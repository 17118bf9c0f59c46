// Reads prompts and responses of the AI SDK and adds memory to prompts. Pure functions.
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

/** Returns the text of the last user message. */
export function readLastInput(prompt: Prompt): string {
  const message = prompt.findLast(({ role }) => role === "user");
  if (message?.role !== "user") return "";
  return message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** Returns the text of the model's answer; empty if the model calls tools first or was interrupted. */
export function readAnswer({ content, finishReason }: Generated): string {
  if (content.some(asksForTool) || wasCutOff(finishReason)) return "";
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

export function wasCutOff({ unified }: Generated["finishReason"]): boolean {
  return unified === "error" || unified === "interrupted";
}

/** Whether a part calls a tool of the client; a tool run by the provider is part of the answer. */
export function asksForTool(part: Generated["content"][number] | StreamPart): boolean {
  return part.type === "tool-call" && part.providerExecuted !== true;
}

/** Adds memory to the existing instructions, or as a separate system message after them. */
export function withMemory(
  prompt: Prompt,
  sections: readonly string[],
  inject: "instructions" | "context",
): Prompt {
  if (sections.length === 0) return prompt;
  const memory = sections.join("\n\n");
  const others = prompt.findIndex(({ role }) => role !== "system");
  const [before, after] = [prompt.slice(0, others), prompt.slice(others)];
  const last = before.at(-1);
  if (inject === "instructions" && last?.role === "system")
    return [...before.slice(0, -1), { ...last, content: `${last.content}\n\n${memory}` }, ...after];
  return [...before, { role: "system", content: memory }, ...after];
}
