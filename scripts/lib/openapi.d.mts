// Types for the tests; the scripts themselves are plain JavaScript.
import type { OpenAPIHono } from "@hono/zod-openapi";

export function openApiDocument(): Promise<ReturnType<OpenAPIHono["getOpenAPI31Document"]>>;
