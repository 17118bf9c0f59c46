// The console in a real browser, against the running service with a month of data: one browser and one tenant for all.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Kioku } from "../../client/index";
import { launchBrowser } from "../../scripts/lib/launch-browser";
import { serviceUnderTest } from "../conformance/support/service";
import { type ConsoleOptions, type OpenedConsole, openConsole } from "./support/console-page";
import { HOSTILE_TEXTS, loadMonth, type Month } from "./support/month";

const service = serviceUnderTest();
const launched = await launchBrowser();
const reason = typeof launched === "string" ? `, skipped: ${launched}` : "";

describe.skipIf(typeof launched === "string")(`the console in a browser${reason}`, () => {
  let url: string;
  let key: string;
  let kioku: Kioku;
  let month: Month;

  const open = (options: Partial<ConsoleOptions> = {}): Promise<OpenedConsole> => {
    if (typeof launched === "string") throw new Error(launched);
    return openConsole(launched, { url, key, ...options });
  };

  /** Opens the console, does something with it, and checks that nothing went wrong meanwhile. */
  async function within(
    work: (opened: OpenedConsole) => Promise<void>,
    options: Partial<ConsoleOptions> = {},
  ): Promise<void> {
    const opened = await open(options);
    await work(opened);
    await opened.close();
  }

  beforeAll(async () => {
    const tenant = await service.tenant({ scopes: ["read", "write", "admin"] });
    url = tenant.url("");
    key = tenant.key ?? "";
    kioku = new Kioku({ url, key });
    month = await loadMonth(kioku);
  });

  afterAll(async () => {
    if (typeof launched !== "string") await launched.close();
  });

  describe("signing in", () => {
    it("takes a pasted key, keeps it in the tab, and forgets it on signing out", async () => {
      const { page, close } = await open({ key: undefined });
      await page.getByLabel("API key").fill(key);
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
        expect(page.url()).toBe(`${url}/`);
        expect(await page.evaluate("history.length")).toBeLessThanOrEqual(2);
      }));

    it("ends when the key is revoked", async () => {
      const created = await kioku.keys.create({ tenant: (await readTenant()) ?? "" });
      const { page, visit, close } = await open({ key: created.key });
      await kioku.keys.delete(created.id);
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
    const bound = await kioku.keys.create({ tenant, bind: { user_id: "mia" } });
    await within(
      async ({ page, visit }) => {
        for (const view of ["", "memories", "sessions", "users/mia", "graph/user_mia"]) {
          await visit(view);
          expect(await page.getByRole("alert").count(), view).toBe(0);
        }
        const { id } = await kioku.episodes.create({
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
    return (await kioku.request("GET", "/v1/keys/self")).tenant;
  }

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
        await kioku.remember({ content: "The museum opens at nine", key: "opening", project_id });
        const before = new Date().toISOString();
        await kioku.remember({ content: "The museum opens at ten", key: "opening", project_id });
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
        await visit(`memories/${month.promotedId}`);
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
          const { memory_id } = await kioku.remember({ content, project_id: "minutes" });
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
          await visit(`memories/${month.changedId}`);
          await why.waitFor();
          expect(await page.getByRole("button", { name: "Show all" }).count()).toBe(0);
        },
        { width: 390 },
      ));

    it("shows the history of its versions, and what rests on it", () =>
      within(async ({ page, visit }) => {
        await visit(`memories/${month.changedId}`);
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
        const { memory_id } = await kioku.remember({ project_id, content: "The gate opens at seven" });
        const before = new Date().toISOString();
        await new Promise((resolve) => setTimeout(resolve, 5));
        await kioku.forget({ memory_id, reason: "It was taken down" });
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
        const { memory_id } = await kioku.remember({ content: "The mascot is an owl", project_id: "zoo" });
        await visit(`memories/${memory_id}`);
        await page.getByRole("button", { name: "Edit" }).click();
        await page.getByLabel("Content").fill("The mascot is a fox");
        await page.getByRole("button", { name: "Save" }).click();
        await page.getByRole("heading", { name: "The mascot is a fox", level: 1 }).waitFor();
        const successor = page.url().split("/").at(-1) ?? "";
        expect(await kioku.memories.get(memory_id)).toMatchObject({ superseded_by: successor });

        await page.getByRole("button", { name: "Forget" }).click();
        await page.getByLabel("Reason (optional)").fill("The mascot was retired");
        await page.getByRole("dialog").getByRole("button", { name: "Forget" }).click();
        await page.getByText("Forgotten", { exact: false }).first().waitFor();
        expect(await kioku.memories.get(successor)).toMatchObject({
          status: "forgotten",
          forget_reason: "The mascot was retired",
        });

        await page.getByRole("button", { name: "Erase" }).click();
        await page.getByRole("button", { name: "Erase for good" }).click();
        await page.getByText("Erased.").waitFor();
        expect(await page.locator(".receipt").textContent()).toContain("memories1");
        await expect(kioku.memories.get(successor)).rejects.toMatchObject({ status: 404 });
      }));
  });

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
        await visit(`sessions/${month.liveSession}`);
        const pending = page.getByText("Mia's parcel of order 1042 arrived broken");
        await pending.waitFor();
        expect(await page.locator(".importance").first().textContent()).toMatch(/recency.*salience/);
        expect(await page.getByRole("timer").textContent()).toMatch(/^in \d+ min$/);
        await kioku.session(month.liveSession).messages.add({
          messages: [{ role: "user", content: "It came by ship, I think." }],
        });
        await page.getByText("It came by ship, I think.").waitFor();
        await kioku.session(month.liveSession).promote();
        await page.getByText("jido.memory.promoted").waitFor();
        await expect.poll(() => pending.count()).toBe(0);
      }));

    it("begins a long conversation at its end, or at the message of the address", () =>
      within(async ({ page, visit }) => {
        const session = kioku.session("long-talk");
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
        const session = kioku.session("salad-bar");
        await session.messages.add({
          user_id: "sam",
          messages: [{ role: "user", content: "I am allergic to sesame." }],
        });
        await session.promote();
        await session.messages.add({
          messages: [{ role: "assistant", content: "There is no sesame in your salad." }],
        });
        await kioku.remember({ user_id: "sam", content: "The salad got sesame after the complaint" });
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
        await visit("sessions/not-yet");
        await page.getByRole("alert").waitFor();
        expect(await page.getByRole("alert").textContent()).toContain("not-yet");
        await kioku.session("not-yet").messages.add({ messages: [{ role: "user", content: "Here I am." }] });
        await page.getByText("Here I am.").waitFor();
        await context.setOffline(true);
        await page.getByText("not connected").waitFor();
        await context.setOffline(false);
        await page.locator(".live-live").waitFor();
      }));

    it("previews what the model would get", () =>
      within(async ({ page, visit }) => {
        await visit(`sessions/${month.liveSession}`);
        await page.getByLabel("Topic of the next turn").fill("account");
        await page.getByRole("button", { name: "Assemble" }).click();
        const prompt = page.getByRole("region", { name: "The prompt" });
        await prompt.waitFor();
        expect(await prompt.textContent()).toContain("harbour bank");
      }));
  });

  describe("the other views", () => {
    it("Home connects a program with the real address and key, and draws what was stored by day", () =>
      within(async ({ page, visit }) => {
        await visit("");
        await page.getByRole("tab", { name: "MCP" }).click();
        const snippet = await page.getByRole("region", { name: "MCP" }).textContent();
        expect(snippet).toContain(`${url}/mcp`);
        expect(snippet).toContain(key);
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
        await kioku.rememberMany({ memories });
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
        const { data } = await kioku.users.list().page();
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
          await kioku.patterns.create({
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
        const { id } = await kioku.episodes.create(attempt);
        await kioku.episodes.create(attempt);
        const { anti_patterns } = await kioku.consolidate({ project_id });
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
        const created = new Kioku({ url, key: secret, retries: 0 });
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
      expect((await kioku.webhooks.list()).data).toEqual([]);
    }));

  describe("the graph", () => {
    it("shows what surrounds a memory, expands by a click in the list, and filters by relation", () =>
      within(async ({ page, visit }) => {
        await visit(`memories/${month.changedId}`);
        await page.getByRole("link", { name: "Show in the graph" }).click();
        await page.getByRole("heading", { name: "The staging server is Fly", level: 2 }).waitFor();
        await page.locator(".graph-canvas canvas").first().waitFor();
        await page.getByRole("button", { name: "shop" }).click();
        await page.getByRole("heading", { name: "shop", level: 2 }).waitFor();
        await expect.poll(() => page.getByText(/\d+ nodes/).textContent()).toMatch(/^[2-9]\d nodes/);
        await page.getByLabel("Relations").selectOption("supersededBy");
        expect(await page.getByText(/\d+ nodes/).textContent()).toMatch(/ 1 relation$/);
      }));

    it("is queried with SPARQL: completion from the ontology, a table, a chart, and errors with their place", () =>
      within(async ({ page, visit }) => {
        await visit("sparql");
        await page.getByRole("button", { name: "Run" }).click();
        const result = page.getByRole("region", { name: "Result" });
        await result.getByRole("cell", { name: "Fact", exact: true }).waitFor();
        expect(await page.locator(".bar").count()).toBeGreaterThan(3);
        const editor = page.getByRole("textbox", { name: "SPARQL query" });
        await editor.fill("PREFIX jido: <https://jido.ai/ontology#> SELECT ?m WHERE { ?m a ");
        await editor.press("End");
        await page.keyboard.type("jido:ArchitecturalDe");
        await page.getByRole("option", { name: "jido:ArchitecturalDecision" }).waitFor();
        await page.keyboard.press("Control+Enter");
        await page.getByRole("alert").waitFor();
        await page.getByLabel("Examples").selectOption("One project as a graph");
        await page.getByRole("button", { name: "Run" }).click();
        await page.locator(".graph-canvas canvas").first().waitFor();
        await page.getByText("Turtle").click();
        await page.getByRole("region", { name: "The graph as Turtle" }).waitFor();
      }));
  });

  it("opens a user and a session by the id, however long the lists are", () =>
    within(async ({ page, visit }) => {
      for (const [view, what, id] of [
        ["users", "user", "mia"],
        ["sessions", "session", month.liveSession],
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

  it("leaves room for the labels beside the nodes of the graph on a phone", () =>
    within(
      async ({ page, visit }) => {
        await visit("graph/project_shop");
        // Cytoscape notes itself at its element.
        const places = `document.querySelector(".graph-canvas")._cyreg?.cy.nodes().map((node) => node.renderedPosition().x)`;
        const read = async () => ((await page.evaluate(places)) as number[] | undefined) ?? [];
        await expect.poll(async () => (await read()).length).toBeGreaterThan(20);
        const width = (await page.locator(".graph-canvas").boundingBox())?.width ?? 0;
        const halfLabel = 50;
        await expect.poll(async () => Math.min(...(await read()))).toBeGreaterThan(halfLabel);
        expect(Math.max(...(await read()))).toBeLessThan(width - halfLabel);
      },
      { width: 390 },
    ));

  describe("SPARQL", () => {
    it("labels each day of a chart once", () =>
      within(async ({ page, visit }) => {
        await page.addInitScript(`
          globalThis.drawn = new Set();
          const { fillText } = CanvasRenderingContext2D.prototype;
          CanvasRenderingContext2D.prototype.fillText = function (...args) {
            globalThis.drawn.add(args[0] + " at " + Math.round(args[1]));
            return fillText.apply(this, args);
          };`);
        await page.reload();
        const query =
          'SELECT ?day ?count WHERE { VALUES (?day ?count) { ("2026-11-13" 3) ("2026-11-14" 5) } }';
        await visit(`sparql?query=${encodeURIComponent(query)}`);
        await page.getByRole("button", { name: "Run" }).click();
        await page.locator(".chart canvas").waitFor();
        const read = async () =>
          ((await page.evaluate("[...globalThis.drawn]")) as string[]).filter((text) =>
            text.startsWith("13 Nov"),
          );
        await expect.poll(async () => (await read()).length).toBe(1);
      }));

    it("has examples that answer for any tenant", async () => {
      const tenant = await service.tenant();
      const owned = new Kioku({ url, key: tenant.key ?? "" });
      const project_id = "zoo";
      await owned.remember({ content: "The zoo opens at nine", key: "opening", project_id });
      await owned.remember({ content: "The zoo opens at ten", key: "opening", project_id });
      await owned.remember({ content: "The zoo sells no day tickets", type: "decision", project_id });
      await within(
        async ({ page, visit }) => {
          await visit("sparql");
          const examples = page.getByLabel("Examples");
          for (const name of await examples.locator("option").allTextContents()) {
            await examples.selectOption(name);
            await page.getByRole("button", { name: "Run" }).click();
            await page.getByText(/[1-9]\d* (rows?|nodes?)/).waitFor();
            expect(await page.getByRole("alert").count(), name).toBe(0);
          }
        },
        { key: tenant.key ?? "" },
      );
    });

    it("stops a query that takes long, and shows no answer of an earlier one", () =>
      within(async ({ page, visit }) => {
        await visit("sparql");
        await page.getByRole("button", { name: "Run" }).click();
        const result = page.getByRole("region", { name: "Result" });
        await result.waitFor();
        await page.route("**/v1/sparql", () => {});
        await page.getByRole("button", { name: "Run" }).click();
        await page.getByRole("button", { name: "Stop" }).click();
        await expect.poll(() => page.getByRole("button", { name: "Run" }).isEnabled()).toBe(true);
        expect(await result.count()).toBe(0);
        expect(await page.getByRole("alert").count()).toBe(0);
      }));
  });

  describe("whatever is stored", () => {
    it("stays text: hostile memories are shown, and run nothing", () =>
      within(async ({ page, visit }) => {
        await visit("memories?project=hostile");
        const shown = await page.locator(".card-title").allTextContents();
        expect(shown.toSorted()).toEqual(HOSTILE_TEXTS.toSorted());
        for (const { id } of (await kioku.memories.list({ project_id: "hostile" }).page()).data)
          await visit(`memories/${id}`);
        expect(await page.locator("main img, main script").count()).toBe(0);
      }));

    it("fits the screen of a phone, however long its words are", () =>
      within(
        async ({ page, visit }) => {
          const word = "x".repeat(400);
          const { memory_id } = await kioku.remember({
            content: word,
            user_id: "long",
            tags: [word.slice(0, 64)],
          });
          const session = kioku.session("long-words");
          await session.messages.add({ user_id: "long", messages: [{ role: "user", content: word }] });
          await session.context.put("current_task", { value: { word }, source: "tool", confidence: 0.9 });
          const episode = await kioku.episodes.create({
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
            `memories/${month.promotedId}`,
            `memories/${month.changedId}`,
            "sessions",
            `sessions/${month.liveSession}`,
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
            await page.goto(`${url}${path}`);
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
