// Consolidation, maintenance, what to know before a task, and a session's working memory as a page.

import { prime } from "../../operations/experience/gather-briefing";
import { continuityOf } from "../../operations/experience/gather-continuity";
import { unwrap } from "../../platform/errors";
import {
  ConsolidateAnswer,
  ConsolidateInput,
  MaintenanceAnswer,
  MaintenanceInput,
  PrimeAnswer,
  PrimeInput,
} from "../../schemas/experience";
import { type App, endpoint, servicesOf } from "../endpoint";
import { once } from "../idempotency";
import { SessionParams } from "./sessions";

const TAG = "Experience";

export function experienceRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v1/consolidate",
      summary: "Make patterns of a project's episodes",
      description: "One at a time for each project. A second run over the same episodes changes nothing.",
      tag: TAG,
      scope: "write",
      body: ConsolidateInput,
      answers: { 200: { description: "What was done", schema: ConsolidateAnswer } },
    },
    async ({ c, caller, body, idempotency }) => {
      const { tenant, project, store } = servicesOf(c, caller);
      const ref = { tenant, id: body.project_id };
      // The project keeps the key with its work; here it is known whichever project it was sent to.
      const reply = await c.var.timing.measure("project", () =>
        once(store, idempotency, async () => ({
          status: 200,
          body: unwrap(await project(ref.id).consolidate(ref, body, idempotency)),
        })),
      );
      return c.json(reply.body);
    },
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/v1/maintenance",
      summary: "Let a project's memory age: decay, summaries, archive, duplicates",
      tag: TAG,
      scope: "write",
      body: MaintenanceInput,
      answers: { 200: { description: "What was done", schema: MaintenanceAnswer } },
    },
    async ({ c, caller, body, idempotency }) => {
      const { tenant, project, store } = servicesOf(c, caller);
      const ref = { tenant, id: body.project_id };
      const reply = await c.var.timing.measure("project", () =>
        once(store, idempotency, async () => ({
          status: 200,
          body: unwrap(await project(ref.id).maintain(ref, body, idempotency)),
        })),
      );
      return c.json(reply.body);
    },
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/v1/prime",
      summary: "What to know before a task: patterns, mistakes, skills and episodes, within a token budget",
      tag: TAG,
      scope: "read",
      body: PrimeInput,
      answers: { 200: { description: "What to know", schema: PrimeAnswer } },
    },
    async ({ c, caller, body, idempotency }) => {
      const services = servicesOf(c, caller);
      const reply = await c.var.timing.measure("prime", () =>
        once(services.store, idempotency, async () => ({ status: 200, body: await prime(services, body) })),
      );
      return c.json(reply.body);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/sessions/{id}/continuity",
      summary: "A session's working memory as a page: now, relevant memories, mistakes to avoid",
      tag: TAG,
      scope: "read",
      params: SessionParams,
      answers: { 200: { description: "Markdown", schema: null, types: ["text/markdown"] } },
    },
    async ({ c, caller, params: { id } }) => {
      const services = servicesOf(c, caller);
      const page = await c.var.timing.measure("continuity", () => continuityOf(services, id));
      return c.body(page, 200, { "Content-Type": "text/markdown; charset=utf-8" });
    },
  );
}
