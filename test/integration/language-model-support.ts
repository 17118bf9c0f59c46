// A language model behind the Workers AI binding of one session's object, which answers, hangs or fails as a test says.
import { runInDurableObject } from "cloudflare:test";
import type { SessionObject } from "../../durable-objects/session";
import type { AiBinding, Bindings } from "../../src/kernel/env";

/** A request as the binding receives it. */
export type AskedModel = { messages: { role: string; content: string }[]; response_format?: unknown };

export type TestModel = {
  asked: readonly AskedModel[];
  /** Answers from now on, the requests that hang first; a thrown error is that of the service. */
  answer: (reply: (request: AskedModel) => string) => void;
  /** Leaves requests unanswered until there is an answer. */
  hang: () => void;
  remove: () => Promise<void>;
};

/** Configures a model for a session's object, until it is removed or the object is evicted. */
export async function installModel(stub: DurableObjectStub<SessionObject>): Promise<TestModel> {
  const asked: AskedModel[] = [];
  let reply: ((request: AskedModel) => string) | null = () => "Nothing.";
  const binding: AiBinding = {
    async run(_model, input, { signal }) {
      const request = input as AskedModel;
      asked.push(request);
      // A promise of one object cannot be settled by another, so the object itself waits.
      while (reply === null && !signal.aborted) await scheduler.wait(10);
      if (reply === null) throw new Error("aborted");
      return { response: reply(request) };
    },
  };
  const configure = (change: (env: Bindings) => void) =>
    runInDurableObject<SessionObject, void>(stub, (instance) =>
      change((instance as unknown as { env: Bindings }).env),
    );
  await configure((env) =>
    Object.assign(env, { AI: binding, LANGUAGE_MODEL: "workers-ai", EMBEDDER: "embedded" }),
  );
  return {
    asked,
    answer: (next) => {
      reply = next;
    },
    hang: () => {
      reply = null;
    },
    remove: () =>
      configure((env) => {
        delete env.AI;
        delete env.LANGUAGE_MODEL;
        delete env.EMBEDDER;
      }),
  };
}
