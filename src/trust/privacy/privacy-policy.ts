// The privacy policy of a tenant, its projects and its sessions. A project's policy replaces the tenant's for the
// categories that it names; the strictest mode of the three holds.
import {
  PERSONAL_CATEGORIES,
  type PersonalRule,
  type PrivacyMode,
  type PrivacyPolicy,
  type PrivacyPut,
} from "./privacy-schemas";

/** All policies of a tenant. */
export type PrivacyRules = { tenant: PrivacyPolicy; projects: Readonly<Record<string, PrivacyPut>> };

export const DEFAULT_PRIVACY: PrivacyPolicy = {
  privacy: "standard",
  personal_data: { email: "allow", phone: "allow", iban: "allow", national_id: "allow" },
};

export const DEFAULT_PRIVACY_RULES: PrivacyRules = { tenant: DEFAULT_PRIVACY, projects: {} };

/** Returns a policy with changes applied. */
export function mergePrivacy(base: PrivacyPolicy, changes: PrivacyPut): PrivacyPolicy {
  const personal = PERSONAL_CATEGORIES.map((category) => [
    category,
    changes.personal_data?.[category] ?? base.personal_data[category],
  ]);
  return {
    privacy: changes.privacy ?? base.privacy,
    personal_data: Object.fromEntries(personal) as PrivacyPolicy["personal_data"],
  };
}

/** Returns the policy that holds for a record of a project, and of a session in it. */
export function resolvePrivacy(
  { tenant, projects }: PrivacyRules,
  projectId: string | null,
  session: PrivacyMode | null = null,
): PrivacyPolicy {
  const own = projectId === null || !Object.hasOwn(projects, projectId) ? undefined : projects[projectId];
  const policy = own === undefined ? tenant : mergePrivacy(tenant, own);
  const isStrict = [tenant.privacy, policy.privacy, session].includes("strict");
  return { ...policy, privacy: isStrict ? "strict" : "standard" };
}

/** Returns a policy that masks where it would refuse, for values that are derived from accepted ones. */
export function withoutRefusal(policy: PrivacyPolicy): PrivacyPolicy {
  const personal = PERSONAL_CATEGORIES.map((category): [string, PersonalRule] => [
    category,
    policy.personal_data[category] === "allow" ? "allow" : "mask",
  ]);
  return { ...policy, personal_data: Object.fromEntries(personal) as PrivacyPolicy["personal_data"] };
}
