// The vector index: its model, its backlog, and re-embedding with its progress.
import { useState } from "preact/hooks";
import { Bar } from "../../components/bars";
import { ConfirmDialog } from "../../components/dialog";
import { WhenLoaded } from "../../components/feedback";
import { formatCount } from "../../state/format";
import { useAction } from "../../state/load";
import { useConnection } from "../../state/sign-in";
import { IndexFacts, useIndexState } from "./index-facts";

type Progress = { done: number; total: number; finished: boolean };

export function IndexPanel() {
  const { kioku, own } = useConnection();
  const index = useIndexState();
  const [isAsking, setAsking] = useState(false);
  const [progress, setProgress] = useState<Progress | null>(null);
  const reembed = useAction(async () => {
    setAsking(false);
    let step: Progress;
    do {
      step = await kioku.request("POST", "/v1/admin/reembed");
      setProgress(step);
    } while (!step.finished);
    index.reload();
  });
  return (
    <WhenLoaded loaded={index} what="the index">
      {(state) => (
        <>
          <IndexFacts state={state} />
          {own.tenant === null && (
            <p class="actions">
              <button
                type="button"
                class="button"
                onClick={() => setAsking(true)}
                disabled={reembed.isRunning}
              >
                {reembed.isRunning ? "Embedding…" : "Embed everything again"}
              </button>
            </p>
          )}
          {progress !== null && (
            <Bar
              label={progress.finished ? "finished" : "embedding"}
              value={progress.done}
              max={progress.total}
              text={`${formatCount(progress.done)} of ${formatCount(progress.total)}`}
            />
          )}
          {isAsking && (
            <ConfirmDialog
              title="Embed everything again?"
              verb="Start"
              isRunning={reembed.isRunning}
              error={reembed.error}
              confirm={reembed.run}
              close={() => setAsking(false)}
            >
              <p>
                Every memory and message of all tenants gets a new vector. Recall stays available meanwhile.
              </p>
            </ConfirmDialog>
          )}
          {reembed.error !== null && !isAsking && (
            <p class="note note-danger" role="alert">
              {reembed.error}
            </p>
          )}
        </>
      )}
    </WhenLoaded>
  );
}
