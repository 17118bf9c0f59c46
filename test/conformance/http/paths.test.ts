// A path names one resource: dots, encoded dots and slashes never lead to another.
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { newSession, readSession } from "../support/actions";
import type { Client } from "../support/client";
import { bodyOf, expectProblem } from "../support/expectations";
import { sharedServer } from "../support/http-service";

const kioku = sharedServer();

/** Sends a path as it is: every HTTP client would resolve its dots. Returns the status. */
function sendRaw({ key, url }: Client, method: string, path: string): Promise<number> {
  const { hostname, port } = new URL(url("/"));
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      const head = [`${method} ${path} HTTP/1.1`, `Host: ${hostname}`, `Authorization: Bearer ${key}`];
      socket.write(`${[...head, "Content-Length: 0"].join("\r\n")}\r\n\r\n`);
    });
    socket.on("error", reject);
    socket.once("data", (head) => {
      resolve(Number(head.toString().split(" ")[1]));
      socket.destroy();
    });
  });
}

describe("a path", () => {
  it("with dots in the place of a name erases nothing", async () => {
    const { id } = await newSession(kioku.api);
    bodyOf(await kioku.api.put(`/v1/sessions/${id}/context/framework`, { value: "Hono" }), 200);
    const at = `/v1/sessions/${id}`;
    const dots = ["..", ".", "%2e%2e", ".%2e", "%2E.", "%2e", "..%2f", "%2e%2e%2f", "..%2F..", "../", "./"];
    for (const part of ["context", "spaces", "tasks"])
      for (const dot of dots)
        expect([400, 404], `DELETE ${part}/${dot}`).toContain(
          await sendRaw(kioku.api, "DELETE", `${at}/${part}/${dot}`),
        );
    for (const path of [`/v1/memories/%2e%2e/sessions/${id}`, `/v1/users/.%2E/sessions/${id}`, `${at}/`])
      expect(await sendRaw(kioku.api, "DELETE", path), path).toBe(400);
    expect((await readSession(kioku.api, id)).counts.context).toBe(1);
  });

  it("does not end with a slash, but for those of mem0's clients", async () => {
    const { id } = await newSession(kioku.api);
    for (const path of ["/v1/sessions/", `/v1/sessions/${id}/`, `/v1/sessions/${id}/messages/`])
      expectProblem(await kioku.api.get(path), "invalid_request", "path");
    expectProblem(await kioku.api.delete(`/v1/sessions/${id}/`), "invalid_request", "path");
    bodyOf(await kioku.api.get("/mem0/v1/ping/"), 200);
    expect((await readSession(kioku.api, id)).status).toBe("active");
  });

  it("with malformed percent-encoding is refused on every route", async () => {
    const { paths } = bodyOf(await kioku.api.get<{ paths: Record<string, object> }>("/openapi.json"), 200);
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      path.includes("{")
        ? Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path }))
        : [],
    );
    expect(routes.length).toBeGreaterThan(30);
    for (const { method, path } of routes)
      for (const name of ["%E0%A4%A", "%", "%FF"])
        expect(
          await sendRaw(kioku.api, method, path.replaceAll(/\{\w+\}/g, name)),
          `${method} ${path} ${name}`,
        ).toBe(400);
  });

  it("names no key of the working context that is made of dots", async () => {
    const { id } = await newSession(kioku.api);
    const answer = await kioku.api.put(`/v1/sessions/${id}/context/...`, { value: 1, memory_type: "fact" });
    expectProblem(answer, "invalid_request", "key");
    const dotted = { value: 1, memory_type: "fact" };
    bodyOf(await kioku.api.put(`/v1/sessions/${id}/context/..a`, dotted), 200);
  });
});

describe("a query", () => {
  it("has no parameter that the route does not know, as a typo would list more than was meant", async () => {
    for (const path of ["/v1/memories?user=mia", "/v1/sessions?agent=ada&limit=1", "/v1/ontology?x=1"])
      expectProblem(await kioku.api.get(path), "invalid_request", /user|agent|x/);
    const { id } = await newSession(kioku.api);
    expectProblem(await kioku.api.delete(`/v1/sessions/${id}?memory=true`), "invalid_request", "memory");
    bodyOf(await kioku.api.get("/v1/entries?namespace=agent:ada&metadata.kind=note"), 200);
    bodyOf(await kioku.api.get("/mem0/v1/ping/?org_id=x"), 200);
  });

  it("has no parameter twice, of which only one value would count", async () => {
    const { id } = await newSession(kioku.api);
    for (const path of [
      "/v1/memories?user_id=mia&limit=1&user_id=bo",
      "/v1/entries?metadata.a=1&metadata.a=2",
    ])
      expectProblem(await kioku.api.get(path), "invalid_request", /^(?:user_id|metadata\.a)$/);
    const twice = await kioku.api.delete(`/v1/sessions/${id}?memories=false&memories=true`);
    expectProblem(twice, "invalid_request", "memories");
    expect(await readSession(kioku.api, id)).toMatchObject({ id });
  });
});

describe("an answer", () => {
  it("is neither sniffed nor kept by caches on the way", async () => {
    for (const path of ["/v1/sessions", "/v1/nowhere", "/health"]) {
      const { headers } = await kioku.api.get(path);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("cache-control")).toBe("no-store");
    }
  });
});
