// What is wrong with a running service, for whoever runs it. It is asked when settings may be broken, so it stands
// before everything that reads them.

import { examine } from "../../operations/diagnose/diagnose";
import { Check } from "../../operations/diagnose/health-check";
import { failure } from "../../platform/errors";
import { z } from "../../schemas/common";
import { VERSION } from "../../version";
import { authenticate, authorise } from "../authenticate";
import type { App } from "../endpoint";
import { document } from "../openapi/document-route";

const PATH = "/v1/admin/doctor";

const Doctor = z
  .object({
    version: z.string(),
    status: Check.shape.status.meta({ description: "The worst of all checks" }),
    checks: z.array(Check),
  })
  .openapi("Doctor");

export function doctorRoutes(app: App): void {
  document(app, {
    method: "get",
    path: PATH,
    summary: "Check the service: bindings, migrations, settings, embedder, vectors, cron",
    description: "It only looks. It answers 200 also when something is wrong: see `status`.",
    tag: "Administration",
    scope: "admin",
    answers: { 200: { description: "What was found", schema: Doctor } },
  });
  app.get(PATH, async (c) => {
    const caller = await c.var.timing.measure("auth", () => authenticate(c));
    authorise(caller, "admin");
    if (caller.tenant !== null)
      throw failure("forbidden", "Only ADMIN_KEY may ask the doctor: it looks at all of the service.");
    const checks = await c.var.timing.measure("doctor", () => examine(c.env, Date.now()));
    const found = new Set(checks.map(({ status }) => status));
    const status = found.has("fail") ? "fail" : found.has("warn") ? "warn" : "ok";
    return c.json({ version: VERSION, status, checks });
  });
}
