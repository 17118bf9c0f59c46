// Tabs, one of which is shown. The arrow keys move between them.
import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";

type Tab = { name: string; content: ComponentChildren };

export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const [selected, setSelected] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const move = (step: number) => {
    const next = (selected + step + tabs.length) % tabs.length;
    setSelected(next);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  };
  return (
    <div class="tabs">
      <div
        class="tab-list"
        role="tablist"
        aria-label={label}
        ref={list}
        onKeyDown={({ key }) => {
          if (key === "ArrowRight") move(1);
          if (key === "ArrowLeft") move(-1);
        }}
      >
        {tabs.map(({ name }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-tab-${index}`}
            aria-controls={`${id}-panel`}
            aria-selected={index === selected}
            tabIndex={index === selected ? 0 : -1}
            onClick={() => setSelected(index)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${selected}`}>
        {tabs[selected]?.content}
      </div>
    </div>
  );
}
