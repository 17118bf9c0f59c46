// Pages of ALLOWED_ORIGINS may call the API and the MCP server from a browser, and read why a call failed; others may not.
import { describe, expect, it } from "vitest";
import { type Client, fresh } from "../support/client";
import { bodyOf, expectProblem } from "../support/expectations";
import { configuredService, serviceUnderTest } from "../support/service";

const ALLOWED = "https://app.example";
const OTHER = "https://evil.example";
const ALLOW_ORIGIN = "access-control-allow-origin";

const kioku = configuredService({
  ALLOWED_ORIGINS: `${ALLOWED}, http://localhost:6274`,
  RATE_LIMIT_WRITE: "5",
});

function askToCall(path: string, origin: string, method = "POST") {
  return kioku.anonymous.call("OPTIONS", path, {
    headers: {
      Origin: origin,
      "Access-Control-Request-Method": method,
      "Access-Control-Request-Headers": "authorization,content-type,idempotency-key",
    },
  });
}

/** The origin that may read the answer to a call from this one. */
async function readAllowed(client: Client, path: string, origin: string): Promise<[number, string | null]> {
  const { status, headers } = await client.get(path, { Origin: origin });
  return [status, headers.get(ALLOW_ORIGIN)];
}

describe("a page of an allowed origin", () => {
  it("may send every method with a key and an idempotency key", async () => {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
      const answer = await askToCall("/v1/sessions", ALLOWED, method);
      bodyOf(answer, 204);
      expect(answer.headers.get(ALLOW_ORIGIN)).toBe(ALLOWED);
      expect(answer.headers.get("access-control-allow-methods")).toContain(method);
      for (const header of ["Authorization", "Content-Type", "Idempotency-Key"])
        expect(answer.headers.get("access-control-allow-headers")).toContain(header);
    }
  });

  it("reads the answer, and the error of a call that fails", async () => {
    const unknown = `/v1/sessions/${fresh("session")}`;
    expect(await readAllowed(kioku.api, "/v1/sessions", ALLOWED)).toEqual([200, ALLOWED]);
    expect(await readAllowed(kioku.api, "/v1/sessions", "http://localhost:6274")).toEqual([
      200,
      "http://localhost:6274",
    ]);
    expect(await readAllowed(kioku.anonymous, "/v1/sessions", ALLOWED)).toEqual([401, ALLOWED]);
    expect(await readAllowed(kioku.api, unknown, ALLOWED)).toEqual([404, ALLOWED]);
    expect(await readAllowed(kioku.api, "/v1/no-such-route", ALLOWED)).toEqual([404, ALLOWED]);
    expect(await readAllowed(kioku.api, "/v1/sessions?limit=0", ALLOWED)).toEqual([400, ALLOWED]);
  });

  it("reads when to come back", async () => {
    const client = await kioku.tenant();
    const write = () => client.post("/v1/remember", { content: "It rains" }, { Origin: ALLOWED });
    for (let i = 0; i < 5; i += 1) await write();
    const refused = await write();
    expectProblem(refused, "rate_limited");
    expect(refused.headers.get(ALLOW_ORIGIN)).toBe(ALLOWED);
    expect(refused.headers.get("access-control-expose-headers")).toContain("Retry-After");
  });

  it("may call the MCP server with the headers that pin an owner", async () => {
    const asked = await kioku.anonymous.call("OPTIONS", "/mcp", {
      headers: {
        Origin: ALLOWED,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,kioku-user-id",
      },
    });
    expect(asked.headers.get(ALLOW_ORIGIN)).toBe(ALLOWED);
    expect(asked.headers.get("access-control-allow-headers")).toContain("kioku-user-id");
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const headers = { Accept: "application/json, text/event-stream", Origin: ALLOWED };
    for (const [client, status] of [
      [kioku.api, 200],
      [kioku.anonymous, 401],
    ] as const) {
      const answer = await client.post("/mcp", list, headers);
      expect(answer.status).toBe(status);
      expect(answer.headers.get(ALLOW_ORIGIN)).toBe(ALLOWED);
    }
  });
});

describe("a page of another origin", () => {
  it("may neither ask nor read", async () => {
    for (const origin of [OTHER, "null", `${ALLOWED}.evil.example`, "http://app.example"]) {
      expect((await askToCall("/v1/sessions", origin)).headers.get(ALLOW_ORIGIN), origin).toBeNull();
      expect((await readAllowed(kioku.api, "/v1/sessions", origin))[1], origin).toBeNull();
      const refused = await askToCall("/mcp", origin);
      expectProblem(refused, "forbidden", "Origin");
      expect(refused.headers.get(ALLOW_ORIGIN), origin).toBeNull();
    }
  });
});

describe("without ALLOWED_ORIGINS", () => {
  const plain = serviceUnderTest();

  it("no page may read an answer", async () => {
    expect((await readAllowed(plain.api, "/v1/sessions", ALLOWED))[1]).toBeNull();
  });
});
