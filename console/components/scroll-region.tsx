// A part of a page that scrolls by itself, such as a wide table.
import type { ComponentChildren } from "preact";

type ScrollRegionProps = { label: string; isTall?: boolean; children: ComponentChildren };

export function ScrollRegion({ label, isTall = false, children }: ScrollRegionProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div class={isTall ? "scroll scroll-tall" : "scroll"} tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}
