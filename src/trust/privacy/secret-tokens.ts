// Secrets with a well-known shape. Every pattern begins at the start of a token or at a literal prefix, and repeats
// one class of characters, so that a text of any content is read once.
import type { Finding, SecretKind } from "./kinds";

/** `value` is the group that holds the secret; without it the whole match does. `accepts` sorts out words. */
type TokenPattern = {
  kind: SecretKind;
  pattern: RegExp;
  value?: number;
  accepts?: (value: string) => boolean;
};

const START = "(?<![A-Za-z0-9_])";

function startingWith(source: string): RegExp {
  return new RegExp(`${START}(?:${source})`, "g");
}

/** The first pattern that matches decides: `sk-ant-` is Anthropic's, any other `sk-` OpenAI's. */
const TOKEN_PATTERNS: readonly TokenPattern[] = [
  { kind: "aws_access_key", pattern: startingWith("(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])") },
  { kind: "github_token", pattern: startingWith("gh[pousr]_[A-Za-z0-9]{10,}|github_pat_[A-Za-z0-9_]{20,}") },
  { kind: "gitlab_token", pattern: startingWith("gl(?:pat|dt|rt|cbt|ptt|ft|soat)-[A-Za-z0-9_-]{20,}") },
  { kind: "slack_token", pattern: startingWith("xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-\\d-[A-Za-z0-9-]{10,}") },
  {
    kind: "slack_webhook",
    pattern: /(?<=hooks\.slack\.com\/(?:services|workflows)\/)[A-Za-z0-9/_-]{20,}/g,
  },
  {
    kind: "stripe_key",
    pattern: startingWith("(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9]{24,}"),
  },
  { kind: "anthropic_key", pattern: startingWith("sk-ant-[A-Za-z0-9_-]{16,}") },
  {
    kind: "openai_key",
    pattern: startingWith("sk-(?!ant-)(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{20,}"),
    accepts: hasDigit,
  },
  {
    kind: "google_key",
    pattern: startingWith("AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{20,}|ya29\\.[A-Za-z0-9_-]{20,}"),
  },
  { kind: "npm_token", pattern: startingWith("npm_[A-Za-z0-9]{36}") },
  { kind: "pypi_token", pattern: startingWith("pypi-[A-Za-z0-9_-]{50,}") },
  { kind: "huggingface_token", pattern: startingWith("hf_[A-Za-z0-9]{30,}") },
  { kind: "sendgrid_key", pattern: startingWith("SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{32,64}") },
  { kind: "twilio_key", pattern: startingWith("SK[0-9a-f]{32}(?![A-Za-z0-9])") },
  { kind: "telegram_token", pattern: startingWith("\\d{8,10}:AA[A-Za-z0-9_-]{32,33}(?![A-Za-z0-9_-])") },
  {
    kind: "discord_token",
    pattern: startingWith(
      "[MNO][A-Za-z\\d]{23,25}\\.[A-Za-z\\d_-]{6}\\.[A-Za-z\\d_-]{27,38}(?![A-Za-z0-9_-])",
    ),
  },
  { kind: "kioku_key", pattern: startingWith("kioku_[A-Za-z0-9_-]{20,}") },
  {
    kind: "cloudflare_token",
    pattern: startingWith("cf(?:k|ut|at)_[A-Za-z0-9]{40,}|v1\\.0-[0-9a-f]{24}-[0-9a-f]{100,}"),
  },
  {
    // Cloudflare's older tokens have no prefix: the name of the variable, or the service, has to stand before them.
    kind: "cloudflare_token",
    pattern:
      /(?:cloudflare|CF)[_ -]?(?:api|global|account)?[_ -]?(?:token|key)["']?\s{0,3}(?:=|:|is)\s{0,3}["']?([A-Za-z0-9_-]{37,40})(?![A-Za-z0-9_-])/gi,
    value: 1,
  },
  {
    kind: "aws_access_key",
    pattern:
      /aws.{0,20}?(?:secret|access).{0,20}?["']?\s{0,3}(?:=|:|is)\s{0,3}["']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/gi,
    value: 1,
  },
  {
    kind: "jwt",
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g,
  },
  {
    kind: "connection_string",
    pattern:
      /(?<![A-Za-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/"'`]{0,128}:([^\s@/"'`]{1,256})@(?=[\w[.-])/gi,
    value: 1,
  },
  {
    kind: "bearer_token",
    pattern: /(?<![A-Za-z0-9])(?:Bearer|Basic)\s{1,4}([A-Za-z0-9._~+/-]{20,}={0,2})/gi,
    value: 1,
    accepts: hasTokenShape,
  },
];

/** Placeholders of documentation and masks are not secrets. */
const PLACEHOLDER =
  /^(?:[\W_]*|x{4,}|\*{3,}|\.{3,}|<.*|\[.*|\{.*|\$.*|%.*|your.*|my[_-].*|example.*|placeholder.*|changeme|redacted.*|none|null|undefined|true|false|process\.env.*|os\.environ.*|env\(.*|pass(?:word)?|secret|user(?:name)?:?pass(?:word)?)$/i;

export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value.length > 64 ? value.slice(0, 64) : value);
}

/** Prose has none of these, so that most texts are read once. */
const HINT =
  /AKIA|ASIA|ABIA|ACCA|gh[pousr]_|github_pat_|gl[a-z]{2,4}-|xox|xapp-|slack\.com|_(?:live|test)_|whsec_|sk-|AIza|GOCSPX|ya29|npm_|pypi-|hf_|SG\.|SK[0-9a-f]|:AA|[MNO][A-Za-z\d]{23}|kioku_|cf(?:k|ut|at)_|v1\.0-|cloudflare|CF_|aws|eyJ|:\/\/|bearer|basic|PRIVATE KEY/i;

/** Returns the tokens in a text that services issue, which their prefix or shape gives away. */
export function findTokens(text: string): Finding[] {
  if (!HINT.test(text)) return [];
  const found: Finding[] = [];
  for (const { kind, pattern, value, accepts } of TOKEN_PATTERNS)
    for (const match of text.matchAll(pattern)) {
      const secret = match[value ?? 0] ?? "";
      if (value !== undefined && isPlaceholder(secret)) continue;
      if (accepts?.(secret) === false) continue;
      const end = value === undefined ? match.index + secret.length : findEnd(match, secret);
      found.push({ kind, start: end - secret.length, end });
    }
  return [...found, ...findPrivateKeys(text)];
}

/** The value stands at the end of a match, or before the `@` of a connection string. */
function findEnd(match: RegExpExecArray, secret: string): number {
  return match.index + match[0].lastIndexOf(secret) + secret.length;
}

/** "sk-learn-compatible-estimators" is a name. */
function hasDigit(value: string): boolean {
  return /\d/.test(value);
}

/** "Bearer authentication-is-required-here" is prose: a token mixes digits or upper case with lower case. */
function hasTokenShape(value: string): boolean {
  return /\d/.test(value) || (/[A-Z]/.test(value.slice(1)) && /[a-z]/.test(value));
}

const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** Finds PEM and PGP blocks. One that is cut off extends as far as its lines of Base64. */
function findPrivateKeys(text: string): Finding[] {
  const found: Finding[] = [];
  const ends = [...text.matchAll(KEY_END)];
  let next = 0;
  let covered = 0;
  for (const { 0: begin, index: start } of text.matchAll(KEY_BEGIN)) {
    if (start < covered) continue;
    while (next < ends.length && (ends[next]?.index ?? 0) < start) next += 1;
    const close = ends[next];
    covered = close === undefined ? skipBase64(text, start + begin.length) : close.index + close[0].length;
    found.push({ kind: "private_key", start, end: covered });
  }
  return found;
}

const BASE64 = /[A-Za-z0-9+/=\s\\:,-]/;

function skipBase64(text: string, from: number): number {
  let at = from;
  while (at < text.length && BASE64.test(text.charAt(at))) at += 1;
  return at;
}
