// What a filter asks of each vector, a column of numbers each. Grown as rows come.

export type Columns = {
  timestamp: Float64Array;
  session: Uint32Array;
  agent: Uint32Array;
  project: Uint32Array;
  type: Uint32Array;
  live: Uint8Array;
};

export function newColumns(capacity: number): Columns {
  return {
    timestamp: new Float64Array(capacity),
    session: new Uint32Array(capacity),
    agent: new Uint32Array(capacity),
    project: new Uint32Array(capacity),
    type: new Uint32Array(capacity),
    live: new Uint8Array(capacity),
  };
}

export function grown(columns: Columns, capacity: number): Columns {
  const larger = newColumns(capacity);
  larger.timestamp.set(columns.timestamp);
  larger.session.set(columns.session);
  larger.agent.set(columns.agent);
  larger.project.set(columns.project);
  larger.type.set(columns.type);
  larger.live.set(columns.live);
  return larger;
}

/** The bytes of some rows, column by column. The order is the order on disk: it never changes. */
export function bytesOf(
  { timestamp, session, agent, project, type, live }: Columns,
  slot: number,
  count: number,
): Uint8Array[] {
  return [timestamp, session, agent, project, type, live].map((column) => viewOf(column, slot, count));
}

/** The bytes of some elements of a typed array, as a view of its own memory. */
export function viewOf(
  array: Float64Array | Float32Array | Uint32Array | Uint8Array | Int8Array,
  start: number,
  count: number,
): Uint8Array {
  const width = array.BYTES_PER_ELEMENT;
  return new Uint8Array(array.buffer, array.byteOffset + start * width, count * width);
}
