// The methods of skills, in JSON and as SKILL.md.
import { createMethods, encodeSegment, formatQuery } from "./call";
import type { Skill } from "./schema.generated";
import type { CallOptions, Transport } from "./transport";

const MARKDOWN = "text/markdown";

/** The project whose own skill is meant. */
type SkillProject = { project_id?: string | undefined };

export function createSkills(transport: Transport) {
  const { call, list } = createMethods(transport, {});
  const toPath = (slug: string, { project_id }: SkillProject = {}) =>
    `/v1/skills/${encodeSegment("slug", slug)}${formatQuery({ project_id })}`;
  return {
    put: call("PUT /v1/skills/{slug}"),
    /** Writes a skill under the slug in its body. */
    save: call("POST /v1/skills"),
    get: call("GET /v1/skills/{slug}"),
    /** Lists skills; with `status: "proposed"`, those that strong patterns propose. */
    list: list("GET /v1/skills"),
    /** Makes a proposed skill one of its project. */
    accept: call("POST /v1/skills/{slug}/accept"),
    /** Dismisses a proposed skill: it is not proposed again. */
    dismiss: call("POST /v1/skills/{slug}/dismiss"),
    /** Returns a skill as SKILL.md. */
    async getMarkdown(
      slug: string,
      { project_id, ...options }: SkillProject & CallOptions = {},
    ): Promise<string> {
      const path = toPath(slug, { project_id });
      return transport.send({ method: "GET", path, accept: MARKDOWN }, options) as Promise<string>;
    },
    /** Writes a skill as SKILL.md, whose name is the slug, or as Markdown without front matter. */
    async putMarkdown(
      slug: string,
      body: string,
      { project_id, ...options }: SkillProject & CallOptions = {},
    ): Promise<Skill> {
      const path = toPath(slug, { project_id });
      return transport.send({ method: "PUT", path, body, content_type: MARKDOWN }, options) as Promise<Skill>;
    },
    /** Writes a SKILL.md under its own name. */
    async saveMarkdown(
      body: string,
      { project_id, ...options }: SkillProject & CallOptions = {},
    ): Promise<Skill> {
      const path = `/v1/skills${formatQuery({ project_id })}`;
      return transport.send(
        { method: "POST", path, body, content_type: MARKDOWN },
        options,
      ) as Promise<Skill>;
    },
  };
}
