// How pieces of episodes are put into sentences: one line, one full stop, and a name for what goes wrong.

export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Without what would double the punctuation that follows. */
export function unstopped(text: string): string {
  return oneLine(text).replace(/[\s.,;:!]+$/, "");
}

export function stopped(text: string): string {
  const line = unstopped(text);
  return line === "" || /[?…]$/.test(line) ? line : `${line}.`;
}

/** A noun for something that is done, and so can fail: "TypeScript compilation", "Type check", "Unit tests". */
const DOING =
  /(?:[a-z](?:tion|sion|ment|ing)s?|\b(?:build|check|compile|deploy|fetch|import|install|lint|login|merge|parse|push|query|release|request|rollback|startup|sync|test|upload|download|upgrade)e?s?)$/i;
/** "Omitting the return type". */
const GERUND =
  /^(?!missing\b|failing\b|pending\b|warning\b|breaking\b|dangling\b|string\b|nothing\b)[a-z]+ing\b/i;
/** It says already that something is wrong, or that something happens. */
const TOLD =
  /\b(?:fail\w*|error\w*|exception|broke\w*|crash\w*|violation|exceeded|denied|refused|missing|is|are|was|were|does|do|has|have|can|cannot|will)\b|n't\b/i;

/** "TypeScript compilation fails"; null for the name of an error, which is a failure by itself. */
export function failing(name: string): string | null {
  const line = unstopped(name).replaceAll("_", " ");
  if (TOLD.test(line)) return null;
  if (GERUND.test(line)) return `${line} fails`;
  if (!DOING.test(line)) return null;
  return /s$/i.test(line) ? `${line} fail` : `${line} fails`;
}

/** What is done about an error: "if TypeScript compilation fails: …", "on TypeError: …". */
export function remedy(type: string, resolution: string): string {
  const fails = failing(type);
  return `${fails === null ? `on ${unstopped(type)}` : `if ${fails}`}: ${unstopped(resolution)}`;
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
