import assert from "node:assert/strict";
import { test } from "node:test";
import { formatPrice } from "./price.mjs";

test("a price from a form is formatted", () => {
  assert.equal(formatPrice("3.5"), "3.50 €");
});
