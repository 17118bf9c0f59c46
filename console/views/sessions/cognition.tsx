// A session's cognition: tasks, spaces, projectors and the thread.
import type { ThreadEntry } from "kioku/client";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { CodeBlock } from "../../components/code-block";
import { WhenLoaded } from "../../components/feedback";
import { StatusLabel, Time } from "../../components/labels";
import { shorten } from "../../state/format";
import { useLoad } from "../../state/load";
import { useConnection } from "../../state/sign-in";

type CognitionProps = { id: string; revision: number };

export function Cognition(props: CognitionProps) {
  return (
    <>
      <section>
        <h2>Tasks</h2>
        <Tasks {...props} />
      </section>
      <Fold title="Spaces">
        <Spaces {...props} />
      </Fold>
      <Fold title="Projectors">
        <Projectors {...props} />
      </Fold>
      <Fold title="Thread">
        <Thread {...props} />
      </Fold>
    </>
  );
}

/** A part that is read when it is opened. */
function Fold({ title, children }: { title: string; children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="fold" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <h2>{title}</h2>
      </summary>
      {isOpen && children}
    </details>
  );
}

function Tasks({ id, revision }: CognitionProps) {
  const { kioku } = useConnection();
  const tasks = useLoad(() => kioku.session(id).tasks.list().page(), [id, revision]);
  return (
    <WhenLoaded loaded={tasks} what="the tasks">
      {({ data }) =>
        data.length === 0 ? (
          <p class="soft">None.</p>
        ) : (
          <ul class="plain">
            {data.map((task) => (
              <li key={task.id}>
                <StatusLabel status={task.status} /> {task.text}
              </li>
            ))}
          </ul>
        )
      }
    </WhenLoaded>
  );
}

function Spaces({ id, revision }: CognitionProps) {
  const { kioku } = useConnection();
  const memory = useLoad((signal) => kioku.session(id).memory.get({ signal }), [id, revision]);
  return (
    <WhenLoaded loaded={memory} what="the spaces">
      {({ spaces }) => (
        <>
          {Object.keys(spaces).length === 0 && <p class="soft">There are no spaces.</p>}
          {Object.entries(spaces).map(([name, space]) => (
            <div key={name}>
              <h3>
                {name} <span class="soft">revision {space.rev}</span>
              </h3>
              <CodeBlock code={JSON.stringify(space.data, null, 2)} label={`Space ${name}`} />
            </div>
          ))}
        </>
      )}
    </WhenLoaded>
  );
}

function Projectors({ id, revision }: CognitionProps) {
  const { kioku } = useConnection();
  const projectors = useLoad((signal) => kioku.session(id).projectors.list({ signal }), [id, revision]);
  return (
    <WhenLoaded loaded={projectors} what="the projectors">
      {({ data }) => (
        <dl class="facts">
          {data.map(({ name, covered_seq, failures, retry_at }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                up to entry {covered_seq}
                {failures > 0 && `, ${failures} failures`}
                {retry_at !== null && (
                  <>
                    , again <Time at={retry_at} />
                  </>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </WhenLoaded>
  );
}

const THREAD_ENTRIES = 50;

function Thread({ id, revision }: CognitionProps) {
  const { kioku } = useConnection();
  const thread = useLoad(
    () => kioku.session(id).thread.list().page({ limit: THREAD_ENTRIES }),
    [id, revision],
  );
  return (
    <WhenLoaded loaded={thread} what="the thread">
      {({ data }) => (
        <>
          {data.length === 0 && <p class="soft">The thread is empty.</p>}
          <ol class="plain">
            {data.map((entry) => (
              <li key={entry.seq}>
                <span class="soft">
                  {entry.seq} {entry.kind.replaceAll("_", " ")}
                </span>{" "}
                {describePayload(entry)}
              </li>
            ))}
          </ol>
        </>
      )}
    </WhenLoaded>
  );
}

function describePayload({ payload }: ThreadEntry): string {
  return shorten(typeof payload === "string" ? payload : JSON.stringify(payload), 200);
}
