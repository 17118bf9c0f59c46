// The versions of a memory as a timeline, oldest first.
import { WhenLoaded } from "../../components/feedback";
import { StatusLabel } from "../../components/labels";
import { formatTime } from "../../state/format";
import { useLoad } from "../../state/load";
import { toHref } from "../../state/router";
import { useConnection } from "../../state/sign-in";

type MemoryHistoryProps = {
  id: string;
  revision: string;
  /** The time whose history it is; undefined for now. */
  asOf: string | undefined;
};

export function MemoryHistory({ id, revision, asOf }: MemoryHistoryProps) {
  const { kioku } = useConnection();
  const clock = asOf === undefined ? {} : { as_of: asOf };
  const history = useLoad((signal) => kioku.memories.history(id, clock, { signal }), [id, revision, asOf]);
  return (
    <WhenLoaded loaded={history} what="its history">
      {({ data }) => (
        <ol class="timeline">
          {data.map((version) => (
            <li key={version.id} aria-current={version.id === id ? "true" : undefined}>
              <p class="meta">
                <time dateTime={version.valid_from}>{formatTime(version.valid_from)}</time>
                <StatusLabel status={version.status} />
              </p>
              <p class="excerpt">
                {version.id === id ? (
                  <strong>{version.content}</strong>
                ) : (
                  <a href={toHref(["memories", version.id], { as_of: asOf })}>{version.content}</a>
                )}
              </p>
            </li>
          ))}
        </ol>
      )}
    </WhenLoaded>
  );
}
