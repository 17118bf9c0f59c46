import assert from "node:assert/strict";
import { test } from "node:test";
import { applyDiscount } from "./discount.mjs";

test("a discount applies to a price from a form", () => {
  assert.equal(applyDiscount("80", 25), 60);
});
