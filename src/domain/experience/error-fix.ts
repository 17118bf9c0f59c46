// An error and its fix as one text, `error: fix`. The colon that parts them is the first one before a space, outside
// code; a backslash takes a character's meaning away.
import type { CommonError } from "../../schemas/skill";

const TOKEN = /\\.|(`+)(?!`).*?[^`]\1(?!`)|`+|(?<parts>:(?=\s|$))|[^\\`:]+|./gs;
const MEANINGFUL = /[\\`:*]/g;
/** As many people write it: the error in bold, the colon in it or behind it. */
const IN_BOLD = /^\*\*([^*]+?)(?::\*\*|\*\*:)(?=\s|$)(.*)$/s;

export function joinError({ error, fix }: CommonError): string {
  const plain = `${error}: ${fix}`;
  const read = splitError(plain);
  if (read?.error === error && read.fix === fix) return plain;
  return `${error.replace(MEANINGFUL, "\\$&")}: ${fix}`;
}

/** Null when nothing parts the two. */
export function splitError(text: string): CommonError | null {
  const [, bold, rest = ""] = IN_BOLD.exec(text) ?? [];
  if (bold !== undefined) return { error: bold.trim(), fix: rest.trim() };
  let error = "";
  for (const { 0: token, index, groups } of text.matchAll(TOKEN)) {
    if (groups?.parts !== undefined) return { error: error.trim(), fix: text.slice(index + 1).trim() };
    error += /^\\[\\`:*]$/.test(token) ? token.slice(1) : token;
  }
  return null;
}
