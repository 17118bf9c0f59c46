// A picture of columns of cards with lines between neighbouring columns; on narrow screens the columns stand below each
// other. The cards are ordinary HTML, so that they can be read, focused and followed; only the lines are drawn.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

export type FlowColumn = {
  title: string;
  cards: readonly { id: string; content: ComponentChildren }[];
};

type Line = { id: string; path: string };

export function FlowPicture({ label, columns }: { label: string; columns: readonly FlowColumn[] }) {
  const element = useRef<HTMLElement>(null);
  const [lines, setLines] = useState<Line[]>([]);
  const shown = columns.filter(({ cards }) => cards.length > 0);
  const shape = shown.map(({ cards }) => cards.map(({ id }) => id));

  useLayoutEffect(() => {
    const figure = element.current;
    if (figure === null) return;
    const draw = () => setLines(drawLines(figure, shape));
    draw();
    const observer = new ResizeObserver(draw);
    observer.observe(figure);
    return () => observer.disconnect();
  }, [JSON.stringify(shape)]);

  return (
    <section class="flow" ref={element} aria-label={label}>
      <svg class="flow-lines" aria-hidden="true">
        {lines.map(({ id, path }) => (
          <path key={id} d={path} />
        ))}
      </svg>
      {shown.map(({ title, cards }) => (
        <div key={title} class="flow-column">
          <h3>{title}</h3>
          <ul>
            {cards.map(({ id, content }) => (
              <li key={id} class="flow-card" data-card={id}>
                {content}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

/** Returns a line from every card of a column to every card of the next, around the cards' current places. */
function drawLines(figure: HTMLElement, shape: readonly (readonly string[])[]): Line[] {
  const frame = figure.getBoundingClientRect();
  const places = new Map(
    [...figure.querySelectorAll<HTMLElement>("[data-card]")].map((card) => [
      card.dataset.card ?? "",
      card.getBoundingClientRect(),
    ]),
  );
  return shape.flatMap((column, index) =>
    column.flatMap((from) =>
      (shape[index + 1] ?? []).flatMap((to) => {
        const [start, end] = [places.get(from), places.get(to)];
        if (start === undefined || end === undefined) return [];
        return [{ id: `${from} ${to}`, path: connect(start, end, frame) }];
      }),
    ),
  );
}

function connect(start: DOMRect, end: DOMRect, frame: DOMRect): string {
  const isBeside = end.left >= start.right;
  const [x1, y1, x2, y2] = isBeside
    ? [start.right, start.top + start.height / 2, end.left, end.top + end.height / 2]
    : [start.right - 24, start.bottom, end.right - 24, end.top];
  const [fromX, fromY, toX, toY] = [x1 - frame.left, y1 - frame.top, x2 - frame.left, y2 - frame.top];
  const [middleX, middleY] = [(fromX + toX) / 2, (fromY + toY) / 2];
  return isBeside
    ? `M${fromX} ${fromY}C${middleX} ${fromY} ${middleX} ${toY} ${toX} ${toY}`
    : `M${fromX} ${fromY}C${fromX} ${middleY} ${toX} ${middleY} ${toX} ${toY}`;
}
