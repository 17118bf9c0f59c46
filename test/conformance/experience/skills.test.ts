// Skills of a project beside those of all projects, and skills that strong patterns propose.
import { describe, expect, it } from "vitest";
import { allPages } from "../support/actions";
import { type Client, fresh } from "../support/client";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { consolidate, prime, tellEpisode } from "./experience";

const kioku = serviceUnderTest();

type Skill = {
  slug: string;
  name: string;
  description: string;
  steps: string[];
  project_id: string | null;
  status: string;
  derived_from: string | null;
  memory_id: string | null;
};

const SKILL = {
  name: "API endpoint",
  description: "Implement an endpoint of the API",
  steps: ["Read the spec"],
};
const OWN = { ...SKILL, steps: ["Ask the API team"] };

function skillsOf(api: Client, query = ""): Promise<Skill[]> {
  return allPages<Skill>(api, `/v1/skills${query}`);
}

describe("a skill of a project", () => {
  async function place() {
    const [api, project_id] = [await kioku.tenant(), fresh("project")];
    const shared = bodyOf(await api.put<Skill>("/v1/skills/endpoint", SKILL), 201);
    const own = bodyOf(await api.put<Skill>(`/v1/skills/endpoint?project_id=${project_id}`, OWN), 201);
    return { api, project_id, shared, own };
  }

  it("comes before the one of all projects with the same slug", async () => {
    const { api, project_id, shared, own } = await place();
    const read = async (query: string) => bodyOf(await api.get<Skill>(`/v1/skills/endpoint${query}`), 200);
    expect(shared).toMatchObject({ project_id: null, status: "active", steps: SKILL.steps });
    expect(own).toMatchObject({ project_id, steps: OWN.steps });
    expect(await read("")).toEqual(shared);
    expect(await read(`?project_id=${project_id}`)).toEqual(own);
    expect(await read(`?project_id=${fresh("project")}`)).toEqual(shared);
  });

  it("is listed in its place", async () => {
    const { api, project_id, shared, own } = await place();
    bodyOf(await api.put("/v1/skills/other", { ...SKILL, name: "Other" }), 201);
    expect((await skillsOf(api, `?project_id=${project_id}`)).map(({ slug }) => slug)).toEqual([
      "other",
      "endpoint",
    ]);
    expect(await skillsOf(api, `?project_id=${project_id}`)).toContainEqual(own);
    expect(await skillsOf(api, `?project_id=${fresh("project")}`)).toContainEqual(shared);
    expect(await skillsOf(api)).toHaveLength(2);
    expect(await skillsOf(api, "?all_projects=true")).toHaveLength(3);
  });

  it("is what a task in the project gets", async () => {
    const { api, project_id, shared, own } = await place();
    const skills = async (more: Record<string, unknown>) =>
      (await prime(api, SKILL.description, more)).applicable_skills.map(({ id }) => id);
    expect(await skills({ project_id })).toEqual([own.memory_id]);
    expect(await skills({ project_id: fresh("project") })).toEqual([shared.memory_id]);
  });

  it("is Markdown in and out, and changed on its own", async () => {
    const { api, project_id } = await place();
    const markdown =
      "# Skill: API endpoint\n\nFor this project\n\n## Steps\n1. Ask first\n2. Read the spec\n";
    const path = `/v1/skills/endpoint?project_id=${project_id}`;
    const text = { "content-type": "text/markdown", Accept: "text/markdown" };
    const put = await api.call<string>("PUT", path, { raw: markdown, headers: text });
    expect(put.text).toBe(
      "---\nname: endpoint\ndescription: For this project\n---\n\n# Skill: API endpoint\n\n## Steps\n1. Ask first\n2. Read the spec\n",
    );
    expect((await api.call("GET", path, { headers: text })).text).toBe(put.text);
    const again = await api.call<string>("PUT", path, { raw: put.text, headers: text });
    expect({ status: again.status, text: again.text }).toEqual({ status: 200, text: put.text });
    expect(bodyOf(await api.get<Skill>("/v1/skills/endpoint"), 200).steps).toEqual(SKILL.steps);
  });

  it("may be named in the body, but not differently from the query", async () => {
    const { api, project_id } = await place();
    const body = { ...OWN, project_id };
    expect(bodyOf(await api.put<Skill>("/v1/skills/deploy", body), 201)).toMatchObject({ project_id });
    expectProblem(await api.put("/v1/skills/deploy?project_id=other", body), "invalid_request", "project_id");
  });

  it("is all that a key of the project sees", async () => {
    const name = fresh("tenant");
    const [api, project_id] = [await kioku.tenant({ name }), fresh("project")];
    const bound = await kioku.tenant({ name, bind: { project_id } });
    bodyOf(await api.put("/v1/skills/endpoint", SKILL), 201);
    bodyOf(await api.put("/v1/skills/other", SKILL), 201);
    expectProblem(await bound.get("/v1/skills/endpoint"), "not_found");
    const own = bodyOf(await api.put<Skill>(`/v1/skills/endpoint?project_id=${project_id}`, OWN), 201);
    expect(bodyOf(await bound.get<Skill>("/v1/skills/endpoint"), 200)).toEqual(own);
    for (const query of ["", "?all_projects=true"]) expect(await skillsOf(bound, query)).toEqual([own]);
    expectProblem(await bound.put("/v1/skills/endpoint", SKILL), "not_found");
    expectProblem(await bound.get("/v1/skills/endpoint?project_id=other"), "forbidden");
    const user = await kioku.tenant({ name, bind: { user_id: "ann" } });
    expectProblem(await user.get("/v1/skills/endpoint"), "not_found");
  });
});

describe("a strong pattern", () => {
  const GOAL = "Upgrade the npm package drizzle";
  async function place() {
    const [api, project_id] = [await kioku.tenant(), fresh("project")];
    for (const name of ["vite", "zod", "hono", "esbuild"])
      await tellEpisode(api, `Upgrade the npm package ${name}`, {
        project_id,
        action_log: [
          { action: "read_changelog" },
          { action: "npm_install" },
          { action: "run_tests", result: "pass" },
        ],
      });
    const run = await consolidate(api, { project_id });
    return { api, project_id, run, slug: run.proposed_skills[0] ?? "" };
  }
  const proposed = (api: Client) => skillsOf(api, "?status=proposed");

  it("proposes a skill once, which is not used", async () => {
    const { api, project_id, run, slug } = await place();
    const [skill] = await proposed(api);
    expect(skill).toMatchObject({
      ...{ slug, project_id, status: "proposed", derived_from: run.created[0], memory_id: null },
      steps: ["Read changelog", "Npm install", "Run tests"],
    });
    expect(await consolidate(api, { project_id })).toMatchObject({ proposed_skills: [] });
    expect(await skillsOf(api, "?all_projects=true")).toEqual([]);
    expect((await prime(api, GOAL, { project_id })).applicable_skills).toEqual([]);
  });

  it("gives a skill of the project once it is accepted", async () => {
    const { api, project_id, run, slug } = await place();
    const skill = bodyOf(await api.post<Skill>(`/v1/skills/${slug}/accept`), 201);
    expect(skill).toMatchObject({ slug, project_id, status: "active", derived_from: run.created[0] });
    expect(bodyOf(await api.post<Skill>(`/v1/skills/${slug}/accept`), 200)).toEqual(skill);
    expect(await proposed(api)).toEqual([]);
    const { applicable_skills } = await prime(api, GOAL, { project_id });
    expect(applicable_skills).toMatchObject([{ slug }]);
    expect(await consolidate(api, { project_id })).toMatchObject({ proposed_skills: [] });
    expectProblem(await api.post(`/v1/skills/${slug}/dismiss`), "conflict");
  });

  it("does not propose it again once it is dismissed", async () => {
    const { api, project_id, slug } = await place();
    expect(bodyOf(await api.post<Skill>(`/v1/skills/${slug}/dismiss`), 200).status).toBe("dismissed");
    expect(await proposed(api)).toEqual([]);
    expect(await skillsOf(api, "?status=dismissed")).toMatchObject([{ slug }]);
    expect(await consolidate(api, { project_id })).toMatchObject({ proposed_skills: [] });
    expect(await skillsOf(api, "?all_projects=true")).toEqual([]);
  });

  it("is not proposed to another tenant or project", async () => {
    const { slug } = await place();
    const other = await kioku.tenant();
    expectProblem(await other.post(`/v1/skills/${slug}/accept`), "not_found");
    expect(await proposed(other)).toEqual([]);
  });
});

it("a status that does not exist is refused", async () => {
  expectProblem(await kioku.api.get("/v1/skills?status=wished"), "invalid_request", "status");
});
