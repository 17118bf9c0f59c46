// The API reference in a real browser: what a reader sees first, and the key that it shares with the console.
import { afterAll, describe, expect, it } from "vitest";
import { launchBrowser } from "../../scripts/lib/launch-browser";
import { sharedServer } from "../conformance/support/http-service";
import { openConsole } from "./support/console-page";

const service = sharedServer();
const launched = await launchBrowser();
const reason = typeof launched === "string" ? `, skipped: ${launched}` : "";

describe.skipIf(typeof launched === "string")(`the API reference in a browser${reason}`, () => {
  afterAll(async () => {
    if (typeof launched !== "string") await launched.close();
  });

  it("is linked from the console, opens its first section, and has the key of the tab until it is removed", async () => {
    if (typeof launched === "string") throw new Error(launched);
    const { page, close } = await openConsole(launched, {
      url: service.api.url(""),
      key: service.api.key ?? undefined,
    });
    await page.getByRole("banner").getByRole("link", { name: "API reference" }).click();
    await page.waitForSelector(".opblock-tag-section.is-open .opblock");
    expect(await page.locator(".opblock-tag-section.is-open").count()).toBe(1);
    expect(await page.locator(".opblock-tag-section").first().getAttribute("class")).toContain("is-open");

    const authorize = page.locator("button.authorize").first();
    await expect.poll(() => authorize.getAttribute("class")).not.toContain("unlocked");
    await authorize.click();
    await page.locator(".auth-container button", { hasText: "Logout" }).click();
    expect(await page.evaluate("sessionStorage.getItem('kioku.key')")).toBeNull();

    await page.locator(".auth-container input").fill("kioku_entered");
    await page.locator(".auth-container button", { hasText: "Authorize" }).click();
    expect(await page.evaluate("sessionStorage.getItem('kioku.key')")).toBe("kioku_entered");
    await close();
  });
});
