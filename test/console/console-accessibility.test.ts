// The console by keyboard, for screen readers, on every screen, and without the service.
import { describe, expect, it } from "vitest";
import { describeConsole } from "./support/describe-console";

await describeConsole("the console for everyone", (tested) => {
  const { service, within } = tested;

  it("says that the service does not answer, and continues when it does", () =>
    within(async ({ page, context, visit }) => {
      await visit("sessions");
      await context.setOffline(true);
      await page.getByText("You are offline.").waitFor();
      await page.getByRole("link", { name: "Users" }).click();
      await page.getByRole("alert").waitFor();
      expect(await page.getByRole("alert").textContent()).toContain("does not answer");
      await context.setOffline(false);
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("link", { name: "mia" }).waitFor();
    }));

  it("can be used by keyboard: skips the navigation, and follows to the next view", () =>
    within(async ({ page, visit }) => {
      await visit("");
      const findFocused = () => page.evaluate("document.activeElement.id");
      const [first] = await page.locator("a, button, select").all();
      expect(await first?.textContent()).toBe("Skip to content");
      await first?.press("Enter");
      await expect.poll(findFocused).toBe("main");
      await page.getByRole("link", { name: "Sessions", exact: true }).press("Enter");
      await page.getByRole("heading", { name: "Sessions", level: 1 }).waitFor();
      await expect.poll(findFocused).toBe("main");
    }));

  describe("every view is accessible and fits its screen", () => {
    const SCREENS = [
      ["light", 1_360],
      ["dark", 390],
    ] as const;

    it.each(SCREENS)("in the %s theme at %i px", (theme, width) =>
      within(
        async ({ page, visit, findViolations }) => {
          const views = [
            "",
            "memories",
            "memories?query=staging",
            `memories/${tested.month.promotedId}`,
            `memories/${tested.month.changedId}`,
            "sessions",
            `sessions/${tested.month.liveSession}`,
            "users",
            "users/mia",
            "experience",
            "graph/project_shop",
            "sparql",
            "admin",
          ];
          for (const view of views) {
            await visit(view);
            expect(await findViolations(), view).toEqual([]);
            expect(await page.evaluate("document.documentElement.scrollWidth"), view).toBeLessThanOrEqual(
              width,
            );
          }
        },
        { theme, width },
      ));

    it.each(SCREENS)("signed out, and empty, in the %s theme at %i px", async (theme, width) => {
      await within(async ({ findViolations }) => expect(await findViolations()).toEqual([]), {
        theme,
        width,
        key: undefined,
      });
      const empty = await service.tenant();
      await within(
        async ({ page, visit, findViolations }) => {
          for (const view of ["", "memories", "sessions", "users", "experience", "graph", "sparql"]) {
            await visit(view);
            expect(await findViolations(), view).toEqual([]);
          }
          await visit("memories");
          expect(await page.getByRole("region", { name: "Store a memory" }).textContent()).toContain(
            empty.key,
          );
        },
        { theme, width, key: empty.key ?? "" },
      );
    });

    it.each(SCREENS)("the pages of the ontology, in the %s theme at %i px", (theme, width) =>
      within(
        async ({ page, findViolations }) => {
          for (const path of ["/ontology", "/ontology/Decision", "/ontology/supersededBy"]) {
            await page.goto(`${tested.url}${path}`);
            expect(await findViolations(), path).toEqual([]);
            expect(await page.evaluate("document.documentElement.scrollWidth"), path).toBeLessThanOrEqual(
              width,
            );
          }
        },
        { theme, width },
      ));
  });
});
