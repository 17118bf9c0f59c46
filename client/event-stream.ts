// Server-sent events out of bytes, as the HTML standard has them: fields up to an empty line, whatever the line ends.

export type StreamEvent = { id: string | null; data: string | null; retry_ms: number | null };

/** Events as they arrive; also those without data, since they may say how soon to come back. */
export async function* eventsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent> {
  let lines: string[] = [];
  for await (const line of linesOf(chunks)) {
    if (line !== "") {
      lines.push(line);
      continue;
    }
    // What the end cuts off is no event: it comes again after the next connection.
    if (lines.length > 0) yield eventOf(lines);
    lines = [];
  }
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    // A carriage return at the very end may be half of a line end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

function eventOf(lines: readonly string[]): StreamEvent {
  const valuesOf = (field: string) =>
    lines.flatMap((line) => {
      const [name, ...value] = line.split(":");
      return name === field ? [value.join(":").replace(/^ /, "")] : [];
    });
  const data = valuesOf("data");
  const retry = valuesOf("retry").at(-1);
  return {
    id: valuesOf("id").at(-1) ?? null,
    data: data.length === 0 ? null : data.join("\n"),
    retry_ms: retry !== undefined && /^\d+$/.test(retry) ? Number(retry) : null,
  };
}
