// Routes that need no key.
import type { Json } from "../../platform/json";
import { z } from "../../schemas/common";
import type { App, AppContext } from "../app-context";
import { PUBLIC_HEADERS } from "./common-responses";

type PublicRoute = {
  path: string;
  operationId: string;
  summary: string;
  type: string;
  schema: z.ZodType;
  example: Json;
  /** Examples of other media types that the Accept header selects. */
  otherTypes?: Readonly<Record<string, string>>;
  params?: z.ZodObject;
};

/** Registers and documents a GET without authentication, rate limit or input. */
export function publicRoute(
  app: App,
  { path, operationId, summary, type, schema, example, otherTypes = {}, params }: PublicRoute,
  handler: (c: AppContext) => Promise<Response>,
): void {
  const others = Object.entries(otherTypes).map(([other, text]) => [
    other,
    { schema: z.string(), example: text },
  ]);
  const content = { [type]: { schema, example }, ...Object.fromEntries(others) };
  app.openAPIRegistry.registerPath({
    method: "get",
    path: path.replace(/:(\w+)/g, "{$1}"),
    operationId,
    summary,
    ...(params === undefined ? {} : { request: { params } }),
    tags: ["Service"],
    security: [],
    responses: {
      200: { description: summary, headers: PUBLIC_HEADERS, content },
      // What a path names may not exist.
      ...(params === undefined ? {} : { 404: { $ref: "#/components/responses/NotFound" } }),
    },
  });
  app.get(path, handler);
}
