// The memories that would lose support if a memory were wrong.
import { WhenLoaded } from "../../components/feedback";
import { StatusLabel } from "../../components/labels";
import { formatName } from "../../state/format";
import { useLoad } from "../../state/load";
import { toHref } from "../../state/router";
import { useConnection } from "../../state/sign-in";

export function MemoryImpact({ id }: { id: string }) {
  const { kioku } = useConnection();
  const impact = useLoad(
    (signal) => kioku.request("GET", "/v1/memories/{id}/impact", { params: { id }, signal }),
    [id],
  );
  return (
    <WhenLoaded loaded={impact} what="what rests on it">
      {({ data, hidden, truncated }) => (
        <>
          {data.length === 0 && hidden === 0 && <p class="soft">Nothing rests on it.</p>}
          <ul class="plain">
            {data.map((memory) => (
              <li key={memory.id}>
                <a class="excerpt" href={toHref(["memories", memory.id])}>
                  {memory.content}
                </a>
                <p class="meta">
                  <StatusLabel status={memory.status} />
                  <span>{memory.path.map(({ relation }) => formatName(relation)).join(" → ")}</span>
                  <span>
                    {memory.other_support === 0
                      ? "no other support"
                      : `${memory.other_support} other ${memory.other_support === 1 ? "source" : "sources"}`}
                  </span>
                </p>
              </li>
            ))}
          </ul>
          {(hidden > 0 || truncated) && (
            <p class="soft">
              {hidden > 0 && `${hidden} more are not visible to this key. `}
              {truncated && "There are more than are listed."}
            </p>
          )}
        </>
      )}
    </WhenLoaded>
  );
}
