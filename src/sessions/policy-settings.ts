// The memory policy of an agent or a session, as it is set.
import { addExample, boundedText, Metadata, z } from "../kernel/common";
import { POLICY } from "../kernel/limits";

const NAME_MESSAGE =
  "must be 1 to 128 characters of A-Z, a-z, 0-9 and _ . @ : / -, other than agent, not beginning with agent: and without :session";

/** A caller's namespace. The forms that the service generates itself are reserved. */
export const NamespaceName = z
  .string({ error: NAME_MESSAGE })
  .regex(/^[A-Za-z0-9_.@:/-]{1,128}$/, NAME_MESSAGE)
  .refine((name) => !/^agent(?::|$)|:session(?::|$)/.test(name), NAME_MESSAGE);

const ContextKey = boundedText(1, POLICY.contextKeyChars);

export const Namespace = z
  .union([NamespaceName, z.object({ context: ContextKey }).strict()], {
    error: `${NAME_MESSAGE}; or {"context": "<key>"}, the key of the call's context that holds it`,
  })
  .openapi("Namespace");

export type Namespace = z.infer<typeof Namespace>;

export const PolicyScope = z.enum(["agent", "session"], { error: 'must be "agent" or "session"' });

export type PolicyScope = z.infer<typeof PolicyScope>;

export const Capture = z
  .enum(["manual", "conversation", "lasting", "off"], {
    error: 'must be "manual", "conversation", "lasting" or "off"',
  })
  .openapi({
    description:
      "The turns that are captured: manual and off: none; conversation: all; lasting: those with a lasting statement",
  });

export const Inject = z.enum(["instructions", "context"], { error: 'must be "instructions" or "context"' });

export const Policy = z
  .object({
    enabled: z.boolean(),
    scope: PolicyScope,
    namespace: Namespace.nullable(),
    capture: Capture,
    inject: Inject,
    max_entries: z.number().int().min(1).max(POLICY.maxEntries),
    metadata: Metadata,
    experience: z.boolean().openapi({
      description: "Whether a preflight adds the patterns, mistakes and skills that apply to the input",
    }),
  })
  .openapi("Policy");

export type Policy = z.infer<typeof Policy>;

/** A policy as input. Missing fields take their defaults. */
export const PolicyInput = z
  .union([z.boolean(), Policy.partial().strict()], { error: "must be true, false, or an object" })
  .openapi("PolicyInput", { description: "true means the defaults, false off" });

export type PolicyInput = z.infer<typeof PolicyInput>;

addExample(Policy, {
  enabled: true,
  scope: "agent",
  namespace: null,
  capture: "conversation",
  inject: "instructions",
  max_entries: 3,
  metadata: {},
  experience: false,
});
addExample(PolicyInput, { scope: "agent", capture: "conversation", max_entries: 3 });
