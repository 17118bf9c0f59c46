// Examples of the formats of exports and imports.
import type { Json } from "../../platform/json";

const EXPORT = [
  `{"kind":"kioku","format":2,"version":"0.1.0","exported_at":"2026-01-31T12:00:00.000Z","scope":"agent","id":"ada","contains":["ledger"],"leaves_out":["keys","secrets","audit log","vectors"]}`,
  `{"kind":"ledger","agent_id":"ada","version":1,"ledger":{"task_id":"guest-checkout"},"last_checkpoint":"2026-01-31T11:58:00.000Z"}`,
  `{"kind":"end","lines":1,"counts":{"ledger":1}}`,
]
  .map((line) => `${line}\n`)
  .join("");

export const EXPORT_EXAMPLES: Readonly<Record<string, Json>> = { "application/x-ndjson": EXPORT };

export const IMPORT_EXAMPLES = {
  body: { format: "jsonl", data: EXPORT },
  text: { "application/x-ndjson": EXPORT },
};
