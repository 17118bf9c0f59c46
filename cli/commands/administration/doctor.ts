// kioku doctor: checks that the service is up, that the key is valid and, with the admin key, that the service is
// configured completely.
import { type DoctorCheck, isKiokuError, Kioku } from "../../../client/index";
import { VERSION } from "../../../src/kernel/version";
import { defineCommand } from "../../command";
import type { Connection } from "../../connection";
import { formatError } from "../../failures";
import type { Paint, Terminal } from "../../terminal";
import { toOneLine } from "../../width";

const PAINT: Record<DoctorCheck["status"], Paint> = { ok: "green", warn: "yellow", fail: "red" };

export const doctor = defineCommand({
  name: "doctor",
  summary: "Check the service, and suggest fixes",
  takes: [],
  options: {},
  about:
    "With the admin key it looks into the service, too. It changes nothing; exit code 1 when something is wrong",
  example: "KIOKU_ADMIN_KEY=… kioku doctor",
  async run({ terminal, json, ...connection }) {
    const checks = await runChecks(connection);
    if (json) await terminal.json({ status: findWorstStatus(checks), checks });
    else for (const check of checks) await terminal.line(renderCheck(terminal, check));
    return findWorstStatus(checks) === "fail" ? 1 : 0;
  },
});

async function runChecks(connection: Connection): Promise<DoctorCheck[]> {
  const service = await checkService(connection);
  if (service.status === "fail") return [service];
  return [service, await checkKey(connection), ...(await checkInside(connection))];
}

async function checkService({ url, apiKey, adminKey }: Connection): Promise<DoctorCheck> {
  return runCheck("service", async () => {
    // The health check needs no key, but the client requires one.
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

async function checkKey({ api, apiKey, keyFile }: Connection): Promise<DoctorCheck> {
  return runCheck("key", async () => {
    // Another service answers at the address of the local one, which is not running.
    if (apiKey === null && keyFile !== null)
      return {
        name: "key",
        status: "warn",
        detail: `The service with the key in ${keyFile} is not running`,
        fix: "Start it, or set KIOKU_API_KEY to a key of the service that answers",
      };
    if (apiKey === null)
      return {
        name: "key",
        status: "warn",
        detail: "None is set",
        fix: "Set KIOKU_API_KEY; kioku keys create <tenant> makes one",
      };
    const { tenant, scopes } = await api().request("GET", "/v1/keys/self");
    const detail = `${tenant === null ? "The admin key" : `Tenant ${tenant}`}, may ${scopes.join(", ")}`;
    if (tenant !== null) {
      const from = keyFile === null ? "" : ` (${keyFile})`;
      return { name: "key", status: "ok", detail: detail + from, fix: null };
    }
    return {
      name: "key",
      status: "warn",
      detail,
      fix: "Set KIOKU_API_KEY to a key of a tenant: kioku keys create",
    };
  });
}

/** Runs the service's own checks. If the tenant's key is the only one, its rejection is not a failure. */
async function checkInside({ admin, adminKey, apiKey }: Connection): Promise<DoctorCheck[]> {
  if (adminKey === null) return [createSkippedCheck()];
  try {
    return (await admin().request("GET", "/v1/admin/doctor")).checks;
  } catch (error) {
    const isExpected =
      adminKey === apiKey && (isKiokuError(error, "forbidden") || isKiokuError(error, "unauthorized"));
    return isExpected ? [createSkippedCheck()] : [createFailedCheck("admin key", error)];
  }
}

function createSkippedCheck(): DoctorCheck {
  return {
    name: "inside",
    status: "warn",
    detail: "Not looked at: that takes the admin key",
    fix: "Set KIOKU_ADMIN_KEY to the service's ADMIN_KEY",
  };
}

async function runCheck(name: string, check: () => Promise<DoctorCheck>): Promise<DoctorCheck> {
  try {
    return await check();
  } catch (error) {
    return createFailedCheck(name, error);
  }
}

function createFailedCheck(name: string, error: unknown): DoctorCheck {
  if (!isKiokuError(error)) throw error;
  const [detail = "", ...fix] = formatError(error).split(/(?<=\.) /);
  return { name, status: "fail", detail, fix: fix.join(" ") || null };
}

function findWorstStatus(checks: readonly DoctorCheck[]): DoctorCheck["status"] {
  const found = new Set(checks.map(({ status }) => status));
  return found.has("fail") ? "fail" : found.has("warn") ? "warn" : "ok";
}

function renderCheck(terminal: Terminal, { name, status, detail, fix }: DoctorCheck): string {
  const mark = terminal.paint(PAINT[status], status.padEnd(4));
  const line = `${mark}  ${name.padEnd(14)}  ${toOneLine(detail)}`;
  return fix === null ? line : `${line}\n${" ".repeat(22)}→ ${toOneLine(fix)}`;
}
