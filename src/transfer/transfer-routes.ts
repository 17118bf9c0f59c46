// Export and import: everything that the service holds of a tenant or an owner, as a stream, and back.
import { runIdempotent } from "../calls/run-idempotent";
import type { App, AppContext } from "../http/app-context";
import { groupRoutes } from "../http/endpoint";
import type { BodyTypes } from "../http/read-request";
import { negotiateType } from "../http/read-request";
import { failure, ok } from "../kernel/errors";
import { resolveExportTarget } from "./export-scope";
import { EXPORT_EXAMPLES, IMPORT_EXAMPLES } from "./transfer-examples";
import { exportAs, findFormat, importAs, SUPPORTED_FORMATS, SUPPORTED_TYPES } from "./transfer-formats";
import {
  ExportQuery,
  ImportAnswer,
  ImportBody,
  TRANSFER_TYPES,
  type TransferFormat,
} from "./transfer-request";

export const IMPORT_PATH = "/v1/import";

export function transferRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Export and import", stage: "store" });

  routes.get("/v1/export", "exportRecords", {
    summary: "Export everything of the tenant, or of one user, agent, project or session",
    description:
      "A stream in the format of `format`, else of `Accept` (406 if none fits), else JSON lines. Those have everything " +
      "but keys, secrets, the audit log and vectors: a header that names the kinds, a record a line, and an end line " +
      "with the number of records of each kind and their digest. An export without its end line is not complete. " +
      "TriG, N-Quads, Turtle and JSON-LD have what the graph has: memories, sessions, episodes, links, agents, projects " +
      "and resources, with validity, usage, and the activity that made each memory in PROV-O. " +
      "Records that change while the export runs are in it as they were before or after.",
    bound: "handler",
    capability: "CanQueryMemory",
    audit: { action: "export", personal: ["id"] },
    query: ExportQuery,
    mayBeMissing: true,
    responses: {
      200: { description: "The records", schema: null, types: SUPPORTED_TYPES, exampleText: EXPORT_EXAMPLES },
    },
    handle: async ({ c, services, query: { format: asked, ...request } }) => {
      const format = asked ?? negotiateFormat(c);
      const scope = await resolveExportTarget(services, request);
      const type = TRANSFER_TYPES[format];
      return c.body(await exportAs(services, scope, format), 200, {
        // JSON lines and JSON-LD are UTF-8 by definition; text types have a parameter.
        "Content-Type": type.startsWith("text/") ? `${type}; charset=utf-8` : type,
        Vary: "Accept",
      });
    },
  });

  routes.post(IMPORT_PATH, "importRecords", {
    summary: "Import an export, or a part of one",
    description:
      "The body is a whole export of at most 2 MB, or one part of a larger one, with the header of the file and an end " +
      "line of its own. Records that are there stay as they are, so that a part can be sent again. A part with an " +
      "invalid line is refused with the number of the line and the field, and nothing of it is stored. RDF may be written " +
      "by hand: a memory with an IRI of its own is restored or, if it is stored, changed as PATCH would change it; any " +
      "other node is remembered. What cannot be stored is named by its subject and property. Policies, " +
      "privacy policies, webhooks and extensions of the ontology need a key with the scope `admin`. A key that is bound to a " +
      "user, an agent or a project is refused with 403.",
    bound: "refused",
    capability: "CanWriteMemory",
    audit: { action: "import" },
    quota: ["memories", "messages", "sessions", "episodes", "bytes"],
    body: ImportBody,
    bodyRequired: true,
    bodyTypes: BODY_TYPES,
    example: IMPORT_EXAMPLES,
    responses: { 200: { description: "The number of imported records", schema: ImportAnswer } },
    handle: async ({ c, caller, services, body, idempotency }) => {
      const rules = {
        isAdmin: caller.scopes.includes("admin"),
        allowsPrivate: c.var.settings.webhookAllowPrivate,
      };
      const { body: answer } = await runIdempotent(services.store, idempotency, async () => ({
        status: 200,
        body: await importAs(services, body, rules),
      }));
      return answer;
    },
  });
}

function negotiateFormat(c: AppContext): TransferFormat {
  const type = negotiateType(c.req.header("Accept"), SUPPORTED_TYPES);
  const format = type === null ? undefined : findFormat(type);
  if (format !== undefined) return format;
  const message = `must accept ${SUPPORTED_TYPES.join(", ")}: set it, or leave it out`;
  throw failure("not_acceptable", `Accept: ${message}.`, { errors: [{ path: "Accept", message }] });
}

const BODY_TYPES: BodyTypes = new Map(
  SUPPORTED_FORMATS.map((format) => [TRANSFER_TYPES[format], (data: string) => ok({ format, data })]),
);
