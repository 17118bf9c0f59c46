// Whether the service is well, as far as the key may know.
import { WhenLoaded } from "../../components/feedback";
import { StatusLabel } from "../../components/labels";
import { useLoad } from "../../state/load";
import { hasScope, useConnection } from "../../state/sign-in";
import { IndexFacts, useIndexState } from "../admin/index-facts";

export function Health() {
  const { kioku } = useConnection();
  const health = useLoad((signal) => kioku.health({ signal }), []);
  return (
    <section>
      <h2>Health</h2>
      <WhenLoaded loaded={health} what="health">
        {({ status, version }) => (
          <p class="meta">
            <StatusLabel status={status} />
            <span>version {version}</span>
            <span>
              All checks: sign in with <code>ADMIN_KEY</code>, or run <code>npx kioku doctor</code>
            </span>
          </p>
        )}
      </WhenLoaded>
      {hasScope("admin") && <Index />}
    </section>
  );
}

function Index() {
  const index = useIndexState();
  return (
    <WhenLoaded loaded={index} what="the index">
      {(state) => <IndexFacts state={state} />}
    </WhenLoaded>
  );
}
