// Where a masked text stands unmasked.
import { describe, expect, it } from "vitest";
import { findLongestLiteral, maskAll, replaceUnmasked } from "../../../src/trust/privacy/replace-unmasked";

const TOKEN = "ghp_Qm3vT8wZr1XyLk5NbC7dJf0HsGaPeUo2Ri4W";
const CARD = "4111 1111 1111 1111";

describe("an unmasked text", () => {
  it.each([
    [`Use ${TOKEN} here`, `So: Use ${TOKEN} here.`, "So: X."],
    [`${TOKEN} opens it`, `a ${TOKEN} opens it, b ${TOKEN} opens it`, "a X, b X"],
    [
      `It is ${TOKEN}`,
      `Mail a@example.org: It is ${TOKEN}! a@example.org`,
      "Mail a@example.org: X! a@example.org",
    ],
    [`Pay with ${CARD} or ${TOKEN}`, `Pay with ${CARD} or ${TOKEN}`, "X"],
    [`Use ${TOKEN} here`, `Use ${CARD} here`, `Use ${CARD} here`],
    [`Use ${TOKEN} here`, "Use a key here", "Use a key here"],
  ])("of %o in %o", (memory, text, expected) => {
    expect(replaceUnmasked(text, maskAll(memory), "X")).toBe(expected);
  });

  it("has the longest part between the masks in it", () => {
    expect(findLongestLiteral(maskAll(`Use ${TOKEN} in the release job`))).toBe(" in the release job");
    expect(findLongestLiteral("[secret:jwt]")).toBe("");
  });
});
