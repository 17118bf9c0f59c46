// What a key is and may do, asked with that key: so that whoever holds one can see whether it is the right one.
import { z } from "../../schemas/common";
import { KEY_SCOPES } from "../context";
import { type App, endpoint } from "../endpoint";

const OwnKey = z
  .object({
    id: z.string().meta({ description: "`admin` for the admin key" }),
    tenant: z.string().nullable().meta({ description: "Null for the admin key, which belongs to none" }),
    scopes: z.array(z.enum(KEY_SCOPES)),
  })
  .openapi("OwnKey");

export function ownKeyRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v1/keys/self",
      summary: "The key that this call is made with: its tenant and its scopes",
      tag: "Keys",
      scope: "any",
      answers: { 200: { description: "The key, without its secret", schema: OwnKey } },
    },
    async ({ c, caller: { keyId, tenant, scopes } }) => c.json({ id: keyId, tenant, scopes }),
  );
}
