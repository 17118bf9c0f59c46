// The API reference at /docs: a page of the service's own, open to all, that asks no other host for anything. And the
// documentation for language models.
import { describe, expect, it } from "vitest";
import { expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

async function page() {
  const answer = await kioku.anonymous.get<string>("/docs");
  expect(answer.status).toBe(200);
  return answer;
}

async function files(): Promise<string[]> {
  const { text } = await page();
  return [...text.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, path = ""]) => path);
}

describe("GET /docs", () => {
  it("is a page that needs no key, and links the document for whoever runs no scripts", async () => {
    const { headers, text } = await page();
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(text).toMatch(/<title>[^<]*API reference<\/title>/);
    expect(text).toMatch(/<meta name="viewport"/);
    expect(text).toContain('<a href="/openapi.json">');
  });

  it("may run its own scripts only, and talk to its own service only", async () => {
    const { headers, text } = await page();
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    for (const [, attributes = "", code = ""] of text.matchAll(/<script([^>]*)>([^<]*)<\/script>/g)) {
      expect(attributes).toContain("src=");
      expect(code.trim()).toBe("");
    }
    expect(text).not.toMatch(/\son\w+=|<style|style=/);
  });

  it("refers to nothing on another host", async () => {
    const { text } = await page();
    for (const [, address = ""] of text.matchAll(/(?:src|href)="([^"]*)"/g))
      expect(address).toMatch(/^\/(?:docs\/|openapi\.json$)/);
    for (const path of (await files()).filter((file) => file.endsWith(".css"))) {
      const { text: style } = await kioku.anonymous.get<string>(path);
      expect(style).not.toMatch(/@import|url\(\s*["']?(?:https?:)?\/\//);
    }
  });

  it("has its files, with their types, to be kept for good", async () => {
    const types: Record<string, string> = {
      js: "text/javascript; charset=utf-8",
      css: "text/css; charset=utf-8",
      svg: "image/svg+xml",
      txt: "text/plain; charset=utf-8",
    };
    const paths = await files();
    expect(paths.filter((path) => path.endsWith(".js"))).toHaveLength(2);
    for (const path of paths) {
      const { status, headers, text } = await kioku.anonymous.get<string>(path);
      expect(status, path).toBe(200);
      expect(headers.get("content-type"), path).toBe(types[path.split(".").at(-1) ?? ""]);
      expect(headers.get("cache-control"), path).toContain("immutable");
      expect(headers.get("x-content-type-options"), path).toBe("nosniff");
      expect(text, path).not.toBe("");
    }
  });

  it("shows the document of its own service, and stores no key beyond the tab", async () => {
    const [starter = ""] = (await files()).filter(
      (path) => path.includes("/reference.") && path.endsWith(".js"),
    );
    const { text } = await kioku.anonymous.get<string>(starter);
    expect(text).toContain('url: "/openapi.json"');
    expect(text).toContain("persistAuthorization: false");
    expect(text).not.toContain("localStorage");
    expect(text).toContain("deepLinking: true");
    expect(text).toContain("validatorUrl: null");
  });

  it("answers HEAD without a body", async () => {
    for (const path of ["/docs", ...(await files())]) {
      const { status, text } = await kioku.anonymous.call<string>("HEAD", path);
      expect([status, text], path).toEqual([200, ""]);
    }
  });

  it("is found with a slash at its end, too", async () => {
    const { status, text } = await kioku.anonymous.get<string>("/docs/");
    expect(status).toBe(200);
    expect(text).toBe((await page()).text);
  });
});

describe("the Worker's other files", () => {
  it.each([
    "/docs/page.html",
    "/docs/reference.js",
    "/docs/reference.0000000000000000.js",
    "/docs/swagger-ui-bundle.js.map",
    "/docs/%2e%2e/model/use-lite-int8-1.bin",
    "/docs/..%2fmodel%2fuse-lite-int8-1.bin",
    "/docs/model/use-lite-int8-1.bin",
    "/model/use-lite-int8-1.bin",
    "/assets/model/use-lite-int8-1.bin",
  ])("are not served: %s", async (path) => {
    expectProblem(await kioku.anonymous.get(path), "not_found");
  });
});

describe("GET /llms.txt", () => {
  it("is an index of pages that are all there, in one file too", async () => {
    const { status, headers, text } = await kioku.anonymous.get<string>("/llms.txt");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(text).toMatch(/^# Kioku 記憶\n\n> Memory for AI agents\./);
    const full = await kioku.anonymous.get<string>("/llms-full.txt");
    expect(full.status).toBe(200);
    const links = [...text.matchAll(/\]\(\/llms\/(\S+\.md)\)/g)].map(([, path = ""]) => path);
    expect(links).toContain("docs/quickstarts/chatbot.md");
    for (const path of new Set(links)) {
      const page = await kioku.anonymous.get<string>(`/llms/${path}`);
      expect(page.status, path).toBe(200);
      expect(page.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
      expect(full.text, path).toContain(`<!-- ${path} -->\n\n${page.text}`);
    }
  });

  it("serves no other file", async () => {
    expectProblem(await kioku.anonymous.get("/llms/docs/nothing.md"), "not_found");
    for (const path of ["/llms/llms.txt", "/llms/", "/llms/docs", "/llms/.md"])
      expect((await kioku.anonymous.get(path)).status, path).not.toBe(200);
  });
});
