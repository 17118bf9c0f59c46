// Privacy: the policies of a tenant, its projects and sessions, and what an answer tells of masked values.
import { addExample, z } from "../../kernel/common";

/** `strict` masks in the session's own window and thread, too. */
const PRIVACY_MODES = ["standard", "strict"] as const;
export const PrivacyModeName = z.enum(PRIVACY_MODES, {
  error: `must be one of: ${PRIVACY_MODES.join(", ")}`,
});
export type PrivacyMode = z.infer<typeof PrivacyModeName>;

/** Personal data is stored as it is, replaced by its kind, or the call is refused. */
const PERSONAL_RULES = ["allow", "mask", "refuse"] as const;
const PersonalRuleName = z.enum(PERSONAL_RULES, { error: `must be one of: ${PERSONAL_RULES.join(", ")}` });
export type PersonalRule = z.infer<typeof PersonalRuleName>;

/** The categories of personal data that a policy decides on. */
export const PERSONAL_CATEGORIES = ["email", "phone", "iban", "national_id"] as const;
export type PersonalCategory = (typeof PERSONAL_CATEGORIES)[number];

const PersonalRulesSchema = z.object({
  email: PersonalRuleName,
  phone: PersonalRuleName,
  iban: PersonalRuleName,
  national_id: PersonalRuleName,
});

export const PrivacyPolicy = z
  .object({
    privacy: PrivacyModeName.openapi({
      description:
        "standard: secrets are masked in everything that leaves a session's window and thread; strict: there, too",
    }),
    personal_data: PersonalRulesSchema.openapi({
      description: "For each category: store it, mask it, or refuse the call (422)",
    }),
  })
  .openapi("PrivacyPolicy");
export type PrivacyPolicy = z.infer<typeof PrivacyPolicy>;
addExample(PrivacyPolicy, {
  privacy: "standard",
  personal_data: { email: "mask", phone: "allow", iban: "refuse", national_id: "allow" },
});

export const PrivacyPut = z
  .object({ privacy: PrivacyModeName, personal_data: PersonalRulesSchema.partial().strict() })
  .partial()
  .strict()
  .openapi("PrivacyPut");
export type PrivacyPut = z.infer<typeof PrivacyPut>;
addExample(PrivacyPut, { personal_data: { email: "mask", iban: "refuse" } });

/** What was masked, by kind. Never the value. */
export const MaskedCounts = z
  .array(z.object({ kind: z.string(), count: z.number().int() }))
  .openapi("MaskedCounts", {
    description: "What the privacy gate masked in this call, by kind. Absent if nothing was",
  });
