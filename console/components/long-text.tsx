// Text of any length. A long one is cut after some lines until it is opened, so that what stands below stays in reach.
// All of it stays in the page: a search of the browser and screen readers find it.
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";

/** In pixels. A text that is only a little higher than its cut is shown whole. */
const SLACK = 60;

/** `children` is text without controls: the keyboard cannot reach what is cut. */
export function LongText({ children }: { children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [isLong, setLong] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const id = useId();

  useLayoutEffect(() => {
    const [outer, inner] = [box.current, content.current];
    if (outer === null || inner === null) return;
    const measure = () => {
      const most = Number.parseFloat(getComputedStyle(outer).getPropertyValue("--cut"));
      setLong(inner.offsetHeight > most + SLACK);
    };
    measure();
    // The width of the window decides how many lines a text has.
    const observer = new ResizeObserver(measure);
    observer.observe(inner);
    return () => observer.disconnect();
  }, []);

  return (
    <div class="long">
      <div ref={box} id={id} class={isLong && !isOpen ? "long-text long-text-cut" : "long-text"}>
        <div ref={content} class="long-text-content">
          {children}
        </div>
      </div>
      {isLong && (
        <button
          type="button"
          class="button button-small"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "Show less" : "Show all"}
        </button>
      )}
    </div>
  );
}
