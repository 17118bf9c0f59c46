// Recall in languages other than English: ranking and silence on test/data/scripts.json, spellings that mean the same,
// and texts that the embedder cannot read.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { RecallInput } from "../../../src/memories/memory-schemas";
import sets from "../../data/scripts.json";
import { asking, forgetModel, newSemanticTenant, said } from "../semantic-support";
import { newTenant, rebuild, type Tenant } from "../store/long-term-support";

beforeEach(forgetModel);

async function keepAll(t: Tenant, contents: readonly string[]): Promise<void> {
  await t.store().memories.commit(contents.map((content) => t.write({ content })));
}

async function find(t: Tenant, query: string): Promise<string[]> {
  const { hits } = await t.search().recall({ kind: "session", id: t.session }, RecallInput.parse({ query }));
  return hits.map(({ content }) => content);
}

/** The questions whose answer is first, and the hits of all questions without an answer. */
const EXPECTED = {
  ja: { first: 13, hits: 0 },
  zh: { first: 14, hits: 0 },
  th: { first: 14, hits: 0 },
  de: { first: 14, hits: 0 },
  ar: { first: 14, hits: 0 },
  ru: { first: 14, hits: 1 },
} as const;

describe.each(Object.entries(sets))("questions in %s", (language, { facts, questions, unanswerable }) => {
  const { first, hits } = EXPECTED[language as keyof typeof EXPECTED];

  it(`have their answer among the first three hits, and ${first} of 14 as the first`, async () => {
    const t = await newTenant();
    await keepAll(t, facts);
    const ranks = [];
    for (const [question, fact] of questions as [string, number][])
      ranks.push((await find(t, question)).indexOf(facts[fact] ?? ""));
    expect(ranks).toHaveLength(14);
    expect(ranks.filter((rank) => rank < 0 || rank > 2)).toEqual([]);
    expect(ranks.filter((rank) => rank === 0).length).toBeGreaterThanOrEqual(first);
  });

  it(`have at most ${hits} hits in all if nothing answers them`, async () => {
    const t = await newTenant();
    await keepAll(t, facts);
    const found = [];
    for (const question of unanswerable) found.push(...(await find(t, question)));
    expect(found.length).toBeLessThanOrEqual(hits);
  });
});

describe("spellings of one word", () => {
  it.each([
    ["cafe", "Das Café öffnet um neun"],
    ["café", "The cafe opens at nine"],
    ["Wo ist die Hauptstrasse?", "Die Hauptstraße ist gesperrt"],
    ["Wo ist die Hauptstraße?", "Die Hauptstrasse ist gesperrt"],
    ["Wer ist Herr Mueller?", "Herr Müller ist der Hausmeister"],
    ["Wer ist Herr Müller?", "Herr Mueller ist der Hausmeister"],
    ["Welche Bücher?", "Ein Buch über Vögel"],
    ["елка", "Ёлка стоит в зале"],
    ["ёлка", "Елка стоит в зале"],
    ["столица", "Мы гуляли по столице"],
    ["μουσικη", "Η μουσική παίζει"],
    ["tiếng việt", "Tieng Viet"],
    ["مدرسة", "ذهبنا إلى المَدْرَسَةِ"],
    ["احمد", "أحمد يسكن في دمشق"],
    ["ﾃﾆｽ", "毎週テニスをします"],
    ["JR", "ＪＲで通勤します"],
    ["コーヒー", "朝はコーヒーを飲みます"],
    ["น้ำ", "น้ำดื่มอยู่ในตู้เย็น"],
    ["ລາວ", "ຂ້ອຍຮຽນພາສາລາວ"],
    ["កាហ្វេ", "ខ្ញុំចូលចិត្តកាហ្វេ"],
    ["ကော်ဖီ", "ကျွန်တော်ကော်ဖီကြိုက်တယ်"],
    ["Welche Verbindungen?", "Die Datenbankverbindung läuft über PgBouncer"],
    ["Rustで何を書く", "バックエンドはRustで書きます"],
  ])("%s finds: %s", async (query, text) => {
    const t = await newTenant();
    await keepAll(t, [text, "Something else entirely", "Noch ein anderer Satz"]);
    expect((await find(t, query))[0]).toBe(text);
  });
});

describe("a text that is not indexed in its folded form", () => {
  const TREE = "Ёлка стоит в столице";

  it("is found after a rebuild, in all its forms", async () => {
    const t = await newTenant();
    await keepAll(t, [TREE, "Нечто совсем другое"]);
    await env.DB.prepare(
      `INSERT OR REPLACE INTO memories_fts (rowid, scope, content, rationale)
      SELECT m.seq, '', m.content, '' FROM memories m WHERE m.tenant = ?`,
    )
      .bind(t.tenant)
      .run();
    const findAnywhere = async (query: string) => {
      const request = RecallInput.parse({ query, mode: "text", sources: ["memories"] });
      const { hits } = await t.search().recall({ kind: "tenant" }, request);
      return hits.map(({ content }) => content);
    };
    expect(await findAnywhere("ёлка")).toEqual([]);
    await rebuild(t.tenant);
    expect(await findAnywhere("ёлка")).toEqual([TREE]);
    expect(await findAnywhere("елка")).toEqual([TREE]);
    expect(await findAnywhere("столице")).toEqual([TREE]);
    expect(await findAnywhere("столицу")).toEqual([TREE]);
  });
});

describe("texts that the embedder cannot read", () => {
  const UNREADABLE = /\p{Script=Han}/u;

  async function newReader() {
    const t = await newSemanticTenant({ on: "embedded", minRelatedCosine: 0.25 });
    t.embedder.unreadable = UNREADABLE;
    return t;
  }

  it("get no vector, and do not stay in the backlog", async () => {
    const t = await newReader();
    const id = await t.keep("我养的狗叫豆豆");
    const car = await t.keep("Her car is red");
    await t.say([said("m1", "会议纪要"), said("m2", "The garden needs water")]);
    expect(await t.indexed()).toBeNull();
    expect(await t.waiting()).toEqual([]);
    expect(t.embedder.embedded.filter((text) => UNREADABLE.test(text))).toEqual([]);
    expect(await t.nearest("automobile")).toEqual([car]);
    expect((await t.nearest("garden", {}, "message")).length).toBe(1);
    expect(await t.nearest("我养的狗叫豆豆")).not.toContain(id);
  });

  it("lose the vector of a version that could read them", async () => {
    const t = await newSemanticTenant({ on: "embedded" });
    const id = await t.keep("小狗 automobile");
    await t.indexed();
    expect(await t.nearest("automobile")).toEqual([id]);
    t.embedder.unreadable = UNREADABLE;
    await t.store.memories.forget(
      { memory_id: id, reason: null, replacement_id: null },
      { anyOf: null, isLimit: false, binding: {} },
      null,
    );
    await t.indexed();
    expect(await t.nearest("automobile")).toEqual([]);
  });

  it("leave a search by meaning complete, although they have no vectors", async () => {
    const t = await newReader();
    await t.keep("我养的狗叫豆豆");
    const car = await t.keep("Her car is red");
    const before = await t.search.recall({ kind: "session", id: t.session }, asking("automobile"));
    expect(before).toMatchObject({ mode: "semantic", degraded: null, hasUnindexed: false });
    await t.indexed();
    const after = await t.search.recall({ kind: "session", id: t.session }, asking("automobile"));
    expect(after).toMatchObject({ mode: "semantic", degraded: null, hasUnindexed: false });
    expect(after.hits.map(({ id }) => id)).toEqual([car]);
  });

  it.each([
    "hybrid",
    "semantic",
  ] as const)("are found by text in mode %s, which is reported", async (mode) => {
    const t = await newReader();
    const id = await t.keep("我养的狗叫豆豆");
    await t.keep("会议纪要保存到飞书文档");
    const found = await t.search.recall({ kind: "session", id: t.session }, asking("狗叫什么名字", { mode }));
    expect(found.hits.map((hit) => hit.id)).toEqual([id]);
    expect(found).toMatchObject({
      mode: "text",
      degraded: "The embedder fake@1 cannot read the language of the query. Answered by text.",
      hasUnindexed: false,
    });
    const nothing = await t.search.recall({ kind: "session", id: t.session }, asking("股票价格", { mode }));
    expect(nothing.hits).toEqual([]);
  });
});
