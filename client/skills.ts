// The methods of skills, in JSON and in Markdown.
import { createMethods, encodeSegment } from "./call";
import type { Skill } from "./schema.generated";
import type { CallOptions, Transport } from "./transport";

const MARKDOWN = "text/markdown";

export function createSkills(transport: Transport) {
  const { call, bare, text, list } = createMethods(transport, {});
  return {
    put: call("PUT /v1/skills/{slug}"),
    get: bare("GET /v1/skills/{slug}"),
    list: list("GET /v1/skills"),
    getMarkdown: text("GET /v1/skills/{slug}", MARKDOWN),
    async putMarkdown(slug: string, body: string, options?: CallOptions): Promise<Skill> {
      const path = `/v1/skills/${encodeSegment("slug", slug)}`;
      return transport.send({ method: "PUT", path, body, content_type: MARKDOWN }, options) as Promise<Skill>;
    },
  };
}
