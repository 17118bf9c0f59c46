// A small HTTP server that plays a model: it answers each call with the next of its replies, and keeps what it was asked.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

export type Asked = { path: string; body: Record<string, unknown> };

export type ModelServer = {
  url: string;
  asked: Asked[];
};

/** A reply is the body of an answer, made from what was asked. */
export async function modelServer(replies: ((asked: Asked) => unknown)[]): Promise<ModelServer> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const call = { path: request.url ?? "", body: JSON.parse(text) };
    const reply = replies[asked.length];
    asked.push(call);
    response.setHeader("content-type", "application/json");
    if (reply === undefined) response.statusCode = 500;
    response.end(
      JSON.stringify(reply?.(call) ?? { error: { message: "the model has nothing more to say" } }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}
