// What a repository's method declares decides whether its arguments pass the privacy gate, whatever its name.
import { describe, expect, it } from "vitest";
import { type DeclaredRepositories, declareMethods } from "../../../src/kernel/declare-methods";
import { FailureError, ok } from "../../../src/kernel/errors";
import { createPrivacyGate } from "../../../src/trust/privacy/privacy-gate";
import { DEFAULT_PRIVACY } from "../../../src/trust/privacy/privacy-policy";

const TOKEN = "ghp_Qm3vT8wZr1XyLk5NbC7dJf0HsGaPeUo2Ri4W";
const SAID = { text: `Deploy with ${TOKEN}.` };
const MASKED = { text: "Deploy with [secret:github_token]." };
const ADDRESS = { text: "Write to eva@example.org." };

/** A tenant whose policy refuses e-mail addresses, but in the project `open`. */
const refusing = { ...DEFAULT_PRIVACY, personal_data: { ...DEFAULT_PRIVACY.personal_data, email: "refuse" } };
const gate = createPrivacyGate({
  lookUp: (projectId) => (projectId === "open" ? DEFAULT_PRIVACY : (refusing as typeof DEFAULT_PRIVACY)),
  refuses: true,
});
const { reads, writes, writesEach, removes, unmasked, opens } = declareMethods({ gate });

type Said = { text: string };
const echo = async (...said: Said[]) => said;

describe("a declared method", () => {
  it("is masked if it writes, also under the name of a read", async () => {
    const repository = { countBriefing: writes(echo), findOrCreate: writes(echo) };
    expect(await repository.countBriefing(SAID, SAID)).toEqual([MASKED, MASKED]);
    expect(await repository.findOrCreate(SAID)).toEqual([MASKED]);
  });

  it("is masked where invisible characters interrupt a value", async () => {
    const [token, flag] = [
      `Deploy with ${TOKEN.slice(0, 9)}\u200b\u00ad${TOKEN.slice(9)}.`,
      "Caf\u00e9 \u{1f468}\u200d\u{1f469}",
    ];
    expect(await writes(echo)({ text: token }, { text: flag })).toEqual([MASKED, { text: flag }]);
  });

  it("keeps its arguments if it reads, also under the name of a write", async () => {
    const repository = { save: reads(echo) };
    const [said] = await repository.save(SAID);
    expect(said).toBe(SAID);
  });

  it("is refused by the policy if it writes, and masked if it removes", async () => {
    expect(() => writes(echo)(ADDRESS)).toThrow(FailureError);
    expect(await removes(echo)(ADDRESS)).toEqual([{ text: "Write to [personal:email]." }]);
  });

  it("refuses one item of a list, and stores the others", async () => {
    const calls: Said[][] = [];
    const save = writesEach(async (items: readonly Said[]) => {
      calls.push([...items]);
      return items.map((item) => ok(item));
    });
    const [first, refused, last] = await save([SAID, ADDRESS, { text: "Fine." }]);
    expect(first).toEqual(ok(MASKED));
    expect(refused).toMatchObject({ ok: false, failure: { code: "unprocessable" } });
    expect(last).toEqual(ok({ text: "Fine." }));
    await save([ADDRESS]);
    expect(calls).toEqual([[MASKED, { text: "Fine." }]]);
  });

  it("stores its arguments as they are if it says so", async () => {
    expect(await unmasked(echo)(SAID, ADDRESS)).toEqual([SAID, ADDRESS]);
  });

  it("masks what a function among its arguments returns later", async () => {
    const change = writes(async (build: (before: Said) => Said) => build({ text: "" }));
    expect(await change(() => SAID)).toEqual(MASKED);
  });

  it("applies the policy of the project that its repository was opened for", async () => {
    const open = opens((owner: { project_id: string; name: string }) => {
      const methods = declareMethods({ gate }, owner.project_id);
      return { name: methods.reads(() => owner.name), save: methods.writes(echo) };
    });
    expect(await open({ project_id: "open", name: "" }).save(ADDRESS)).toEqual([ADDRESS]);
    expect(() => open({ project_id: "other", name: "" }).save(ADDRESS)).toThrow(FailureError);
    expect(open({ project_id: "open", name: TOKEN }).name()).toBe("[secret:github_token]");
  });
});

it("only declared methods make up a repository", () => {
  const declared = { notes: { find: reads(echo), save: writes(echo) } } satisfies DeclaredRepositories;
  // @ts-expect-error -- `erase` declares nothing.
  const forgotten = { notes: { ...declared.notes, erase: echo } } satisfies DeclaredRepositories;
  // @ts-expect-error -- a repository is opened by a declared method.
  const opened = { open: () => declared.notes } satisfies DeclaredRepositories;
  // @ts-expect-error -- what a method opens is a repository.
  const strange = { open: opens(() => ({ erase: echo })) } satisfies DeclaredRepositories;
  expect([forgotten, opened, strange]).toHaveLength(3);
});
