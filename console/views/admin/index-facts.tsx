// The state of the vector index: its model and its backlog.
import type { IndexState } from "kioku/client";
import { formatCount } from "../../state/format";
import { type Loaded, useLoad } from "../../state/load";
import { useConnection } from "../../state/sign-in";

export function useIndexState(): Loaded<IndexState> {
  const { kioku, own } = useConnection();
  const query = own.tenant === null ? {} : { tenant: own.tenant };
  return useLoad((signal) => kioku.request("GET", "/v1/admin/index", { query, signal }), []);
}

export function IndexFacts({ state }: { state: IndexState }) {
  return (
    <>
      <dl class="facts">
        <div>
          <dt>Embedder</dt>
          <dd>
            {state.embedder ?? "none"} {state.dimensions !== null && `(${state.dimensions} dimensions)`}
          </dd>
        </div>
        <div>
          <dt>Index</dt>
          <dd>{state.index ?? "none"}</dd>
        </div>
        <div>
          <dt>Backlog</dt>
          <dd>
            {state.waiting === 0 ? "everything is indexed" : `${formatCount(state.waiting)} not indexed yet`}
          </dd>
        </div>
        <div>
          <dt>Reranker</dt>
          <dd>{state.reranker ?? "none"}</dd>
        </div>
      </dl>
      {!state.matches && (
        <p class="note note-warn">
          The vectors were made with {state.made_with?.embedder}. Recall is by text alone until everything is
          embedded again.
        </p>
      )}
    </>
  );
}
