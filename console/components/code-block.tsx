// Code or text to read and copy.
import { useState } from "preact/hooks";

/** Browsers have no clipboard on pages without TLS, apart from localhost. */
const canCopy = navigator.clipboard !== undefined;

export function CodeBlock({ code, label }: { code: string; label: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(code);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <div class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre tabIndex={0} role="region" aria-label={label}>
        {code}
      </pre>
      {canCopy && (
        <button
          type="button"
          class="button button-small code-copy"
          onClick={() => void copy()}
          aria-label={`Copy: ${label}`}
        >
          {copied ? "Copied" : "Copy"}
        </button>
      )}
    </div>
  );
}
