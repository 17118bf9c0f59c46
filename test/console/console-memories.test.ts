// Memories in the console: lists, recall, one memory, and whatever text is stored.
import { describe, expect, it } from "vitest";
import { describeConsole } from "./support/describe-console";
import { HOSTILE_TEXTS } from "./support/month";

await describeConsole("memories in the console", (tested) => {
  const { open, within } = tested;

  describe("memories", () => {
    it("lists the newest, and more of them on demand", () =>
      within(async ({ page, visit }) => {
        await visit("memories");
        const cards = page.getByRole("list", { name: "Newest memories" }).getByRole("listitem");
        await expect.poll(() => cards.count()).toBe(50);
        await page.getByRole("button", { name: "Load more" }).click();
        await expect.poll(() => cards.count()).toBeGreaterThan(50);
      }));

    it("recalls by a question, and explains each hit by its signals", () =>
      within(async ({ page, visit }) => {
        await visit("memories");
        await page.getByRole("searchbox", { name: "Recall" }).fill("Which smoke tests must pass?");
        await page.keyboard.press("Enter");
        const first = page.getByRole("list", { name: "Hits" }).getByRole("listitem").first();
        expect(await first.textContent()).toContain("We deploy on Fridays only");
        await first.getByText(/^score/).click();
        const signals = (await first.textContent()) ?? "";
        expect(signals).toMatch(/lexical\d\.\d\d/);
        expect(signals).toContain("Words in common with the query");
        // Signals of little weight say so, and have the bars of what they add.
        expect(signals).toMatch(/recency\d\.\d\d × 0\.15/);
        expect(page.url()).toContain("query=Which+smoke+tests");
      }));

    it("filters by type, tag, user and status", () =>
      within(async ({ page, visit }) => {
        await visit("memories?project=shop&type=risk");
        const cards = page.getByRole("list", { name: "Newest memories" }).getByRole("listitem");
        expect(await cards.allTextContents()).toEqual([expect.stringContaining("may rate-limit us")]);
        await visit("memories?tag=backend");
        expect(await cards.count()).toBe(4);
        await visit("memories?project=shop&status=superseded");
        expect(await cards.allTextContents()).toEqual([expect.stringContaining("Hetzner")]);
        await visit("memories?user=nobody");
        expect(await page.getByText("No memory passes these filters").count()).toBe(1);
      }));

    it("shows what was known at the time of a slider, by pointer, keyboard and address", () =>
      within(async ({ page, visit }) => {
        const project_id = "museum";
        await tested.kioku.remember({ content: "The museum opens at nine", key: "opening", project_id });
        const before = new Date().toISOString();
        await tested.kioku.remember({ content: "The museum opens at ten", key: "opening", project_id });
        const cards = page.getByRole("list", { name: "Newest memories" }).getByRole("listitem");
        await visit(`memories?project=${project_id}&as_of=${before}`);
        expect(await cards.allTextContents()).toEqual([expect.stringContaining("opens at nine")]);
        await visit(`memories?project=${project_id}&query=When+does+it+open&as_of=${before}`);
        const hits = page.getByRole("list", { name: "Hits" }).getByRole("listitem");
        expect(await hits.allTextContents()).toEqual([expect.stringContaining("opens at nine")]);
        await hits.getByRole("link", { name: "The museum opens at nine" }).click();
        await page.getByText("As it was on").waitFor();
        expect(await page.getByRole("button", { name: "Forget" }).count()).toBe(0);

        await visit(`memories?project=${project_id}`);
        const slider = page.getByRole("slider", { name: "What was known at" });
        expect(await slider.getAttribute("aria-valuetext")).toBe("now");
        await slider.press("PageDown");
        await page.getByText("No memory passes these filters").waitFor();
        expect(page.url()).toMatch(/as_of=\d{4}-/);
        await page.reload();
        await page.getByText("No memory passes these filters").waitFor();
        expect(await slider.getAttribute("aria-valuetext")).not.toBe("now");
        await page.getByRole("button", { name: "Now", exact: true }).click();
        await expect.poll(() => cards.allTextContents()).toEqual([expect.stringContaining("opens at ten")]);
        expect(page.url()).not.toContain("as_of");
        await slider.press("ArrowLeft");
        await expect.poll(() => page.url()).toContain("as_of");
        await slider.press("End");
        await expect.poll(() => page.url()).not.toContain("as_of");
      }));

    it("says when nothing is known", () =>
      within(async ({ page, visit }) => {
        await visit("memories?query=quantum+chromodynamics+of+gluons&user=ben");
        await page.getByText("Nothing is known about this").waitFor();
      }));
  });

  describe("one memory", () => {
    it("shows why it exists, from the message to the promotion with its importance", () =>
      within(async ({ page, visit }) => {
        await visit(`memories/${tested.month.promotedId}`);
        const why = page.getByRole("region", { name: "From the sources to what came of it" });
        const text = await why.textContent();
        for (const part of [
          "alex in",
          "Promotion from a session",
          "importance",
          "salience",
          "extracted by rules",
        ])
          expect(text).toContain(part);
        expect(await why.locator("path").count()).toBe(2);
        await why.getByRole("link", { name: /^visit-/ }).click();
        const source = page.locator(".message[aria-current]");
        await source.waitFor();
        expect(text).toContain((await source.locator(".message-text").textContent()) ?? "");
      }));

    it("says that there is none, below a heading", () =>
      within(async ({ page, visit, findViolations }) => {
        await visit("memories/00000000000000000000000000000000");
        await page.getByRole("alert").waitFor();
        expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Memory");
        expect(await findViolations()).toEqual([]);
      }));

    it("cuts a long one on a phone, so that why it exists stays in reach, until all of it is asked for", () =>
      within(
        async ({ page, visit, findViolations }) => {
          const content = Array.from({ length: 40 }, (_, line) => `Line ${line + 1} of the minutes.`).join(
            "\n",
          );
          const { memory_id } = await tested.kioku.remember({ content, project_id: "minutes" });
          await visit(`memories/${memory_id}`);
          const why = page.getByRole("heading", { name: "Why" });
          const isInReach = async () => ((await why.boundingBox())?.y ?? Number.POSITIVE_INFINITY) < 900;
          expect(await isInReach()).toBe(true);
          // It is cut for the eye alone.
          expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(content);
          const more = page.getByRole("button", { name: "Show all" }).first();
          expect(await more.getAttribute("aria-expanded")).toBe("false");
          expect(await findViolations()).toEqual([]);
          await more.press("Enter");
          expect(await isInReach()).toBe(false);
          const less = page.getByRole("button", { name: "Show less" });
          expect(await less.getAttribute("aria-expanded")).toBe("true");
          await less.press("Space");
          expect(await isInReach()).toBe(true);
          await visit(`memories/${tested.month.changedId}`);
          await why.waitFor();
          expect(await page.getByRole("button", { name: "Show all" }).count()).toBe(0);
        },
        { width: 390 },
      ));

    it("shows the history of its versions, and what rests on it", () =>
      within(async ({ page, visit }) => {
        await visit(`memories/${tested.month.changedId}`);
        expect(await page.locator(".timeline li").allTextContents()).toEqual([
          expect.stringContaining("The staging server is Hetzner"),
          expect.stringContaining("The staging server is Fly"),
        ]);
        expect(await page.getByText("no other support").count()).toBe(1);
        await page.getByText("Triples").click();
        await page.getByRole("cell", { name: "The staging server is Fly" }).first().waitFor();
      }));

    it("shows what had come of it by an earlier time", () =>
      within(async ({ page, visit }) => {
        const project_id = "as-of-why";
        const { memory_id } = await tested.kioku.remember({ project_id, content: "The gate opens at seven" });
        const before = new Date().toISOString();
        await new Promise((resolve) => setTimeout(resolve, 5));
        await tested.kioku.forget({ memory_id, reason: "It was taken down" });
        const why = page.getByRole("region", { name: "From the sources to what came of it" });
        await visit(`memories/${memory_id}`);
        await why.getByText("It was taken down").waitFor();
        await visit(`memories/${memory_id}?as_of=${before}`);
        await why.getByText("The gate opens at seven").waitFor();
        const then = await why.textContent();
        expect(then).not.toContain("It was taken down");
        expect(then).toContain("live");
      }));

    it("is edited, forgotten with a reason, and erased with a receipt", () =>
      within(async ({ page, visit }) => {
        const { memory_id } = await tested.kioku.remember({
          content: "The mascot is an owl",
          project_id: "zoo",
        });
        await visit(`memories/${memory_id}`);
        await page.getByRole("button", { name: "Edit" }).click();
        await page.getByLabel("Content").fill("The mascot is a fox");
        await page.getByRole("button", { name: "Save" }).click();
        await page.getByRole("heading", { name: "The mascot is a fox", level: 1 }).waitFor();
        const successor = page.url().split("/").at(-1) ?? "";
        expect(await tested.kioku.memories.get(memory_id)).toMatchObject({ superseded_by: successor });

        await page.getByRole("button", { name: "Forget" }).click();
        await page.getByLabel("Reason (optional)").fill("The mascot was retired");
        await page.getByRole("dialog").getByRole("button", { name: "Forget" }).click();
        await page.getByText("Forgotten", { exact: false }).first().waitFor();
        expect(await tested.kioku.memories.get(successor)).toMatchObject({
          status: "forgotten",
          forget_reason: "The mascot was retired",
        });

        await page.getByRole("button", { name: "Erase" }).click();
        await page.getByRole("button", { name: "Erase for good" }).click();
        await page.getByText("Erased.").waitFor();
        expect(await page.locator(".receipt").textContent()).toContain("memories1");
        await expect(tested.kioku.memories.get(successor)).rejects.toMatchObject({ status: 404 });
      }));
  });

  describe("whatever is stored", () => {
    it("stays text: hostile memories are shown, and run nothing", () =>
      within(async ({ page, visit }) => {
        await visit("memories?project=hostile");
        const shown = await page.locator(".card-title").allTextContents();
        expect(shown.toSorted()).toEqual(HOSTILE_TEXTS.toSorted());
        for (const { id } of (await tested.kioku.memories.list({ project_id: "hostile" }).page()).data)
          await visit(`memories/${id}`);
        expect(await page.locator("main img, main script").count()).toBe(0);
      }));

    it("fits the screen of a phone, however long its words are", () =>
      within(
        async ({ page, visit }) => {
          const word = "x".repeat(400);
          const { memory_id } = await tested.kioku.remember({
            content: word,
            user_id: "long",
            tags: [word.slice(0, 64)],
          });
          const session = tested.kioku.session("long-words");
          await session.messages.add({ user_id: "long", messages: [{ role: "user", content: word }] });
          await session.context.put("current_task", { value: { word }, source: "tool", confidence: 0.9 });
          const episode = await tested.kioku.episodes.create({
            context: { goal: word },
            action_log: [{ action: word, target: word, error: word, [word.slice(0, 60)]: word }],
            errors_encountered: [{ type: word.slice(0, 100), message: word, resolution: word }],
            outcome: "failure",
          });
          for (const view of [
            "",
            "memories?user=long",
            `memories/${memory_id}`,
            "sessions/long-words",
            "users/long",
            "experience",
            `experience/${episode.id}`,
            `graph/memory_${memory_id}`,
          ]) {
            await visit(view);
            expect(await page.evaluate("document.documentElement.scrollWidth"), view).toBeLessThanOrEqual(
              390,
            );
          }
        },
        { width: 390 },
      ));

    it("cannot become markup, because the policy of the page forbids it", async () => {
      const { page, context } = await open();
      await expect(page.evaluate("document.body.innerHTML = '<b>bold</b>'")).rejects.toThrow("TrustedHTML");
      await context.close();
    });
  });
});
