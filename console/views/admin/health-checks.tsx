// The checks of the service, as `kioku doctor` lists them.
import { WhenLoaded } from "../../components/feedback";
import { StatusLabel } from "../../components/labels";
import { useLoad } from "../../state/load";
import { useConnection } from "../../state/sign-in";

export function HealthChecks() {
  const { kioku } = useConnection();
  const doctor = useLoad((signal) => kioku.request("GET", "/v1/admin/doctor", { signal }), []);
  return (
    <WhenLoaded loaded={doctor} what="the checks">
      {({ version, status, checks }) => (
        <>
          <p class="meta">
            <StatusLabel status={status} />
            <span>version {version}</span>
          </p>
          <dl class="facts">
            {checks.map((check) => (
              <div key={check.name}>
                <dt>{check.name}</dt>
                <dd>
                  {check.status !== "ok" && <StatusLabel status={check.status} />} {check.detail}
                  {check.fix !== null && <span class="soft"> {check.fix}</span>}
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </WhenLoaded>
  );
}
