// The privacy policies of a tenant and of its projects.

import type { App } from "../../http/app-context";
import { groupRoutes } from "../../http/endpoint";
import { failure } from "../../kernel/errors";
import { DEFAULT_PRIVACY, mergePrivacy, resolvePrivacy } from "./privacy-policy";
import { PrivacyPolicy, PrivacyPut } from "./privacy-schemas";

export function privacyRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Privacy" });

  routes.get("/v1/privacy", "getPrivacy", {
    summary: "Read the tenant's privacy policy, or the defaults",
    looksUpKey: true,
    responses: { 200: { description: "The complete policy", schema: PrivacyPolicy } },
    handle: ({ services: { privacy } }) => privacy.tenant,
  });

  routes.put("/v1/privacy", "putPrivacy", {
    summary: "Set the tenant's privacy policy",
    description:
      "Fields that are left out have their defaults. Holds for what is written from now on; stored data is not changed.",
    scope: "admin",
    audit: { action: "privacy.change" },
    stage: "store",
    body: PrivacyPut,
    bodyRequired: true,
    responses: { 200: { description: "The complete policy", schema: PrivacyPolicy } },
    handle: async ({ services: { store }, body }) => {
      const policy = mergePrivacy(DEFAULT_PRIVACY, body);
      await store.privacy.saveTenant(policy);
      return policy;
    },
  });

  routes.get("/v1/projects/{project_id}/privacy", "getProjectPrivacy", {
    summary: "Read the privacy policy that holds in a project",
    looksUpKey: true,
    bound: "project",
    responses: { 200: { description: "The complete policy", schema: PrivacyPolicy } },
    handle: ({ services: { privacy }, params: { project_id } }) => resolvePrivacy(privacy, project_id),
  });

  routes.put("/v1/projects/{project_id}/privacy", "putProjectPrivacy", {
    summary: "Set the privacy policy of a project",
    description:
      "Fields that are left out are the tenant's. A project cannot loosen `strict`. The project need not exist yet.",
    scope: "admin",
    audit: { action: "privacy.change" },
    stage: "store",
    body: PrivacyPut,
    bodyRequired: true,
    responses: { 200: { description: "The policy that holds", schema: PrivacyPolicy } },
    handle: async ({ services: { store, privacy }, params: { project_id }, body }) => {
      await store.privacy.saveProject(project_id, body);
      const projects = { ...privacy.projects, [project_id]: body };
      return resolvePrivacy({ ...privacy, projects }, project_id);
    },
  });

  routes.delete("/v1/projects/{project_id}/privacy", "deleteProjectPrivacy", {
    summary: "Remove the privacy policy of a project, which then has the tenant's",
    scope: "admin",
    audit: { action: "privacy.remove" },
    stage: "store",
    mayBeMissing: true,
    responses: { 204: { description: "Removed", schema: null } },
    handle: async ({ services: { store }, params: { project_id } }) => {
      if (!(await store.privacy.deleteProject(project_id)))
        throw failure("not_found", `Project ${project_id} has no privacy policy of its own.`);
    },
  });
}
