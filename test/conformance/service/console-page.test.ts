// The console at `/`: a page for browsers, whose policy allows nothing but the service itself. Programs see what they saw.
import { describe, expect, it } from "vitest";
import { expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

/** What browsers send when someone opens an address. */
const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

const open = () => kioku.anonymous.get<string>("/", { Accept: BROWSER });

describe("GET /", () => {
  it("is a page for a browser, without inline scripts and styles, that is revalidated", async () => {
    const { status, headers, text } = await open();
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("vary")).toContain("Accept");
    expect(headers.get("cache-control")).toBe("no-cache");
    expect(text).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=|style=/);
  });

  it("may load from its own service only, and turns no text into markup", async () => {
    const policy = (await open()).headers.get("content-security-policy") ?? "";
    for (const directive of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ])
      expect(policy.split("; ")).toContain(directive);
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
  });

  it("has files whose names are hashes, to be kept for good", async () => {
    const { text } = await open();
    const paths = [...text.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, path = ""]) => path);
    expect(paths).toHaveLength(4);
    for (const path of paths) {
      const { status, headers } = await kioku.anonymous.get(path);
      expect(status, path).toBe(200);
      expect(headers.get("cache-control"), path).toContain("immutable");
      expect(headers.get("x-content-type-options"), path).toBe("nosniff");
    }
  });

  it.each([
    "application/json",
    "*/*",
    "application/problem+json",
    "text/html;q=0.1, application/json",
  ])("is unknown to a program that accepts %s", async (accept) => {
    expectProblem(await kioku.anonymous.get("/", { Accept: accept }), "not_found");
  });

  it.each([
    "/console",
    "/console/page.html",
    "/console/main.js",
    "/console/main-00000000.js",
    "/console/..%2fmodel%2fuse-lite-int8-1.bin",
  ])("serves no other file: %s", async (path) => {
    expectProblem(await kioku.anonymous.get(path, { Accept: BROWSER }), "not_found");
  });
});
