// Whether two statements of the same words give them the same parts: "Ana pays Tom" is not "Tom pays Ana".
// Orders are taken as equal only where grammar explains the difference; everything else counts as another meaning.
import type { Token } from "./parse-statement";

/** A token of a statement, with an id that it shares with its counterpart in the other one. */
export type Placed = { token: Token; id: number };

export function sameOrder(a: readonly Placed[], b: readonly Placed[]): boolean {
  const [activeA, activeB] = voiced(a, b);
  const [x, y] = [steady(activeA), steady(activeB)];
  return (
    equal(x, y) ||
    // "Ana was paid" turned active begins with the verb: rotated, it would be "Ana paid".
    (activeA === a && activeB === b && (isRotation(x, y) || isRotation(y, x))) ||
    compounded(x, y).some((order) => equal(order, y)) ||
    compounded(y, x).some((order) => equal(order, x))
  );
}

function equal(a: readonly Placed[], b: readonly Placed[]): boolean {
  return a.length === b.length && a.every(({ id }, at) => id === b[at]?.id);
}

/** Passive sentences as active ones, where the other statement has the same verb in the active. */
function voiced(a: readonly Placed[], b: readonly Placed[]): [readonly Placed[], readonly Placed[]] {
  const isPassive = ({ token: { form } }: Placed) => form === "passive" || form === "undergoing";
  const isActive = (id: number, tokens: readonly Placed[]) =>
    tokens.some((placed) => placed.id === id && !isPassive(placed));
  const verbA = a.find((placed) => isPassive(placed) && isActive(placed.id, b));
  const verbB = b.find((placed) => isPassive(placed) && isActive(placed.id, a));
  return [verbA === undefined ? a : active(a, verbA), verbB === undefined ? b : active(b, verbB)];
}

/** "Reports are sent by Ana on Monday" as "Ana send reports on Monday". */
function active(tokens: readonly Placed[], verb: Placed): Placed[] {
  const at = tokens.indexOf(verb);
  const subject = tokens.slice(0, at);
  const rest = tokens.slice(at + 1);
  const by = rest.findIndex(({ token }) => token.link === "by");
  if (by < 0) return [verb, ...subject, ...rest];
  const after = rest.findIndex(({ token }, place) => place > by && (token.link !== "" || token.pause));
  const end = after < 0 ? rest.length : after;
  return [...rest.slice(by, end), verb, ...subject, ...rest.slice(0, by), ...rest.slice(end)];
}

/** The only adverb or time in a statement may stand anywhere; "Ana and Tom" are "Tom and Ana". */
function steady(tokens: readonly Placed[]): Placed[] {
  const kept = [isTime, isAdverb].reduce(
    (rest, moves) => {
      const others = rest.filter(({ token }) => !moves(token));
      return others.length === rest.length - 1 ? others : rest;
    },
    [...tokens],
  );
  for (let at = 1; at < kept.length; at += 1) {
    const [before, placed] = [kept[at - 1], kept[at]];
    if (before === undefined || placed === undefined || before.id < placed.id) continue;
    if (placed.token.link !== "and" || placed.token.follows) continue;
    // Anywhere else, "and" may begin another clause: "Tom pays Ana and Bob pays Eva".
    const list = at === 1 || at === kept.length - 1;
    const plain = before.token.kind !== "quantity" && placed.token.kind !== "quantity";
    if (list && plain) [kept[at - 1], kept[at]] = [placed, before];
  }
  return kept;
}

const isAdverb = ({ text }: Token): boolean =>
  /.{4}ly$/.test(text) && !/^(?:supply|family|assembly)$/.test(text);
const isTime = ({ text }: Token): boolean =>
  /^=(?:\w*day|\d\d:|\d*-?\d\d-|month)|^(?:dai|night|week|month|year|hour)ly$/.test(text);

/**
 * "We lose data if it fails" and "If it fails, we lose data": one piece moved from the end to the front, with the
 * function word that it begins with: "it rained as we left" is not "we left as it rained". What comes after "then" or
 * a colon comes second. With two numbers, "Ana 5, Bob 3" could turn into "5 Bob, 3 Ana".
 */
function isRotation(a: readonly Placed[], b: readonly Placed[]): boolean {
  if (a.length < SHORTEST_MOVED || a.length !== b.length) return false;
  if (a.filter(({ token }) => token.kind === "quantity").length > 1) return false;
  const at = a.findIndex(({ id }) => id === b[0]?.id);
  const [first, moved, after] = [b[0]?.token, a[at]?.token, b[a.length - at]?.token];
  if (at < 1 || moved === undefined || after === undefined || moved.follows || after.follows) return false;
  const moves = moved.link === "" ? moved.pause : moved.link === first?.link || STAYS.test(moved.link);
  return moves && equal([...a.slice(at), ...a.slice(0, at)], b);
}

/** "The port is Kiel" and "Kiel is the port"; "logs show that it fails" and "it fails, as logs show". */
const STAYS = /^(?:is|are|am|was|were|that|and)$/;

/** Of two words, the one is said of the other: "Anna, Bob" may not be turned. */
const SHORTEST_MOVED = 3;

const JOINS = /^(?:of|for|in|at|to|on|from)$/;

/** The orders with one "support for IE11" as "IE11 support", where the other statement has it without a join. */
function compounded(tokens: readonly Placed[], other: readonly Placed[]): Placed[][] {
  return tokens.flatMap(({ token }, at) => {
    const head = tokens[at - 1];
    // A verb heads no compound: "dancing on a stage" is not "staging a dance".
    if (head?.token.form !== "base" || !JOINS.test(token.link)) return [];
    const place = other.findIndex(({ id }) => id === head.id);
    const last = tokens.findIndex(({ id }) => id === other[place - 1]?.id);
    const part = tokens.slice(at, last + 1);
    if (
      other[place]?.token.link !== "" ||
      part.length === 0 ||
      part.slice(1).some((each) => each.token.link !== "")
    ) {
      return [];
    }
    return [[...tokens.slice(0, at - 1), ...part, head, ...tokens.slice(last + 1)]];
  });
}
