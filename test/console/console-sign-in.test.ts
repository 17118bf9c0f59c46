// Signing in to the console, and keys that see a part of it.
import { describe, expect, it } from "vitest";
import { describeConsole } from "./support/describe-console";

await describeConsole("signing in to the console", (tested) => {
  const { service, open, within } = tested;

  describe("signing in", () => {
    it("takes a pasted key, keeps it in the tab, and forgets it on signing out", async () => {
      const { page, close } = await open({ key: undefined });
      await page.getByLabel("API key").fill(tested.key);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("heading", { name: "Home" }).waitFor();
      await page.reload();
      await page.getByRole("heading", { name: "Home" }).waitFor();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.reload();
      await page.getByLabel("API key").waitFor();
      expect(await page.evaluate("sessionStorage.length + localStorage.length")).toBe(0);
      await close();
    });

    it("says that a wrong key is not known", async () => {
      const { page, close } = await open({ key: undefined });
      await page.getByLabel("API key").fill("kioku_wrong");
      await page.getByRole("button", { name: "Sign in" }).click();
      expect(await page.getByRole("alert").textContent()).toContain("does not know this key");
      await close();
    });

    it("takes the key from the link that npm start prints, and removes it from the address", () =>
      within(async ({ page }) => {
        expect(page.url()).toBe(`${tested.url}/`);
        expect(await page.evaluate("history.length")).toBeLessThanOrEqual(2);
      }));

    it("ends when the key is revoked", async () => {
      const created = await tested.kioku.keys.create({ tenant: (await readTenant()) ?? "" });
      const { page, visit, close } = await open({ key: created.key });
      await tested.kioku.keys.delete(created.id);
      await visit("memories");
      await page.getByLabel("API key").waitFor();
      expect(await page.getByRole("alert").textContent()).toContain("no longer works");
      await close();
    });

    it("shows the administration alone to the admin key", () =>
      within(
        async ({ page }) => {
          await page.getByRole("heading", { name: "Checks" }).waitFor();
          expect(await page.getByRole("navigation").getByRole("link").allTextContents()).toEqual(["Admin"]);
        },
        { key: service.admin.key ?? "" },
      ));
  });

  it("shows a key that is bound to a user what is theirs, without errors", async () => {
    const tenant = (await readTenant()) ?? "";
    const bound = await tested.kioku.keys.create({ tenant, bind: { user_id: "mia" } });
    await within(
      async ({ page, visit }) => {
        for (const view of ["", "memories", "sessions", "users/mia", "graph/user_mia"]) {
          await visit(view);
          expect(await page.getByRole("alert").count(), view).toBe(0);
        }
        const { id } = await tested.kioku.episodes.create({
          user_id: "mia",
          context: { goal: "Answer Mia" },
          outcome: "success",
        });
        await visit(`experience/${id}`);
        await page.getByRole("heading", { name: "Answer Mia", level: 1 }).waitFor();
        await visit("admin");
        await page.getByText("This key does not show it").waitFor();
        const views = await page.getByRole("navigation").getByRole("link").allTextContents();
        expect(views).toEqual(["Home", "Memories", "Sessions", "Users", "Graph", "SPARQL"]);
      },
      { key: bound.key },
    );
  });

  async function readTenant(): Promise<string | null> {
    return (await tested.kioku.request("GET", "/v1/keys/self")).tenant;
  }
});
