// A modal dialog. The browser keeps the focus inside, closes it on Escape and returns the focus afterwards.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

type DialogProps = { title: string; close: () => void; children: ComponentChildren };

export function Dialog({ title, close, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    element.current?.showModal();
  }, []);
  return (
    <dialog ref={element} class="dialog" aria-labelledby={titleId} onClose={close}>
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  );
}

type ConfirmProps = {
  title: string;
  /** The button that does it, such as "Erase". */
  verb: string;
  isRunning: boolean;
  error: string | null;
  confirm: () => void;
  close: () => void;
  children: ComponentChildren;
};

/** Asks once before something is destroyed, and says what will go. */
export function ConfirmDialog({ title, verb, isRunning, error, confirm, close, children }: ConfirmProps) {
  return (
    <Dialog title={title} close={close}>
      {children}
      {error !== null && (
        <p class="note note-danger" role="alert">
          {error}
        </p>
      )}
      <div class="dialog-actions">
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class="button button-danger" onClick={confirm} disabled={isRunning}>
          {isRunning ? "Working…" : verb}
        </button>
      </div>
    </Dialog>
  );
}

/** The counts that an erasure returns. */
export function Receipt({ deleted }: { deleted: Readonly<Record<string, number>> }) {
  return (
    <div class="note note-good" role="status">
      <p>
        <strong>Erased.</strong> The receipt:
      </p>
      <dl class="receipt">
        {Object.entries(deleted).map(([name, count]) => (
          <div key={name}>
            <dt>{name.replaceAll("_", " ")}</dt>
            <dd>{count}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
