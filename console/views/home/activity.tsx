// What was stored and recalled in the last month, by day.
import { CodeBlock } from "../../components/code-block";
import { DayChart } from "../../components/day-chart";
import { WhenLoaded } from "../../components/feedback";
import { useLoad } from "../../state/load";
import { useConnection } from "../../state/sign-in";

const WINDOW_DAYS = 30;

export function Activity() {
  const { kioku, key } = useConnection();
  const metrics = useLoad((signal) => kioku.metrics({ window_days: WINDOW_DAYS }, { signal }), []);
  return (
    <WhenLoaded loaded={metrics} what="the activity">
      {({ activity, by_day }) => {
        const days = activity.map(({ day }) => day);
        const recalls = activity.map((one) => one.recalls ?? 0);
        const briefings = by_day.map(({ prime }) => prime.calls);
        const isRecalled = [...recalls, ...briefings].some((count) => count > 0);
        return (
          <div class="columns">
            <section>
              <h2>Stored in the last {WINDOW_DAYS} days</h2>
              <DayChart
                label="Memories and messages by day"
                days={days}
                series={[
                  { name: "memories", tone: "accent", values: activity.map(({ memories }) => memories) },
                  { name: "messages", tone: "good", values: activity.map(({ messages }) => messages) },
                ]}
              />
            </section>
            <section>
              <h2>Recalled in the last {WINDOW_DAYS} days</h2>
              {isRecalled ? (
                <DayChart
                  label="Recalls and briefings by day"
                  days={days}
                  series={[
                    { name: "recalls", tone: "accent", values: recalls },
                    { name: "briefings", tone: "warn", values: briefings },
                  ]}
                />
              ) : (
                <>
                  <p class="soft">No agent has asked for anything yet. Ask for something:</p>
                  <CodeBlock
                    label="Recall something"
                    code={`curl -sS ${location.origin}/v1/recall \\
  -H 'Authorization: Bearer ${key}' \\
  -d '{"scope":"tenant","query":"Where does Alex live?"}'`}
                  />
                </>
              )}
            </section>
          </div>
        );
      }}
    </WhenLoaded>
  );
}
