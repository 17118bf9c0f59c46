// The YAML front matter of a Markdown document. The `yaml` package parses it: files of others use every notation of YAML
// (block texts, quotes, comments), and its errors have a line. Rendering is done here, in the plain subset that every
// YAML parser reads alike.
import { Lexer, parseDocument } from "yaml";
import { fail, invalidField, ok, type Result } from "../../kernel/errors";
import { isJsonObject } from "../../kernel/json";

/** A value of the front matter. All scalars are texts, as in the reference implementation of Agent Skills. */
type FrontMatterValue = string | string[] | Record<string, string>;

/** A document in two parts; `values` is null without front matter. */
type SplitDocument = { values: Record<string, unknown> | null; body: string };

const OPENING = /^---[ \t]*\n/;
const CLOSING = /^---[ \t]*(?:\n|$)/m;

/** Splits a document with normalised line endings into its front matter and its body. */
export function parseFrontMatter(markdown: string): Result<SplitDocument> {
  const opening = OPENING.exec(markdown)?.[0];
  if (opening === undefined) return ok({ values: null, body: markdown });
  const rest = markdown.slice(opening.length);
  const closing = CLOSING.exec(rest);
  if (closing === null) return failYaml("", "is not closed: end the front matter with a line ---");
  const values = parseYaml(rest.slice(0, closing.index));
  return values.ok
    ? ok({ values: values.value, body: rest.slice(closing.index + closing[0].length) })
    : values;
}

function parseYaml(text: string): Result<Record<string, unknown>> {
  const excess = findExcess(text);
  if (excess !== null) return failAt(text, excess, "nested too deeply or too long");
  const document = parseDocument(text, { schema: "failsafe", prettyErrors: false, logLevel: "error" });
  const [error] = document.errors;
  if (error !== undefined)
    return failAt(text, text.slice(0, error.pos[0]).split("\n").length - 1, error.message);
  const values: unknown = document.toJS() ?? {};
  return isJsonObject(values)
    ? ok(values)
    : failYaml("", 'must be fields of the form "name: value", one per line');
}

/** Tokens of a front matter with the most metadata and tools, and some more. */
const MOST_TOKENS = 5_000;
/** A list in brackets within a list, and a list of mappings. No field has more. */
const MOST_OPEN = 2;
/** The lexer's mark of a scalar, whose text is the next token. */
const SCALAR = "\u001f";

/**
 * Returns the line, from 0, where YAML has too many tokens, nested values or aliases; null if it has not. The parser
 * recurses into values and compares all keys: a hostile text of a few kilobytes would exhaust the stack of the Worker, or
 * its time.
 */
function findExcess(text: string): number | null {
  let [tokens, line, open, indicators] = [0, 0, 0, 0];
  let before = "";
  for (const token of new Lexer().lex(text)) {
    const isText = before === SCALAR;
    before = token;
    tokens += 1;
    if (!isText) {
      if (token === "[" || token === "{") open += 1;
      else if (token === "]" || token === "}") open -= 1;
      else if (open === 0 && [":", "-", "?"].includes(token)) indicators += 1;
      else if (token.startsWith("\n")) indicators = 0;
      if (open > MOST_OPEN || indicators > MOST_OPEN || token.startsWith("*")) return line;
    }
    if (tokens > MOST_TOKENS) return line;
    line += token.split("\n").length - 1;
  }
  return null;
}

/** Names the field of a line, from 0. Most errors are a text with a colon and without quotes. */
function failAt(text: string, line: number, problem: string): Result<never> {
  const lines = text.split("\n").slice(0, line + 1);
  const field = lines.findLast((one) => /^[\w-]+[ \t]*:/.test(one))?.split(":", 1)[0] ?? "";
  // The opening line of the front matter is the first.
  const at = `line ${line + 2}: ${problem}`;
  const fix = "put a text with a colon, a # or quotes into double quotes";
  return failYaml(field.trim(), `is not valid YAML (${at}): ${fix}`);
}

function failYaml(field: string, message: string): Result<never> {
  if (field !== "") return invalidField(field, message);
  return fail("invalid_request", `The front matter ${message}.`, { errors: [{ path: "", message }] });
}

export function renderFrontMatter(values: Readonly<Record<string, FrontMatterValue | undefined>>): string {
  const lines = Object.entries(values).flatMap(([key, value]) => {
    if (value === undefined) return [];
    if (typeof value === "string") return [`${key}: ${renderScalar(value)}`];
    if (Array.isArray(value)) return [`${key}:`, ...value.map((item) => `  - ${renderScalar(item)}`)];
    return [
      `${key}:`,
      ...Object.entries(value).map(([name, text]) => `  ${renderScalar(name)}: ${renderScalar(text)}`),
    ];
  });
  return `---\n${lines.join("\n")}\n---\n`;
}

/** Texts that need no quotes in any version of YAML. */
const PLAIN = /^[a-zA-Z][a-zA-Z0-9_./()']*(?:[ ,;-]{1,2}[a-zA-Z0-9_./()']+)*[.)]?$/;
/** Texts that some parsers take for another type. */
const TYPED = /^(?:true|false|yes|no|on|off|null|y|n)$/i;
/** Characters that some versions of YAML take for line ends or do not allow. */
const ESCAPED = /[\u007f-\u009f\u00ad\u2028\u2029\ufeff\ufffe\uffff]/g;

function renderScalar(text: string): string {
  if (PLAIN.test(text) && !TYPED.test(text)) return text;
  return (
    JSON.stringify(text)
      .replace(ESCAPED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)
      // Some readers look for the closing line with a plain search.
      .replaceAll("---", "\\x2d\\x2d\\x2d")
  );
}
