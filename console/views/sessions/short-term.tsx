// A session's short-term memory: pending memories with the parts of their importance, and the working context.
import { ImportanceBar } from "../../components/bars";
import { WhenLoaded } from "../../components/feedback";
import { Time, TypeLabel } from "../../components/labels";
import { LongText } from "../../components/long-text";
import { formatQuantity, formatShare } from "../../state/format";
import { useLoad } from "../../state/load";
import { useConnection } from "../../state/sign-in";

type ListProps = { id: string; revision: number };

export function PendingMemories({ id, revision, threshold }: ListProps & { threshold: number }) {
  const { kioku } = useConnection();
  const pending = useLoad(() => kioku.session(id).pending.list().page(), [id, revision]);
  return (
    <WhenLoaded loaded={pending} what="pending memories">
      {({ data }) =>
        data.length === 0 ? (
          <p class="soft">None. Statements of new messages wait here until the next run.</p>
        ) : (
          <ul class="cards cards-small">
            {data.map((item) => (
              <li key={item.id}>
                <LongText>
                  <p>{item.content}</p>
                </LongText>
                <ImportanceBar
                  score={item.importance_score}
                  parts={item.importance_parts ?? null}
                  threshold={threshold}
                />
                <p class="meta">
                  <TypeLabel type={item.memory_type} />
                  <span>
                    {item.importance_score >= threshold
                      ? "will be promoted"
                      : `waits: below ${formatShare(threshold)}`}
                  </span>
                  <Time at={item.created_at} />
                  {item.extracted_by !== undefined && <span>extracted by {item.extracted_by}</span>}
                </p>
              </li>
            ))}
          </ul>
        )
      }
    </WhenLoaded>
  );
}

export function WorkingContext({ id, revision }: ListProps) {
  const { kioku } = useConnection();
  const context = useLoad(() => kioku.session(id).context.list().page(), [id, revision]);
  return (
    <WhenLoaded loaded={context} what="the working context">
      {({ data }) =>
        data.length === 0 ? (
          <p class="soft">Empty.</p>
        ) : (
          <dl class="facts">
            {data.map((item) => (
              <div key={item.key}>
                <dt>{item.key}</dt>
                <dd>
                  <LongText>
                    {typeof item.value === "string" ? item.value : JSON.stringify(item.value)}
                  </LongText>
                  <p class="meta">
                    <span>from {item.source}</span>
                    <span>importance {formatShare(item.importance)}</span>
                    <span>used {formatQuantity(item.access_count, "time")}</span>
                  </p>
                </dd>
              </div>
            ))}
          </dl>
        )
      }
    </WhenLoaded>
  );
}
