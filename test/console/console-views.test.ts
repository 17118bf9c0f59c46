// Home, Users, Experience and Admin in the console.
import { describe, expect, it } from "vitest";
import { Kioku } from "../../client/index";
import { describeConsole } from "./support/describe-console";

await describeConsole("the other views of the console", (tested) => {
  const { within } = tested;

  describe("the other views", () => {
    it("Home connects a program with the real address and key, and draws what was stored by day", () =>
      within(async ({ page, visit }) => {
        await visit("");
        await page.getByRole("tab", { name: "MCP" }).click();
        const snippet = await page.getByRole("region", { name: "MCP" }).textContent();
        expect(snippet).toContain(`${tested.url}/mcp`);
        expect(snippet).toContain(tested.key);
        await page.locator(".chart canvas").first().waitFor();
        const chart = page.locator(".chart").first();
        expect(await chart.locator("figcaption").textContent()).toContain("in 30 days");
        await chart.locator(".u-over").hover();
        expect(await chart.locator("figcaption").textContent()).toMatch(/messages \d+\w{3}, \d+ \w{3} \d{4}/);
        const stored = page.getByRole("img", { name: /^Memories and messages by day: \d+ memories/ });
        expect(await stored.count()).toBe(1);
        expect(
          await page.getByText("everything is indexed").or(page.getByText("not indexed yet")).count(),
        ).toBe(1);
        expect(await page.getByRole("link", { name: "API reference" }).first().getAttribute("href")).toBe(
          "/docs",
        );
      }));

    it("Home leads from what an agent said to why it knew it", () =>
      within(async ({ page, visit }) => {
        await visit("");
        await page.getByRole("searchbox", { name: "What did the agent say?" }).fill("staging runs on Fly");
        await page.keyboard.press("Enter");
        const hits = page.getByRole("list", { name: "Hits" }).getByRole("listitem");
        const hit = hits.filter({ hasText: "The staging server is Fly" });
        await hit.getByRole("link", { name: "Why", exact: true }).click();
        await page.getByRole("region", { name: "From the sources to what came of it" }).waitFor();
        await page.getByRole("heading", { name: "The staging server is Fly", level: 1 }).waitFor();
      }));

    it("Users says that the timeline of a user has more than it shows", () =>
      within(async ({ page, visit }) => {
        const memories = Array.from({ length: 51 }, (_, index) => ({
          content: `Parcel ${index} has the number ${index * 7_919}`,
          user_id: "collector",
        }));
        await tested.kioku.rememberMany({ memories });
        await visit("users/collector");
        await page.getByText("These are the newest 50 of each.").waitFor();
        await visit("users/alex");
        expect(await page.getByText("These are the newest").count()).toBe(0);
      }));

    it("Users shows a profile, and erases a person with a receipt", () =>
      within(async ({ page, visit }) => {
        await visit("users/ben");
        await page.getByText("I live in Faro.").first().waitFor();
        await page.getByRole("button", { name: "Erase the user" }).click();
        await page.getByRole("button", { name: "Erase for good" }).click();
        await page.getByText("Erased.").waitFor();
        const { data } = await tested.kioku.users.list().page();
        expect(data.map(({ id }) => id)).not.toContain("ben");
      }));

    it("Experience draws outcomes, settles a contradiction, and previews a briefing", () =>
      within(async ({ page, visit }) => {
        await visit("experience");
        await page.locator(".chart canvas").waitFor();
        expect(await page.getByText("anti-pattern", { exact: true }).count()).toBeGreaterThan(0);
        const side = page.locator(".cards .columns > div", { hasText: "harbour bank" });
        await side.getByRole("button", { name: "Keep this one" }).click();
        await page.getByText("There is nothing to settle.").waitFor();
        await page.getByLabel("Goal of the task").fill("Fix the flaky checkout test");
        await page.getByRole("button", { name: "Brief" }).click();
        await page.getByRole("region", { name: "The briefing" }).waitFor();
      }));

    it("Experience shows a few of many patterns, so that the rest of the page stays in reach", () =>
      within(async ({ page, visit }) => {
        const project_id = "many-patterns";
        for (let index = 0; index < 8; index += 1)
          await tested.kioku.patterns.create({
            project_id,
            pattern: `Check list ${index} before the release of part ${index * 31}`,
            category: "release",
          });
        await visit(`experience?project=${project_id}`);
        const cards = page.locator(".cards-grid > li");
        expect(await cards.count()).toBe(6);
        await page.getByRole("button", { name: "Load more" }).first().click();
        await expect.poll(() => cards.count()).toBe(8);
      }));

    it("Experience opens an episode: what was done, its errors, and what was learnt from it", () =>
      within(async ({ page, visit, findViolations }) => {
        const project_id = "attempts";
        const attempt = {
          project_id,
          user_id: "mia",
          agent: "ada",
          context: { goal: "Renew the certificate of the shop", files_involved: ["ops/tls.conf"] },
          action_log: [{ t: 5, action: "run_command", target: "certbot renew", error: "The port is taken" }],
          errors_encountered: [
            { type: "port conflict", message: "80 is in use", resolution: "Stop the proxy first" },
          ],
          outcome: "failure" as const,
          duration_seconds: 90,
        };
        const { id } = await tested.kioku.episodes.create(attempt);
        await tested.kioku.episodes.create(attempt);
        const { anti_patterns } = await tested.kioku.consolidate({ project_id });
        await visit(`experience?project=${project_id}`);
        await page.locator(`a[href="#/experience/${id}"]`).click();
        await page.getByRole("heading", { name: attempt.context.goal, level: 1 }).waitFor();
        expect(await page.title()).toBe(`${attempt.context.goal} · Kioku`);
        await expect.poll(() => page.locator("main .loading").count()).toBe(0);
        const text = await page.locator("main").textContent();
        for (const part of [
          "failure",
          "took 90 s",
          "certbot renew",
          "The port is taken",
          "80 is in use",
          "Resolved: Stop the proxy first",
          "ops/tls.conf",
          "part of project attempts",
        ])
          expect(text).toContain(part);
        expect(await findViolations()).toEqual([]);

        // What was learnt leads back to the episode, by its sources and by the graph.
        await page.locator(`a[href="#/memories/${anti_patterns[0]}"]`).click();
        const why = page.getByRole("region", { name: "From the sources to what came of it" });
        await why.locator(`a[href="#/experience/${id}"]`).click();
        await page.getByRole("link", { name: "Show in the graph" }).click();
        await page.getByRole("heading", { name: attempt.context.goal, level: 2 }).waitFor();
        await page.getByRole("link", { name: "Open" }).click();
        await page.getByRole("heading", { name: attempt.context.goal, level: 1 }).waitFor();

        await visit("experience/ep-unknown");
        await page.getByRole("alert").waitFor();
        expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Episode");
        expect(await page.title()).toBe("Episode · Kioku");
      }));

    it("Admin creates a key that is bound and shown once, rotates and revokes it", () =>
      within(async ({ page, visit }) => {
        await visit("admin");
        await page.getByRole("button", { name: "Create a key" }).click();
        await page.getByLabel("Name").fill("for the test");
        await page.getByLabel("Project").fill("shop");
        await page.getByRole("button", { name: "Create", exact: true }).click();
        const shown = page.getByRole("region", { name: "The new key" });
        await shown.waitFor();
        const secret = (await shown.textContent()) ?? "";
        const created = new Kioku({ url: tested.url, key: secret, retries: 0 });
        expect(await created.request("GET", "/v1/keys/self")).toMatchObject({ bind: { project_id: "shop" } });
        const row = page.getByRole("row", { name: "for the test" });
        expect(await row.textContent()).toContain("project shop");
        await row.getByRole("button", { name: "Rotate" }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
        await expect.poll(() => shown.textContent()).not.toBe(secret);
        // The rotated key works for another hour: the list has both, once it is loaded again.
        await expect.poll(() => row.count()).toBe(2);
        for (const left of [1, 0]) {
          await row.first().getByRole("button", { name: "Revoke" }).click();
          await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
          await expect.poll(() => row.count()).toBe(left);
        }
        await expect(created.usage()).rejects.toMatchObject({ code: "unauthorized" });
      }));
  });

  it("Admin adds a webhook, whose secret is shown once, and deletes it", () =>
    within(async ({ page, visit }) => {
      await visit("admin");
      await page.getByRole("button", { name: "Add a webhook" }).click();
      await page.getByLabel("URL").fill("https://example.com/kioku");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByRole("region", { name: "The secret of the webhook" }).waitFor();
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.getByText("None. A webhook tells").waitFor();
      expect((await tested.kioku.webhooks.list()).data).toEqual([]);
    }));

  it("opens a user and a session by the id, however long the lists are", () =>
    within(async ({ page, visit }) => {
      for (const [view, what, id] of [
        ["users", "user", "mia"],
        ["sessions", "session", tested.month.liveSession],
      ]) {
        await visit(view ?? "");
        await page.getByRole("searchbox", { name: `Open a ${what} by its id` }).fill(id ?? "");
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: id ?? "", level: 1 }).waitFor();
      }
    }));

  it("keeps the button that copies code off the code on a phone", () =>
    within(
      async ({ page, visit }) => {
        await visit("");
        const top = (await page.evaluate(`(() => {
          const range = document.createRange();
          range.selectNodeContents(document.querySelector(".code pre"));
          return range.getBoundingClientRect().top;
        })()`)) as number;
        const button = await page.locator(".code-copy").first().boundingBox();
        expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThanOrEqual(top);
      },
      { width: 390 },
    ));
});
