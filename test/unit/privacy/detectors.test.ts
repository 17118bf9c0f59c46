// The detectors of the privacy gate: labelled lines, and what masking does to a text.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { measureDetection } from "../../../bench/lib/measure-detection";
import {
  createMaskReport,
  hasSecret,
  listMasked,
  maskSecrets,
  maskValues,
} from "../../../src/trust/privacy/mask-values";
import { DEFAULT_PRIVACY, mergePrivacy } from "../../../src/trust/privacy/privacy-policy";
import dev from "../../data/privacy-dev.json";
import held from "../../data/privacy-held.json";

describe.each([
  ["dev", dev],
  ["held", held],
])("on the labelled lines of the %s set", (_, lines) => {
  const { byKind, total } = measureDetection(lines);

  it("nearly every finding is right, and nearly every value found", () => {
    expect(total.precision).toBeGreaterThanOrEqual(0.98);
    expect(total.recall).toBeGreaterThanOrEqual(0.97);
  });

  it.each([...byKind])("most values of %s are found", (_kind, { precision, recall }) => {
    expect(precision).toBeGreaterThanOrEqual(0.8);
    expect(recall).toBeGreaterThanOrEqual(0.7);
  });
});

const lines = [...dev, ...held].map(({ text }) => text);

describe("masking", () => {
  it("leaves nothing of a secret, and masking again changes nothing", () => {
    for (const text of lines) {
      const masked = maskSecrets(text);
      expect(maskSecrets(masked)).toBe(masked);
    }
  });

  it("changes nothing but the values, whatever stands around them", () => {
    const token = "ghp_Qm3vT8wZr1XyLk5NbC7dJf0HsGaPeUo2Ri4W";
    fc.assert(
      fc.property(
        fc.constantFrom("", "Say: ", '{"a":"', "\n", "(", "漢字 "),
        fc.constantFrom("", ".", '"}', "\n", ")"),
        (before, after) => {
          expect(maskSecrets(before + token + after)).toBe(`${before}[secret:github_token]${after}`);
        },
      ),
    );
  });

  it("masks a private key that is cut off, up to where its lines end", () => {
    const text = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nMore. And then?";
    expect(maskSecrets(text)).toBe("[secret:private_key]. And then?");
  });

  it("judges a member of JSON by its name, and counts it", () => {
    const report = createMaskReport();
    const walk = {
      lookUp: () => DEFAULT_PRIVACY,
      report,
      wrap: (built: (...args: unknown[]) => unknown) => built,
    };
    const value = { db: { password: "hunter2", user: "mia" }, max_tokens: "4096", list: [1, null, "plain"] };
    expect(maskValues(value, walk, null)).toEqual({
      ...value,
      db: { password: "[secret:password]", user: "mia" },
    });
    expect(listMasked(report)).toEqual([{ kind: "password", count: 1 }]);
    const same = { list: ["nothing", { here: true }] };
    expect(maskValues(same, walk, null)).toBe(same);
  });

  it("leaves personal data in ids alone, and names the field that it refuses", () => {
    const report = createMaskReport();
    const policy = mergePrivacy(DEFAULT_PRIVACY, { personal_data: { email: "refuse" } });
    const walk = { lookUp: () => policy, report, wrap: (built: (...args: unknown[]) => unknown) => built };
    maskValues({ user_id: "mia@example.org", notes: [{ text: "Ask mia@example.org." }] }, walk, null);
    expect(report.refused).toEqual([{ path: "notes.0.text", kind: "email" }]);
  });
});

describe("a sentence about a secret", () => {
  it.each([
    "My password is swordfish",
    "The api key is in the vault: abc",
    "Use [secret:github_token] there.",
    "Use ghp_abcdef123456 there.",
  ])("is not worth remembering: %s", (sentence) => expect(hasSecret(sentence)).toBe(true));

  it.each(["We rotate keys every quarter.", "The build takes 4 minutes."])("other than %s", (sentence) =>
    expect(hasSecret(sentence)).toBe(false));
});
