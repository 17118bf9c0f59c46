// Administration: keys, usage, the index, webhooks, the audit log and the service's checks.
import { useConnection } from "../../state/sign-in";
import { AuditLog } from "./audit-log";
import { HealthChecks } from "./health-checks";
import { IndexPanel } from "./index-panel";
import { KeysPanel } from "./keys-panel";
import { UsagePanel } from "./usage-panel";
import { WebhooksPanel } from "./webhooks-panel";

export function AdminView() {
  const { own } = useConnection();
  return (
    <>
      <h1>Admin</h1>
      <section>
        <h2>Keys</h2>
        <KeysPanel />
      </section>
      {own.tenant !== null && (
        <section>
          <h2>Usage</h2>
          <UsagePanel />
        </section>
      )}
      <section>
        <h2>Vector index</h2>
        <IndexPanel />
      </section>
      {own.tenant !== null && (
        <section>
          <h2>Webhooks</h2>
          <WebhooksPanel />
        </section>
      )}
      <section>
        <h2>Audit log</h2>
        <AuditLog />
      </section>
      {own.tenant === null && (
        <section>
          <h2>Checks</h2>
          <HealthChecks />
        </section>
      )}
    </>
  );
}
