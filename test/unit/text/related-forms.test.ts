// A query also finds the adjective of a noun, and the noun of an adjective, but not a short word that only looks like one.
import { expect, it } from "vitest";
import { extractSearchTerms } from "../../../src/language/words/query-terms";

it.each([
  ["allergy", ["allergy", "allergic"]],
  ["allergies", ["allergies", "allergic"]],
  ["historic", ["historic", "history"]],
  ["Italy", ["italy"]],
  ["italic", ["italic"]],
  ["rustic", ["rustic"]],
  ["ladies", ["ladies"]],
  ["policy", ["policy"]],
  ["prosaic", ["prosaic"]],
])("%s is searched as %j", (query, forms) => {
  expect(extractSearchTerms(query).flatMap((term) => term.forms)).toEqual(forms);
});
