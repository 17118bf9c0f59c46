// Webhooks and whether they are received.
import { WhenLoaded } from "../../components/feedback";
import { StatusLabel, Time } from "../../components/labels";
import { useLoad } from "../../state/load";
import { useConnection } from "../../state/sign-in";

export function WebhooksPanel() {
  const { kioku } = useConnection();
  const webhooks = useLoad((signal) => kioku.webhooks.list({ signal }), []);
  return (
    <WhenLoaded loaded={webhooks} what="webhooks">
      {({ data }) =>
        data.length === 0 ? (
          <p class="soft">
            None. <code>POST /v1/webhooks</code> with a url and events sends what happens to your own service.
          </p>
        ) : (
          <dl class="facts">
            {data.map(({ id, url, events, failing_since, disabled_at }) => (
              <div key={id}>
                <dt>{url}</dt>
                <dd>
                  {disabled_at !== null ? (
                    <>
                      <StatusLabel status="dead" /> since <Time at={disabled_at} />
                    </>
                  ) : failing_since !== null ? (
                    <>
                      <StatusLabel status="failed" /> since <Time at={failing_since} />
                    </>
                  ) : (
                    <StatusLabel status="ok" />
                  )}{" "}
                  {events.join(", ")}
                </dd>
              </div>
            ))}
          </dl>
        )
      }
    </WhenLoaded>
  );
}
