// Contradictions between memories, to settle.
import type { Contradiction, ResolveInput } from "kioku/client";
import { useState } from "preact/hooks";
import { LoadMore, WhenLoaded } from "../../components/feedback";
import { StatusLabel, Time } from "../../components/labels";
import { useAction, usePages } from "../../state/load";
import { toHref } from "../../state/router";
import { hasScope, useConnection } from "../../state/sign-in";

export function Contradictions({ project }: { project: string }) {
  const { kioku } = useConnection();
  const pages = usePages(() => kioku.contradictions.list(project ? { project_id: project } : {}), [project], {
    firstPage: 5,
  });
  return (
    <WhenLoaded loaded={pages} what="contradictions">
      {(contradictions) => (
        <>
          {contradictions.length === 0 && <p class="soft">There is nothing to settle.</p>}
          <ul class="cards">
            {contradictions.map((contradiction) => (
              <li key={contradiction.id}>
                <ContradictionCard contradiction={contradiction} done={pages.reload} />
              </li>
            ))}
          </ul>
          <LoadMore {...pages} />
        </>
      )}
    </WhenLoaded>
  );
}

function ContradictionCard({ contradiction, done }: { contradiction: Contradiction; done: () => void }) {
  const { kioku } = useConnection();
  const { id, memories, proposal } = contradiction;
  const [reason, setReason] = useState("");
  const resolve = useAction(async (input: ResolveInput) => {
    await kioku.contradictions.resolve(id, {
      ...input,
      ...(reason.trim() === "" ? {} : { reason: reason.trim() }),
    });
    done();
  });
  return (
    <>
      <div class="columns">
        {memories.map((side) => (
          <div key={side.id}>
            <p>
              <a class="excerpt" href={toHref([side.kind === "memory" ? "memories" : "experience", side.id])}>
                {side.content}
              </a>
            </p>
            <p class="meta">
              <StatusLabel status={side.status} />
              {side.confidence !== null && <span>confidence {side.confidence.toFixed(2)}</span>}
              {side.source_type !== undefined && <span>from {side.source_type.replaceAll("_", " ")}</span>}
              <Time at={side.timestamp} />
              {proposal?.keep === side.id && <span class="label label-good">proposed</span>}
            </p>
            {hasScope("write") && (
              <button
                type="button"
                class="button button-small"
                disabled={resolve.isRunning}
                onClick={() => resolve.run({ action: "supersede", keep: side.id })}
              >
                Keep this one
              </button>
            )}
          </div>
        ))}
      </div>
      {proposal !== null && (
        <p class="soft">
          Proposal{proposal.action === "keep_both" && " to keep both"}: {proposal.reason}
        </p>
      )}
      {hasScope("write") && (
        <div class="inline-form">
          <label class="field">
            <span class="field-label">Reason</span>
            <input value={reason} onInput={({ currentTarget }) => setReason(currentTarget.value)} />
          </label>
          <button
            type="button"
            class="button"
            disabled={resolve.isRunning || reason.trim() === ""}
            onClick={() => resolve.run({ action: "keep_both" })}
          >
            Keep both, for this reason
          </button>
        </div>
      )}
      {resolve.error !== null && (
        <p class="note note-danger" role="alert">
          {resolve.error}
        </p>
      )}
    </>
  );
}
