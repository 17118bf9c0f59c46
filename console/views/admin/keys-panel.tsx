// Keys: created once, rotated, revoked.

import type { Key, KeyCreate, KeyCreated } from "kioku/client";
import { useState } from "preact/hooks";
import { CodeBlock } from "../../components/code-block";
import { ConfirmDialog, Dialog } from "../../components/dialog";
import { LoadMore, WhenLoaded } from "../../components/feedback";
import { Time } from "../../components/labels";
import { ScrollRegion } from "../../components/scroll-region";
import { useAction, usePages } from "../../state/load";
import { useConnection } from "../../state/sign-in";

type OpenDialog = { kind: "create" } | { kind: "rotate" | "revoke"; key: Key } | null;

export function KeysPanel() {
  const { kioku, own } = useConnection();
  const pages = usePages(() => kioku.keys.list(own.tenant === null ? {} : { tenant: own.tenant }), []);
  const [open, setOpen] = useState<OpenDialog>(null);
  const [created, setCreated] = useState<KeyCreated | null>(null);
  const close = () => setOpen(null);
  const show = (key: KeyCreated) => {
    setCreated(key);
    pages.reload();
  };
  return (
    <>
      {created !== null && (
        <div class="note note-good" role="status">
          <p>
            <strong>Copy the key now.</strong> It is not shown again.
          </p>
          <CodeBlock code={created.key} label="The new key" />
        </div>
      )}
      <p class="actions">
        <button type="button" class="button" onClick={() => setOpen({ kind: "create" })}>
          Create a key
        </button>
      </p>
      {open?.kind === "create" && <CreateKeyDialog close={close} done={show} />}
      {open?.kind === "rotate" && <RotateKeyDialog apiKey={open.key} close={close} done={show} />}
      {open?.kind === "revoke" && <RevokeKeyDialog apiKey={open.key} close={close} done={pages.reload} />}
      <WhenLoaded loaded={pages} what="keys">
        {(keys) => (
          <>
            <KeyTable keys={keys} open={setOpen} />
            <LoadMore {...pages} />
          </>
        )}
      </WhenLoaded>
    </>
  );
}

function KeyTable({ keys, open }: { keys: readonly Key[]; open: (dialog: OpenDialog) => void }) {
  const { own } = useConnection();
  return (
    <ScrollRegion label="Keys">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Tenant</th>
            <th scope="col">Scopes</th>
            <th scope="col">Bound to</th>
            <th scope="col">Last used</th>
            <th scope="col">Ends</th>
            <th scope="col">Actions</th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <th scope="row">
                {key.name ?? key.id.slice(0, 12)}
                {key.id === own.id && <span class="soft"> (this one)</span>}
                {key.kind === "connection" && <span class="soft"> (connected by OAuth)</span>}
              </th>
              <td>{key.tenant}</td>
              <td>{key.scopes.join(", ")}</td>
              <td>{describeBinding(key)}</td>
              <td>{key.last_used_at === null ? "never" : <Time at={key.last_used_at} />}</td>
              <td>{key.expires_at === null ? "never" : <Time at={key.expires_at} />}</td>
              <td>
                <div class="row-actions">
                  {key.kind === "key" && (
                    <button
                      type="button"
                      class="button button-small"
                      onClick={() => open({ kind: "rotate", key })}
                    >
                      Rotate
                    </button>
                  )}
                  <button
                    type="button"
                    class="button button-small button-danger"
                    onClick={() => open({ kind: "revoke", key })}
                  >
                    Revoke
                  </button>
                </div>{" "}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function describeBinding({ bind }: Key): string {
  return OWNERS.flatMap(([owner, label]) =>
    bind?.[owner] ? `${label.toLowerCase()} ${bind[owner]}` : [],
  ).join(", ");
}

const OWNERS = [
  ["user_id", "User"],
  ["agent_id", "Agent"],
  ["project_id", "Project"],
] as const;
type Owner = (typeof OWNERS)[number][0];

const SCOPES = ["read", "write", "admin"] as const;

function CreateKeyDialog({ close, done }: { close: () => void; done: (key: KeyCreated) => void }) {
  const { kioku, own } = useConnection();
  const [name, setName] = useState("");
  const [tenant, setTenant] = useState(own.tenant ?? "");
  const [scopes, setScopes] = useState<readonly (typeof SCOPES)[number][]>(["read", "write"]);
  const [bind, setBind] = useState<Readonly<Record<Owner, string>>>({
    user_id: "",
    agent_id: "",
    project_id: "",
  });
  const create = useAction(async () => {
    const given = Object.entries(bind)
      .map(([name, id]) => [name, id.trim()])
      .filter(([, id]) => id !== "");
    const input: KeyCreate = {
      tenant: tenant.trim(),
      scopes: [...scopes],
      ...(name.trim() === "" ? {} : { name: name.trim() }),
      ...(given.length === 0 ? {} : { bind: Object.fromEntries(given) }),
    };
    done(await kioku.keys.create(input));
    close();
  });
  return (
    <Dialog title="Create a key" close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          create.run();
        }}
      >
        <label class="field">
          <span class="field-label">Name</span>
          <input value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
        </label>
        <label class="field">
          <span class="field-label">Tenant</span>
          <input
            required
            readOnly={own.tenant !== null}
            value={tenant}
            onInput={({ currentTarget }) => setTenant(currentTarget.value)}
          />
        </label>
        <fieldset class="choices">
          <legend class="field-label">Scopes</legend>
          {SCOPES.map((scope) => (
            <label key={scope}>
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                onChange={({ currentTarget }) =>
                  setScopes(
                    currentTarget.checked ? [...scopes, scope] : scopes.filter((one) => one !== scope),
                  )
                }
              />{" "}
              {scope}
            </label>
          ))}
        </fieldset>
        <fieldset class="bind">
          <legend class="field-label">
            Bind it: it sees and writes what belongs to all of these (optional)
          </legend>
          {OWNERS.map(([owner, label]) => (
            <label key={owner} class="field">
              <span class="field-label">{label}</span>
              <input
                value={bind[owner]}
                onInput={({ currentTarget }) => setBind({ ...bind, [owner]: currentTarget.value })}
              />
            </label>
          ))}
        </fieldset>
        {create.error !== null && (
          <p class="note note-danger" role="alert">
            {create.error}
          </p>
        )}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button button-primary" disabled={create.isRunning}>
            Create
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const OVERLAP_SECONDS = 3_600;

function RotateKeyDialog({
  apiKey,
  close,
  done,
}: {
  apiKey: Key;
  close: () => void;
  done: (key: KeyCreated) => void;
}) {
  const { kioku } = useConnection();
  const rotate = useAction(async () => {
    done(await kioku.keys.rotate(apiKey.id, { overlap_seconds: OVERLAP_SECONDS }));
    close();
  });
  return (
    <ConfirmDialog
      title={`Rotate ${apiKey.name ?? apiKey.id}?`}
      verb="Rotate"
      isRunning={rotate.isRunning}
      error={rotate.error}
      confirm={rotate.run}
      close={close}
    >
      <p>You get a new key with the same rights. The old one works for another hour.</p>
    </ConfirmDialog>
  );
}

function RevokeKeyDialog({ apiKey, close, done }: { apiKey: Key; close: () => void; done: () => void }) {
  const { kioku } = useConnection();
  const revoke = useAction(async () => {
    await kioku.keys.delete(apiKey.id);
    close();
    done();
  });
  return (
    <ConfirmDialog
      title={`Revoke ${apiKey.name ?? apiKey.id}?`}
      verb="Revoke"
      isRunning={revoke.isRunning}
      error={revoke.error}
      confirm={revoke.run}
      close={close}
    >
      <p>Programs that use it are refused at once. Nothing that it stored is deleted.</p>
    </ConfirmDialog>
  );
}
