// kioku doctor: is the service up, is the key right, and, for whoever holds the admin key, does the service have what it
// needs.
import { type DoctorCheck, isKiokuError, Kioku } from "../../client/index";
import { VERSION } from "../../src/version";
import { command } from "../command";
import type { Connection } from "../connection";
import { messageOf } from "../failures";
import type { Paint, Terminal } from "../terminal";
import { oneLine } from "../width";

const PAINT: Record<DoctorCheck["status"], Paint> = { ok: "green", warn: "yellow", fail: "red" };

export const doctor = command({
  name: "doctor",
  summary: "What is wrong, and what to do about it",
  takes: [],
  options: {},
  about:
    "With the admin key it looks into the service, too. It changes nothing; exit code 1 when something is wrong",
  example: "KIOKU_ADMIN_KEY=… kioku doctor",
  async run({ terminal, json, ...connection }) {
    const checks = await examine(connection);
    if (json) await terminal.json({ status: worst(checks), checks });
    else for (const check of checks) await terminal.line(shown(terminal, check));
    return worst(checks) === "fail" ? 1 : 0;
  },
});

async function examine(connection: Connection): Promise<DoctorCheck[]> {
  const service = await serviceCheck(connection);
  if (service.status === "fail") return [service];
  return [service, await keyCheck(connection), ...(await insideChecks(connection))];
}

async function serviceCheck({ url, apiKey, adminKey }: Connection): Promise<DoctorCheck> {
  return asked("service", async () => {
    // Nobody's key is needed here, but the client insists on one.
    const { status, version } = await new Kioku({
      url,
      key: apiKey ?? adminKey ?? "none",
      retries: 1,
    }).health();
    if (status !== "ok")
      return {
        name: "service",
        status: "fail",
        detail: `${url} is no Kioku service`,
        fix: "Check KIOKU_URL",
      };
    const same = version === VERSION;
    return {
      name: "service",
      status: same ? "ok" : "warn",
      detail: `${url} answers, version ${version}`,
      fix: same ? null : `This command is of version ${VERSION}: use the same`,
    };
  });
}

async function keyCheck({ api, apiKey }: Connection): Promise<DoctorCheck> {
  return asked("key", async () => {
    if (apiKey === null)
      return {
        name: "key",
        status: "warn",
        detail: "None is set",
        fix: "Set KIOKU_API_KEY; kioku keys create <tenant> makes one",
      };
    const { tenant, scopes } = await api().request("GET", "/v1/keys/self");
    const detail = `${tenant === null ? "The admin key" : `Tenant ${tenant}`}, may ${scopes.join(", ")}`;
    if (tenant !== null) return { name: "key", status: "ok", detail, fix: null };
    return {
      name: "key",
      status: "warn",
      detail,
      fix: "Set KIOKU_API_KEY to a key of a tenant: kioku keys create",
    };
  });
}

/** A tenant's key may be the only one there is: then it is asked with, and its refusal is no fault. */
async function insideChecks({ admin, adminKey, apiKey }: Connection): Promise<DoctorCheck[]> {
  if (adminKey === null) return [notLookedInside()];
  try {
    return (await admin().request("GET", "/v1/admin/doctor")).checks;
  } catch (error) {
    const told =
      adminKey === apiKey && (isKiokuError(error, "forbidden") || isKiokuError(error, "unauthorized"));
    return told ? [notLookedInside()] : [failed("admin key", error)];
  }
}

function notLookedInside(): DoctorCheck {
  return {
    name: "inside",
    status: "warn",
    detail: "Not looked at: that takes the admin key",
    fix: "Set KIOKU_ADMIN_KEY to the service's ADMIN_KEY",
  };
}

async function asked(name: string, look: () => Promise<DoctorCheck>): Promise<DoctorCheck> {
  try {
    return await look();
  } catch (error) {
    return failed(name, error);
  }
}

function failed(name: string, error: unknown): DoctorCheck {
  if (!isKiokuError(error)) throw error;
  const [detail = "", ...fix] = messageOf(error).split(/(?<=\.) /);
  return { name, status: "fail", detail, fix: fix.join(" ") || null };
}

function worst(checks: readonly DoctorCheck[]): DoctorCheck["status"] {
  const found = new Set(checks.map(({ status }) => status));
  return found.has("fail") ? "fail" : found.has("warn") ? "warn" : "ok";
}

function shown(terminal: Terminal, { name, status, detail, fix }: DoctorCheck): string {
  const mark = terminal.paint(PAINT[status], status.padEnd(4));
  const line = `${mark}  ${name.padEnd(14)}  ${oneLine(detail)}`;
  return fix === null ? line : `${line}\n${" ".repeat(22)}→ ${oneLine(fix)}`;
}
