// What the tenant stores, against its quotas.
import { Bar } from "../../components/bars";
import { WhenLoaded } from "../../components/feedback";
import { formatBytes, formatCount } from "../../state/format";
import { useLoad } from "../../state/load";
import { useConnection } from "../../state/sign-in";

const KINDS = ["memories", "messages", "sessions", "episodes", "bytes", "streams"] as const;

export function UsagePanel() {
  const { kioku } = useConnection();
  const usage = useLoad((signal) => kioku.usage({ signal }), []);
  return (
    <WhenLoaded loaded={usage} what="the usage">
      {(totals) => (
        <div class="bars">
          {KINDS.map((kind) => {
            const format = kind === "bytes" ? formatBytes : formatCount;
            const [used, limit] = [totals[kind], totals.limits[kind]];
            return (
              <Bar
                key={kind}
                label={kind === "bytes" ? "text stored" : kind}
                value={limit === null ? 0 : used}
                max={limit ?? 1}
                text={limit === null ? `${format(used)}, no limit` : `${format(used)} of ${format(limit)}`}
                tone={limit !== null && used >= limit * 0.9 ? "warn" : "accent"}
              />
            );
          })}
        </div>
      )}
    </WhenLoaded>
  );
}
