// Sessions in the console.
import { describe, expect, it } from "vitest";
import { describeConsole } from "./support/describe-console";

await describeConsole("sessions in the console", (tested) => {
  const { within } = tested;

  describe("sessions", () => {
    it("lists them with filters, by status", () =>
      within(async ({ page, visit }) => {
        await visit("sessions");
        await page.getByLabel("Status").selectOption("closed");
        await expect.poll(() => page.locator("tbody tr").count()).toBe(5);
        expect(await page.locator("tbody").textContent()).not.toContain("active");
      }));

    it("shows one live: new messages, the promotion of pending memories, and its signal", () =>
      within(async ({ page, visit }) => {
        await visit(`sessions/${tested.month.liveSession}`);
        const pending = page.getByText("Mia's parcel of order 1042 arrived broken");
        await pending.waitFor();
        expect(await page.locator(".importance").first().textContent()).toMatch(/recency.*salience/);
        expect(await page.getByRole("timer").textContent()).toMatch(/^in \d+ min$/);
        await tested.kioku.session(tested.month.liveSession).messages.add({
          messages: [{ role: "user", content: "It came by ship, I think." }],
        });
        await page.getByText("It came by ship, I think.").waitFor();
        await tested.kioku.session(tested.month.liveSession).promote();
        await page.getByText("jido.memory.promoted").waitFor();
        await expect.poll(() => pending.count()).toBe(0);
      }));

    it("begins a long conversation at its end, or at the message of the address", () =>
      within(async ({ page, visit }) => {
        const session = tested.kioku.session("long-talk");
        await session.messages.add({
          messages: Array.from({ length: 60 }, (_, index) => ({
            role: "user" as const,
            content: `Message ${index + 1} of the talk.`,
          })),
        });
        await visit("sessions/long-talk");
        const isVisible = async (text: string) => {
          const box = await page.getByText(text, { exact: true }).boundingBox();
          return box !== null && box.y >= 0 && box.y + box.height <= 900;
        };
        await expect.poll(() => isVisible("Message 60 of the talk.")).toBe(true);
        const below = await page.getByRole("heading", { name: "What the model would get" }).boundingBox();
        expect(below?.y).toBeLessThan(900);
        const { data } = await session.messages.list().page({ limit: 6 });
        await visit(`sessions/long-talk?message=${data.at(-1)?.id}`);
        await expect.poll(() => isVisible("Message 6 of the talk.")).toBe(true);
        await visit("sessions/long-talk?message=unknown");
        await page.getByText("The message is no longer here").waitFor();
      }));

    it("leads from an answer of the agent to what it could know at that time", () =>
      within(async ({ page, visit }) => {
        const session = tested.kioku.session("salad-bar");
        await session.messages.add({
          user_id: "sam",
          messages: [{ role: "user", content: "I am allergic to sesame." }],
        });
        await session.promote();
        await session.messages.add({
          messages: [{ role: "assistant", content: "There is no sesame in your salad." }],
        });
        await tested.kioku.remember({ user_id: "sam", content: "The salad got sesame after the complaint" });
        await visit("sessions/salad-bar");
        const hits = page.getByRole("list", { name: "Hits" }).getByRole("listitem");
        const follow = async () => {
          await page.getByRole("link", { name: "What it could know" }).click();
          await expect
            .poll(() => hits.allTextContents())
            .toEqual([expect.stringContaining("I am allergic to sesame.")]);
        };
        await follow();
        await visit("memories?user=sam&query=no+sesame+in+your+salad");
        await follow();
      }));

    it("says why one cannot be read, and shows it once it can be", () =>
      within(async ({ page, context, visit }) => {
        // The console asks again after seconds: they pass at once.
        await page.clock.install();
        const passUntil = (shown: ReturnType<typeof page.locator>) =>
          expect
            .poll(async () => {
              await page.clock.runFor(1_000);
              return shown.count();
            })
            .toBeGreaterThan(0);
        await visit("sessions/not-yet");
        await page.getByRole("alert").waitFor();
        expect(await page.getByRole("alert").textContent()).toContain("not-yet");
        await tested.kioku
          .session("not-yet")
          .messages.add({ messages: [{ role: "user", content: "Here I am." }] });
        await passUntil(page.getByText("Here I am."));
        await context.setOffline(true);
        await passUntil(page.getByText("not connected"));
        await context.setOffline(false);
        await passUntil(page.locator(".live-live"));
      }));

    it("previews what the model would get", () =>
      within(async ({ page, visit }) => {
        await visit(`sessions/${tested.month.liveSession}`);
        await page.getByLabel("Topic of the next turn").fill("account");
        await page.getByRole("button", { name: "Assemble" }).click();
        const prompt = page.getByRole("region", { name: "The prompt" });
        await prompt.waitFor();
        expect(await prompt.textContent()).toContain("harbour bank");
      }));
  });
});
