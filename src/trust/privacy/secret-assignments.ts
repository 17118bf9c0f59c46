// Secrets that only the words before them give away: "password: …", "api_key=…", "my PIN is …".
import type { Finding, SecretKind } from "./kinds";
import { isPlaceholder } from "./secret-tokens";

const PASSWORD_WORD = "pass(?:word|wort|wd|phrase|code)|pwd|contraseña|mot de passe|senha";
const KEY_WORD =
  "(?:api|access|secret|signing|encryption|private|master|service|client|webhook|deploy)[_ -]?(?:key|token|secret)|(?:auth|session|refresh|bearer|bot)[_ -]?token|client[_ -]?secret|secret|token|credential";

/**
 * The name, what joins it to the value, and the value. Quotes, brackets and the rest of a variable's name may follow
 * the name, with the backslashes of Markdown or JSON. The value ends at white space, a quote or a backslash.
 */
const ASSIGNMENT = new RegExp(
  `(?:(${PASSWORD_WORD})|(?:${KEY_WORD}))s?(?:[A-Za-z0-9_]{0,24})["'\`\\])\\\\]{0,4}(?: for [\\w .-]{1,24}?| to [\\w .-]{1,24}?)?(\\s{0,3}(?::=|=>|=|:)\\s{0,3}|\\s{1,2}(?:is|was|are|ist|es|est)\\s{1,2}(?:now |set to |still )?)["'\`\\\\]{0,4}([^\\s"'\`\\\\,;<>(){}]{4,256})`,
  "gi",
);

/** A name that alone says that its value is secret, as a member of JSON. */
const SECRET_NAME = new RegExp(
  `^(?:[A-Za-z0-9]+[_. -])*(?:(${PASSWORD_WORD})|(?:${KEY_WORD}))s?$|(?:(Password)|ApiKey|Secret|AccessToken|AuthToken|PrivateKey|SecretKey)$`,
  "i",
);

const HINT =
  /pass(?:word|wort|wd|phrase|code)|pwd|contraseña|mot de passe|senha|key|token|secret|credential|\bpin\b|cvv|cvc/i;

/** Returns the values in a text that are assigned to a password, a key or a token. */
export function findAssignedSecrets(text: string): Finding[] {
  if (!HINT.test(text)) return [];
  const found: Finding[] = [];
  for (const { pattern, kind } of ASSIGNMENTS) {
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const raw = match[3] ?? "";
      const value = trimSentenceEnd(raw);
      const end = match.index + match[0].length - (raw.length - value.length);
      const how = (match[2] ?? "").trim();
      const isMask = text.startsWith("[secret:", match.index - 1);
      if (!isMask && isSecretValue(value, match[1] !== undefined, /[a-z]/i.test(how)))
        found.push({
          kind: kind ?? (match[1] === undefined ? "api_key" : "password"),
          start: end - value.length,
          end,
        });
      // The rejected value may itself begin with a name: "password: token=…".
      else pattern.lastIndex = match.index + match[0].length - raw.length;
    }
  }
  return found;
}

/** Words that announce a secret and the beginnings of tokens, whatever follows: not worth remembering. */
const ANNOUNCEMENT =
  /\b(?:passwords?|passcode|passphrase|api[ _-]?keys?|secret keys?|access tokens?|private key|cvv|social security number)\b(?: \w{1,40})? ?(?:is|was|are|=|:) ?\S|\b(?:sk|pk|ghp|gho|glpat|xox[abp])[-_][\w-]{6}/i;

export function announcesSecret(text: string): boolean {
  return ANNOUNCEMENT.test(text);
}

/** Digits after "PIN" or "CVV". */
const CODE =
  /\b(pin|cvv2?|cvc|otp)(?: code| number)?(\s{0,2}[:=]\s{0,2}|\s(?:is|was)\s(?:now )?)["'`]?(\d{3,8})(?![\d.:-])/gi;

const ASSIGNMENTS: readonly { pattern: RegExp; kind?: SecretKind }[] = [
  { pattern: ASSIGNMENT },
  { pattern: CODE, kind: "password" },
];

/** Returns the kind of a member's value if its name says that it is secret. */
export function judgeMember(name: string, value: string): SecretKind | null {
  if (name.length > 64) return null;
  const match = SECRET_NAME.exec(name);
  if (match === null) return null;
  const isPassword = match[1] !== undefined || match[2] !== undefined;
  return isSecretValue(value, isPassword, false) ? (isPassword ? "password" : "api_key") : null;
}

function trimSentenceEnd(value: string): string {
  let end = value.length;
  while (end > 0 && ".,:;!?)]}".includes(value.charAt(end - 1))) end -= 1;
  // A mask and a value such as "hunter2!" keep their last character.
  return value.startsWith("[")
    ? value
    : value.charAt(end) === "!"
      ? value.slice(0, end + 1)
      : value.slice(0, end);
}

const MIN_PASSWORD = 4;
const MIN_KEY = 12;
/** A word of letters alone this long is not a word of a language that follows "password:". */
const LONG_LETTERS = 20;

/**
 * A value is secret if it does not read like a word. In prose ("the password is …") it needs a digit or a symbol; after
 * a colon or an equals sign, irregular case or length are enough.
 */
function isSecretValue(value: string, isPassword: boolean, isProse: boolean): boolean {
  if (value.length < (isPassword ? MIN_PASSWORD : MIN_KEY) || isPlaceholder(value)) return false;
  if (isReference(value)) return false;
  const hasLetter = /\p{L}/u.test(value);
  const hasDigit = /\d/.test(value);
  const hasSymbol = /[^\p{L}\d\s_.\-/:]/u.test(value);
  if (isPassword) {
    if (hasDigit && (hasLetter || hasSymbol || value.length >= 6)) return true;
    if (hasSymbol && hasLetter && value.length >= 6) return true;
    return !isProse && (hasIrregularCase(value) || (value.length >= LONG_LETTERS && !/[-_/.\s]/.test(value)));
  }
  if (!hasDigit) return false;
  return hasLetter && countClasses(value) >= 2 && (value.length >= 16 || hasSymbol) && !isReadable(value);
}

/** A call, a path, a URL or a variable names a secret without containing it. */
function isReference(value: string): boolean {
  return (
    /^(?:https?:|\/|\.\/|~\/|@|#|arn:)|\w\(|^[A-Z][A-Z0-9]*_[A-Z0-9_]+$|^[a-z]+(?:\.[a-z]+)+$|^\d+(?:\.\d+)*(?:ms|s|m|h|d|px|%|k|kb|mb)?$/i.test(
      value.slice(0, 80),
    ) && !/^\d{4,}$/.test(value)
  );
}

/** "hunTer" or "hTTp": upper case after lower case other than in camelCase words of a program. */
function hasIrregularCase(value: string): boolean {
  return value.length >= 8 && /[a-z][A-Z]/.test(value) && !/^[a-z]{3,}(?:[A-Z][a-z]{2,})+$/.test(value);
}

function countClasses(value: string): number {
  return [/[a-z]/, /[A-Z]/, /\d/].filter((one) => one.test(value)).length;
}

/** Words with numbers, such as "refresh-token-v2-rotation" or a version, are names. */
function isReadable(value: string): boolean {
  const parts = value.split(/[-_.:/]/);
  return (
    parts.length > 1 &&
    parts.every((part) => /^(?:[a-z]{2,}\d{0,3}|v?\d{1,4}|[A-Z]{2,12}|[A-Z][a-z]+)$/.test(part))
  );
}
