// The scan of the embedded index, in AssemblyScript: dot products of a query of 16-bit numbers with rows of 8-bit
// ones, sixteen dimensions a step. Compiled by `npm run kernels`; src/vectors/embedded/scan-memory.ts lays out the memory.

/**
 * For each of the `count` slots in `list`: its row's dot product with `query`, times the row's scale, into `scores`.
 * `stride` is a row's bytes, a multiple of 16. Sums stay within 32 bits as scanner.ts bounds the query.
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
      // One load of sixteen bytes, widened twice: fewer loads to check than two widening ones.
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
