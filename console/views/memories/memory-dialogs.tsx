// Changing, forgetting and erasing a memory.
import type { MemoryDetail } from "kioku/client";
import { useState } from "preact/hooks";
import { ConfirmDialog, Dialog } from "../../components/dialog";
import { SelectField } from "../../components/fields";
import { useAction, useLoad } from "../../state/load";
import { navigate, toHref } from "../../state/router";
import { useConnection } from "../../state/sign-in";

type DialogProps = { memory: MemoryDetail; close: () => void; done: () => void };

export function EditDialog({ memory, close, done }: DialogProps) {
  const { kioku } = useConnection();
  const ontology = useLoad((signal) => kioku.ontology({ signal }), []);
  const [content, setContent] = useState(memory.content);
  const [type, setType] = useState<string>(memory.type);
  const [confidence, setConfidence] = useState(memory.confidence);
  const [tags, setTags] = useState(memory.tags.join(", "));
  const save = useAction(async () => {
    const changed = await kioku.memories.update(memory.id, {
      ...(content.trim() === memory.content ? {} : { content: content.trim() }),
      ...(type === memory.type ? {} : { type: type as MemoryDetail["type"] }),
      ...(confidence === memory.confidence ? {} : { confidence }),
      ...(tags === memory.tags.join(", ") ? {} : { tags: splitTags(tags) }),
    });
    close();
    // Another content or type makes a successor.
    if (changed.id === memory.id) done();
    else navigate(toHref(["memories", changed.id]));
  });
  return (
    <Dialog title="Edit the memory" close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.run();
        }}
      >
        <label class="field">
          <span class="field-label">Content</span>
          <textarea
            rows={4}
            required
            value={content}
            onInput={({ currentTarget }) => setContent(currentTarget.value)}
          />
        </label>
        <p class="soft">
          Another content or type makes a new memory that replaces this one; the history keeps both.
        </p>
        <SelectField
          label="Type"
          value={type}
          options={ontology.value?.memory_types ?? [memory.type]}
          change={setType}
        />
        <label class="field">
          <span class="field-label">Confidence {confidence.toFixed(2)}</span>
          <input
            type="range"
            min="0"
            max="1"
            step="0.01"
            value={confidence}
            onInput={({ currentTarget }) => setConfidence(currentTarget.valueAsNumber)}
          />
        </label>
        <label class="field">
          <span class="field-label">Tags, separated by commas</span>
          <input value={tags} onInput={({ currentTarget }) => setTags(currentTarget.value)} />
        </label>
        {save.error !== null && (
          <p class="note note-danger" role="alert">
            {save.error}
          </p>
        )}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button button-primary" disabled={save.isRunning}>
            {save.isRunning ? "Saving…" : "Save"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

export function ForgetDialog({ memory, close, done }: DialogProps) {
  const { kioku } = useConnection();
  const [reason, setReason] = useState("");
  const forget = useAction(async () => {
    await kioku.forget({ memory_id: memory.id, ...(reason.trim() === "" ? {} : { reason: reason.trim() }) });
    close();
    done();
  });
  return (
    <ConfirmDialog
      title="Forget this memory?"
      verb="Forget"
      isRunning={forget.isRunning}
      error={forget.error}
      confirm={forget.run}
      close={close}
    >
      <p>It is no longer recalled. It stays in the history, with the reason.</p>
      <label class="field">
        <span class="field-label">Reason (optional)</span>
        <input value={reason} onInput={({ currentTarget }) => setReason(currentTarget.value)} />
      </label>
    </ConfirmDialog>
  );
}

type EraseDialogProps = {
  memory: MemoryDetail;
  close: () => void;
  done: (deleted: Record<string, number>) => void;
};

export function EraseDialog({ memory, close, done }: EraseDialogProps) {
  const { kioku } = useConnection();
  const erase = useAction(async () => {
    const { deleted } = await kioku.memories.delete(memory.id);
    close();
    done(deleted);
  });
  return (
    <ConfirmDialog
      title="Erase this memory?"
      verb="Erase for good"
      isRunning={erase.isRunning}
      error={erase.error}
      confirm={erase.run}
      close={close}
    >
      <blockquote>{memory.content}</blockquote>
      <p>
        The memory goes with its triples, its vector, its entry in the text index and its{" "}
        {memory.links.length === 1 ? "one link" : `${memory.links.length} links`}. This cannot be undone.
      </p>
    </ConfirmDialog>
  );
}

function splitTags(text: string): string[] {
  return text
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);
}
