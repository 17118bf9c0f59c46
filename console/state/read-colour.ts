// Colours for canvases, which style sheets do not reach.

/** Returns a colour of the style sheet as the current theme has it. */
export function readColour(element: HTMLElement, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(--${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
