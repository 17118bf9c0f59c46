// The scan of the embedded index, in AssemblyScript: dot products of an int16 query with int8 rows, sixteen dimensions
// per step. `npm run kernels` compiles it to scan.wasm; scan-memory.ts lays out the memory.

/**
 * Writes to `scores`, for each of the `count` slots in `list`, the dot product of its row with `query`, times the row's
 * scale. `stride` is the size of a row in bytes, a multiple of 16. quantise.ts bounds the query so that sums fit 32 bits.
 */
export function scan(
  query: usize,
  rows: usize,
  stride: usize,
  scales: usize,
  list: usize,
  count: usize,
  scores: usize,
): void {
  for (let i: usize = 0; i < count; i++) {
    const slot: usize = load<u32>(list + (i << 2));
    const row = rows + slot * stride;
    let low = i32x4.splat(0);
    let high = i32x4.splat(0);
    for (let at: usize = 0; at < stride; at += 16) {
      const part = query + (at << 1);
      // One load of sixteen bytes, widened twice, has fewer bounds checks than two widening loads.
      const bytes = v128.load(row + at);
      low = i32x4.add(low, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(bytes), v128.load(part)));
      high = i32x4.add(high, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(bytes), v128.load(part, 16)));
    }
    const sums = i32x4.add(low, high);
    const dot =
      i32x4.extract_lane(sums, 0) +
      i32x4.extract_lane(sums, 1) +
      i32x4.extract_lane(sums, 2) +
      i32x4.extract_lane(sums, 3);
    store<f32>(scores + (i << 2), <f32>dot * load<f32>(scales + (slot << 2)));
  }
}
