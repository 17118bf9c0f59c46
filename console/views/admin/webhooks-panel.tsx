// Webhooks: whether they are received, and adding and deleting them.
import type { Webhook, WebhookCreate } from "kioku/client";
import { useState } from "preact/hooks";
import { CodeBlock } from "../../components/code-block";
import { ConfirmDialog, Dialog } from "../../components/dialog";
import { ErrorNote, WhenLoaded } from "../../components/feedback";
import { StatusLabel, Time } from "../../components/labels";
import { useAction, useLoad } from "../../state/load";
import { hasScope, useConnection } from "../../state/sign-in";

type OpenDialog = { kind: "add" } | { kind: "delete"; webhook: Webhook } | null;

export function WebhooksPanel() {
  const { kioku } = useConnection();
  const webhooks = useLoad((signal) => kioku.webhooks.list({ signal }), []);
  const [open, setOpen] = useState<OpenDialog>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      {secret !== null && (
        <div class="note note-good" role="status">
          <p>
            <strong>Copy the secret now.</strong> It signs the deliveries and is not shown again.
          </p>
          <CodeBlock code={secret} label="The secret of the webhook" />
        </div>
      )}
      {hasScope("write") && (
        <p class="actions">
          <button type="button" class="button" onClick={() => setOpen({ kind: "add" })}>
            Add a webhook
          </button>
        </p>
      )}
      {open?.kind === "add" && (
        <AddWebhookDialog
          close={close}
          done={(added) => {
            setSecret(added);
            webhooks.reload();
          }}
        />
      )}
      {open?.kind === "delete" && (
        <DeleteWebhookDialog webhook={open.webhook} close={close} done={webhooks.reload} />
      )}
      <WhenLoaded loaded={webhooks} what="webhooks">
        {({ data }) =>
          data.length === 0 ? (
            <p class="soft">None. A webhook tells your own service what happens here.</p>
          ) : (
            <dl class="facts">
              {data.map((webhook) => (
                <div key={webhook.id}>
                  <dt>{webhook.url}</dt>
                  <dd>
                    <WebhookStatus {...webhook} /> {webhook.events.join(", ")}{" "}
                    {hasScope("write") && (
                      <button
                        type="button"
                        class="button button-small button-danger"
                        onClick={() => setOpen({ kind: "delete", webhook })}
                      >
                        Delete
                      </button>
                    )}
                  </dd>
                </div>
              ))}
            </dl>
          )
        }
      </WhenLoaded>
    </>
  );
}

function WebhookStatus({ disabled_at, failing_since }: Webhook) {
  const since = disabled_at ?? failing_since;
  if (since === null) return <StatusLabel status="ok" />;
  return (
    <>
      <StatusLabel status={disabled_at === null ? "failed" : "dead"} /> since <Time at={since} />
    </>
  );
}

const EVENTS: WebhookCreate["events"] = [
  "memory.created",
  "memory.superseded",
  "memory.forgotten",
  "memory.erased",
  "memory.promoted",
  "episode.created",
  "consolidation.completed",
];

function AddWebhookDialog({ close, done }: { close: () => void; done: (secret: string) => void }) {
  const { kioku } = useConnection();
  const [url, setUrl] = useState("");
  const [events, setEvents] = useState<WebhookCreate["events"]>(["memory.created"]);
  const add = useAction(async () => {
    const { secret } = await kioku.webhooks.create({ url: url.trim(), events });
    done(secret);
    close();
  });
  return (
    <Dialog title="Add a webhook" close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          add.run();
        }}
      >
        <label class="field">
          <span class="field-label">URL</span>
          <input
            type="url"
            required
            placeholder="https://example.com/kioku"
            value={url}
            onInput={({ currentTarget }) => setUrl(currentTarget.value)}
          />
        </label>
        <fieldset class="choices choices-wide">
          <legend class="field-label">Events</legend>
          {EVENTS.map((name) => (
            <label key={name}>
              <input
                type="checkbox"
                checked={events.includes(name)}
                onChange={({ currentTarget }) =>
                  setEvents(currentTarget.checked ? [...events, name] : events.filter((one) => one !== name))
                }
              />{" "}
              {name}
            </label>
          ))}
        </fieldset>
        {add.error !== null && <ErrorNote message={add.error} />}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button button-primary" disabled={add.isRunning || events.length === 0}>
            Add
          </button>
        </div>
      </form>
    </Dialog>
  );
}

type DeleteProps = { webhook: Webhook; close: () => void; done: () => void };

function DeleteWebhookDialog({ webhook, close, done }: DeleteProps) {
  const { kioku } = useConnection();
  const remove = useAction(async () => {
    await kioku.webhooks.delete(webhook.id);
    close();
    done();
  });
  return (
    <ConfirmDialog
      title="Delete this webhook?"
      verb="Delete"
      isRunning={remove.isRunning}
      error={remove.error}
      confirm={remove.run}
      close={close}
    >
      <p>{webhook.url} receives nothing any more. Deliveries that wait are dropped.</p>
    </ConfirmDialog>
  );
}
