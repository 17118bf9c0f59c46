// A language model behind the Workers AI binding of one session's object, which answers, hangs or fails as a test says.
import { runInDurableObject } from "cloudflare:test";
import type { SessionObject } from "../../durable-objects/session";
import type { AiBinding, Bindings } from "../../src/platform/env";

/** A request as the binding receives it. */
export type AskedModel = { messages: { role: string; content: string }[]; response_format?: unknown };

export type TestModel = {
  asked: readonly AskedModel[];
  /** Answers from now on; a thrown error is that of the service. */
  answer: (reply: (request: AskedModel) => string) => void;
  /** Leaves requests unanswered from now on. */
  hang: () => void;
  /** Answers the requests that hang. */
  answerHanging: (text: string) => void;
  remove: () => Promise<void>;
};

/** Configures a model for a session's object, until it is removed or the object is evicted. */
export async function installModel(stub: DurableObjectStub<SessionObject>): Promise<TestModel> {
  const asked: AskedModel[] = [];
  const hanging: ((response: { response: string }) => void)[] = [];
  let reply: ((request: AskedModel) => string) | null = () => "Nothing.";
  const binding: AiBinding = {
    async run(_model, input) {
      const request = input as AskedModel;
      asked.push(request);
      if (reply !== null) return { response: reply(request) };
      return new Promise((resolve) => hanging.push(resolve));
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
    answerHanging: (text) => {
      for (const resolve of hanging.splice(0)) resolve({ response: text });
    },
    remove: () =>
      configure((env) => {
        delete env.AI;
        delete env.LANGUAGE_MODEL;
        delete env.EMBEDDER;
      }),
  };
}
