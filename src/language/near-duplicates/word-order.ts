// Compares the word order of two statements of the same words: "Ana pays Tom" is not "Tom pays Ana".
// Orders count as equal only where a known grammatical transformation leads from one to the other.
import type { Token } from "./scan-words";

/** A token of a statement, with an id that it shares with its counterpart in the other statement. */
export type AlignedToken = { token: Token; id: number };

export function hasSameOrder(a: readonly AlignedToken[], b: readonly AlignedToken[]): boolean {
  const [activeA, activeB] = unifyVoice(a, b);
  const [x, y] = [normaliseOrder(activeA), normaliseOrder(activeB)];
  return (
    equalIds(x, y) ||
    // "Ana was paid" in the active voice begins with the verb: a rotation would make it "Ana paid".
    (activeA === a && activeB === b && (isRotation(x, y) || isRotation(y, x))) ||
    listCompoundOrders(x, y).some((order) => equalIds(order, y)) ||
    listCompoundOrders(y, x).some((order) => equalIds(order, x))
  );
}

function equalIds(a: readonly AlignedToken[], b: readonly AlignedToken[]): boolean {
  return a.length === b.length && a.every(({ id }, at) => id === b[at]?.id);
}

/** Turns passive sentences into active ones where the other statement has the same verb in the active voice. */
function unifyVoice(
  a: readonly AlignedToken[],
  b: readonly AlignedToken[],
): [readonly AlignedToken[], readonly AlignedToken[]] {
  const isPassive = ({ token: { form } }: AlignedToken) => form === "passive" || form === "undergoing";
  const isActive = (id: number, tokens: readonly AlignedToken[]) =>
    tokens.some((token) => token.id === id && !isPassive(token));
  const verbA = a.find((token) => isPassive(token) && isActive(token.id, b));
  const verbB = b.find((token) => isPassive(token) && isActive(token.id, a));
  return [verbA === undefined ? a : toActive(a, verbA), verbB === undefined ? b : toActive(b, verbB)];
}

/** Turns "Reports are sent by Ana on Monday" into "Ana send reports on Monday". */
function toActive(tokens: readonly AlignedToken[], verb: AlignedToken): AlignedToken[] {
  const at = tokens.indexOf(verb);
  const subject = tokens.slice(0, at);
  const rest = tokens.slice(at + 1);
  const by = rest.findIndex(({ token }) => token.link === "by");
  if (by < 0) return [verb, ...subject, ...rest];
  const after = rest.findIndex(({ token }, index) => index > by && (token.link !== "" || token.pause));
  const end = after < 0 ? rest.length : after;
  return [...rest.slice(by, end), verb, ...subject, ...rest.slice(0, by), ...rest.slice(end)];
}

/** Drops the only adverb and the only time of a statement, which have no fixed position, and sorts "Ana and Tom". */
function normaliseOrder(tokens: readonly AlignedToken[]): AlignedToken[] {
  const kept = [isTime, isAdverb].reduce(
    (rest, moves) => {
      const others = rest.filter(({ token }) => !moves(token));
      return others.length === rest.length - 1 ? others : rest;
    },
    [...tokens],
  );
  for (let at = 1; at < kept.length; at += 1) {
    const [before, current] = [kept[at - 1], kept[at]];
    if (before === undefined || current === undefined || before.id < current.id) continue;
    if (current.token.link !== "and" || current.token.follows) continue;
    // Anywhere else, "and" may begin another clause: "Tom pays Ana and Bob pays Eva".
    const isList = at === 1 || at === kept.length - 1;
    const hasQuantity = before.token.kind === "quantity" || current.token.kind === "quantity";
    if (isList && !hasQuantity) [kept[at - 1], kept[at]] = [current, before];
  }
  return kept;
}

const isAdverb = ({ text }: Token): boolean =>
  /.{4}ly$/.test(text) && !/^(?:supply|family|assembly)$/.test(text);
const isTime = ({ text }: Token): boolean =>
  /^=(?:\w*day|\d\d:|\d*-?\d\d-|month)|^(?:dai|night|week|month|year|hour)ly$/.test(text);

/**
 * Detects one clause moved from the end to the front: "We lose data if it fails" and "If it fails, we lose data".
 * The function word moves with its clause: "it rained as we left" is not "we left as it rained". A clause after
 * "then" or a colon cannot move. Two numbers exclude a rotation: "Ana 5, Bob 3" could turn into "5 Bob, 3 Ana".
 */
function isRotation(a: readonly AlignedToken[], b: readonly AlignedToken[]): boolean {
  if (a.length < MIN_ROTATED_TOKENS || a.length !== b.length) return false;
  if (a.filter(({ token }) => token.kind === "quantity").length > 1) return false;
  const at = a.findIndex(({ id }) => id === b[0]?.id);
  const [first, moved, after] = [b[0]?.token, a[at]?.token, b[a.length - at]?.token];
  if (at < 1 || moved === undefined || after === undefined || moved.follows || after.follows) return false;
  const moves = moved.link === "" ? moved.pause : moved.link === first?.link || SWAP_LINK.test(moved.link);
  return moves && equalIds([...a.slice(at), ...a.slice(0, at)], b);
}

/** Links around which clauses swap: "The port is Kiel" and "Kiel is the port"; "logs show that it fails". */
const SWAP_LINK = /^(?:is|are|am|was|were|that|and)$/;

/** Two words alone are subject and predicate: "Anna, Bob" has no rotation. */
const MIN_ROTATED_TOKENS = 3;

const COMPOUND_LINK = /^(?:of|for|in|at|to|on|from)$/;

/** Returns the orders with one "support for IE11" as "IE11 support", where the other statement has the compound. */
function listCompoundOrders(
  tokens: readonly AlignedToken[],
  other: readonly AlignedToken[],
): AlignedToken[][] {
  return tokens.flatMap(({ token }, at) => {
    const head = tokens[at - 1];
    // A verb heads no compound: "dancing on a stage" is not "staging a dance".
    if (head?.token.form !== "base" || !COMPOUND_LINK.test(token.link)) return [];
    const otherHead = other.findIndex(({ id }) => id === head.id);
    const last = tokens.findIndex(({ id }) => id === other[otherHead - 1]?.id);
    const part = tokens.slice(at, last + 1);
    if (
      other[otherHead]?.token.link !== "" ||
      part.length === 0 ||
      part.slice(1).some((each) => each.token.link !== "")
    ) {
      return [];
    }
    return [[...tokens.slice(0, at - 1), ...part, head, ...tokens.slice(last + 1)]];
  });
}
