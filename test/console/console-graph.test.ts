// The graph and SPARQL in the console.
import { describe, expect, it } from "vitest";
import { Kioku } from "../../client/index";
import { describeConsole } from "./support/describe-console";

await describeConsole("the graph in the console", (tested) => {
  const { service, within } = tested;

  describe("the graph", () => {
    it("shows what surrounds a memory, expands by a click in the list, and filters by relation", () =>
      within(async ({ page, visit }) => {
        await visit(`memories/${tested.month.changedId}`);
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
      const owned = new Kioku({ url: tested.url, key: tenant.key ?? "" });
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
});
