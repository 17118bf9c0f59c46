// The keys of a local service: the admin key among the local secrets, and a key of the tenant `local` beside the data.
import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readCode } from "../errors.ts";

const ADMIN_KEY_LINE =
  /^[ \t]*(?:export[ \t]+)?ADMIN_KEY[ \t]*=[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^#\n]*)).*$/m;

/** Reads the admin key in .dev.vars; undefined without a file or without a key in it. */
export async function readAdminKey(devVarsPath: string): Promise<string | undefined> {
  const [, ...forms] = (await readDevVars(devVarsPath)).match(ADMIN_KEY_LINE) ?? [];
  return forms.find(Boolean)?.trim() || undefined;
}

/** Returns the admin key. A missing one is created, of 256 bits, in .dev.vars, where wrangler finds local secrets too. */
export async function ensureAdminKey(devVarsPath: string): Promise<string> {
  const present = await readAdminKey(devVarsPath);
  if (present !== undefined) return present;
  const key = randomBytes(32).toString("hex");
  const line = `ADMIN_KEY=${key}`;
  const text = await readDevVars(devVarsPath);
  const others = text && !text.endsWith("\n") ? `${text}\n` : text;
  await writeSecret(
    devVarsPath,
    ADMIN_KEY_LINE.test(text) ? text.replace(ADMIN_KEY_LINE, line) : `${others}${line}\n`,
  );
  return key;
}

/** Returns a key of the tenant `local`. The service shows a key only once, so it is stored beside the data that it opens. */
export async function ensureLocalKey(url: string, adminKey: string, stateDir: string): Promise<string> {
  const path = join(stateDir, "local-key");
  const stored = await readFile(path, "utf8").catch(() => "");
  if (stored) {
    const answer = await fetch(`${url}/v1/memories`, { headers: { Authorization: `Bearer ${stored}` } });
    if (answer.status === 200) return stored;
  }
  const answer = await fetch(`${url}/v1/keys`, {
    method: "POST",
    headers: { Authorization: `Bearer ${adminKey}`, "Content-Type": "application/json" },
    body: JSON.stringify({ tenant: "local", name: "local", scopes: ["read", "write"] }),
  });
  if (answer.status !== 201)
    throw new Error(
      `No key for tenant local: POST /v1/keys answered ${answer.status}: ${await answer.text()}`,
    );
  const { key } = await answer.json<{ key: string }>();
  await writeSecret(path, key);
  return key;
}

async function readDevVars(path: string): Promise<string> {
  return readFile(path, "utf8").catch((error: unknown) => {
    const code = readCode(error);
    if (code === "ENOENT") return "";
    throw new Error(`Cannot read ${path} (${code}).`, { cause: error });
  });
}

async function writeSecret(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(temporary, text, { mode: 0o600 });
  await chmod(temporary, 0o600);
  await rename(temporary, path);
}
