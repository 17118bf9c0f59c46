// The arithmetic of the sentence encoder, in AssemblyScript: `npm run kernels` compiles it to kernel.wasm.
// Addresses are byte offsets in the module's memory, laid out by sentence-encoder.ts. Matrices are row-major f32,
// except for those that `pack` and the model file lay out for `linear`.
//
// Products are of integers: int8 weights with 14-bit activations, two per instruction. This is twice as fast as f32
// without FMA and gives the same bits on every machine.

/** Rows that `linear` computes together. Matrices are allocated for a multiple of this many rows. */
const TILE: i32 = 4;
/** 127 × 8191 × 1536 inputs fits an i32. */
const LARGEST: f32 = 8191;
const HEADS: i32 = 4;
const EPSILON: f32 = 1e-6;

/** out[row] = values[ids[row]] · scales[ids[row]] + positions[row] */
export function embed(
  ids: usize,
  rows: i32,
  width: i32,
  values: usize,
  scales: usize,
  positions: usize,
  out: usize,
): void {
  for (let row = 0; row < rows; row += 1) {
    const id = load<i32>(ids + ((<usize>row) << 2));
    const from = values + <usize>(id * width);
    const scale = v128.load32_splat(scales + ((<usize>id) << 2));
    const start = (<usize>(row * width)) << 2;
    for (let i = 0; i < width; i += 4) {
      const at = start + ((<usize>i) << 2);
      const halves = i16x8.extend_low_i8x16_s(v128.load32_zero(from + <usize>i));
      const value = f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(halves));
      v128.store(out + at, f32x4.add(f32x4.mul(value, scale), v128.load(positions + at)));
    }
  }
}

/** Normalises every row to mean 0 and variance 1, then scales and shifts each column. */
export function layerNorm(x: usize, rows: i32, width: i32, gain: usize, bias: usize, out: usize): void {
  const size = (<usize>width) << 2;
  for (let row = 0; row < rows; row += 1) {
    const from = x + <usize>row * size;
    const to = out + <usize>row * size;
    let sums = f32x4.splat(0);
    for (let i: usize = 0; i < size; i += 16) sums = f32x4.add(sums, v128.load(from + i));
    const mean = f32x4.splat(sum(sums) / <f32>width);
    let squares = f32x4.splat(0);
    for (let i: usize = 0; i < size; i += 16) {
      const distance = f32x4.sub(v128.load(from + i), mean);
      squares = f32x4.add(squares, f32x4.mul(distance, distance));
    }
    const factor = f32x4.splat(<f32>1 / sqrt<f32>(sum(squares) / <f32>width + EPSILON));
    for (let i: usize = 0; i < size; i += 16) {
      const normal = f32x4.mul(f32x4.sub(v128.load(from + i), mean), factor);
      v128.store(to + i, f32x4.add(f32x4.mul(normal, v128.load(gain + i)), v128.load(bias + i)));
    }
  }
}

/** Quantises the input of `linear` to 16 bits, [rows / 4][width / 2][4][2], with one scale per row. */
export function pack(x: usize, rows: i32, width: i32, packed: usize, scales: usize): void {
  const size = (<usize>width) << 2;
  for (let row = 0; row < rows; row += 1) {
    const from = x + <usize>row * size;
    let largest = f32x4.splat(0);
    for (let i: usize = 0; i < size; i += 16) largest = f32x4.max(largest, f32x4.abs(v128.load(from + i)));
    const peak = max<f32>(
      max<f32>(f32x4.extract_lane(largest, 0), f32x4.extract_lane(largest, 1)),
      max<f32>(f32x4.extract_lane(largest, 2), f32x4.extract_lane(largest, 3)),
    );
    store<f32>(scales + ((<usize>row) << 2), peak / LARGEST);
    const factor = f32x4.splat(peak > 0 ? LARGEST / peak : 0);
    let to = packed + <usize>(row / TILE) * <usize>TILE * (size >> 1) + ((<usize>(row % TILE)) << 2);
    for (let i: usize = 0; i < size; i += 16) {
      const whole = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(from + i), factor)));
      const pairs = i16x8.narrow_i32x4_s(whole, whole);
      v128.store_lane<u32>(to, pairs, 0);
      v128.store_lane<u32>(to, pairs, 1, 16);
      to += 32;
    }
  }
}

/** y = x · weights + bias, for an x packed by `pack`. Weights are [outputs / 8][inputs / 2][8][2]. */
export function linear(
  packed: usize,
  rowScales: usize,
  rows: i32,
  inputs: i32,
  weights: usize,
  columnScales: usize,
  bias: usize,
  outputs: i32,
  y: usize,
): void {
  const rowSize = (<usize>outputs) << 2;
  const panelSize = (<usize>inputs) << 3;
  // A panel of weights stays in the L1 cache while all rows are multiplied with it.
  for (let column: usize = 0; column < rowSize; column += 32) {
    const scale0 = v128.load(columnScales + column);
    const scale1 = v128.load(columnScales + column, 16);
    const bias0 = v128.load(bias + column);
    const bias1 = v128.load(bias + column, 16);
    const panel = weights + (column >> 5) * panelSize;
    const end = panel + panelSize;
    let x = packed;
    let rowScale = rowScales;
    let to = y + column;
    for (let row = 0; row < rows; row += TILE) {
      let sum00 = i32x4.splat(0);
      let sum01 = i32x4.splat(0);
      let sum10 = i32x4.splat(0);
      let sum11 = i32x4.splat(0);
      let sum20 = i32x4.splat(0);
      let sum21 = i32x4.splat(0);
      let sum30 = i32x4.splat(0);
      let sum31 = i32x4.splat(0);
      for (let w = panel; w < end; w += 16) {
        // Two loads for 64 products: workerd bounds-checks each load.
        const bytes = v128.load(w);
        const w0 = i16x8.extend_low_i8x16_s(bytes);
        const w1 = i16x8.extend_high_i8x16_s(bytes);
        const pairs = v128.load(x);
        const x0 = v128.shuffle<i32>(pairs, pairs, 0, 0, 0, 0);
        sum00 = i32x4.add(sum00, i32x4.dot_i16x8_s(x0, w0));
        sum01 = i32x4.add(sum01, i32x4.dot_i16x8_s(x0, w1));
        const x1 = v128.shuffle<i32>(pairs, pairs, 1, 1, 1, 1);
        sum10 = i32x4.add(sum10, i32x4.dot_i16x8_s(x1, w0));
        sum11 = i32x4.add(sum11, i32x4.dot_i16x8_s(x1, w1));
        const x2 = v128.shuffle<i32>(pairs, pairs, 2, 2, 2, 2);
        sum20 = i32x4.add(sum20, i32x4.dot_i16x8_s(x2, w0));
        sum21 = i32x4.add(sum21, i32x4.dot_i16x8_s(x2, w1));
        const x3 = v128.shuffle<i32>(pairs, pairs, 3, 3, 3, 3);
        sum30 = i32x4.add(sum30, i32x4.dot_i16x8_s(x3, w0));
        sum31 = i32x4.add(sum31, i32x4.dot_i16x8_s(x3, w1));
        x += 16;
      }
      const scaleX0 = v128.load32_splat(rowScale);
      v128.store(to, rescale(sum00, scaleX0, scale0, bias0));
      v128.store(to, rescale(sum01, scaleX0, scale1, bias1), 16);
      to += rowSize;
      const scaleX1 = v128.load32_splat(rowScale, 4);
      v128.store(to, rescale(sum10, scaleX1, scale0, bias0));
      v128.store(to, rescale(sum11, scaleX1, scale1, bias1), 16);
      to += rowSize;
      const scaleX2 = v128.load32_splat(rowScale, 8);
      v128.store(to, rescale(sum20, scaleX2, scale0, bias0));
      v128.store(to, rescale(sum21, scaleX2, scale1, bias1), 16);
      to += rowSize;
      const scaleX3 = v128.load32_splat(rowScale, 12);
      v128.store(to, rescale(sum30, scaleX3, scale0, bias0));
      v128.store(to, rescale(sum31, scaleX3, scale1, bias1), 16);
      to += rowSize;
      rowScale += 16;
    }
  }
}

function rescale(sums: v128, rowScale: v128, columnScale: v128, bias: v128): v128 {
  return f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(sums), f32x4.mul(rowScale, columnScale)), bias);
}

/**
 * Multi-head self-attention over all rows. A row of `qkv` holds its queries, keys and values, each `width` long;
 * `weights` is a scratch buffer of one number per row.
 */
export function attention(qkv: usize, rows: i32, width: i32, weights: usize, out: usize): void {
  const size = (<usize>width) << 2;
  const stride = size * 3;
  const headSize = size / HEADS;
  const factor = <f32>1 / sqrt<f32>(<f32>(width / HEADS));
  for (let head: usize = 0; head < size; head += headSize) {
    const keys = qkv + size + head;
    const values = keys + size;
    for (let row = 0; row < rows; row += 1) {
      score(qkv + <usize>row * stride + head, keys, rows, stride, headSize, factor, weights);
      softmax(weights, rows);
      blend(weights, values, rows, stride, headSize, out + <usize>row * size + head);
    }
  }
}

/** Scaled dot products of the query with every key. */
function score(
  query: usize,
  keys: usize,
  rows: i32,
  stride: usize,
  headSize: usize,
  factor: f32,
  out: usize,
): void {
  for (let row = 0; row < rows; row += TILE) {
    const key0 = keys + <usize>row * stride;
    const key1 = key0 + stride;
    const key2 = key1 + stride;
    const key3 = key2 + stride;
    let sum0 = f32x4.splat(0);
    let sum1 = f32x4.splat(0);
    let sum2 = f32x4.splat(0);
    let sum3 = f32x4.splat(0);
    for (let i: usize = 0; i < headSize; i += 16) {
      const q = v128.load(query + i);
      sum0 = f32x4.add(sum0, f32x4.mul(q, v128.load(key0 + i)));
      sum1 = f32x4.add(sum1, f32x4.mul(q, v128.load(key1 + i)));
      sum2 = f32x4.add(sum2, f32x4.mul(q, v128.load(key2 + i)));
      sum3 = f32x4.add(sum3, f32x4.mul(q, v128.load(key3 + i)));
    }
    const sums = f32x4(sum(sum0), sum(sum1), sum(sum2), sum(sum3));
    v128.store(out + ((<usize>row) << 2), f32x4.mul(sums, f32x4.splat(factor)));
  }
}

/** In place. Sets the rest of the last tile to 0. */
function softmax(x: usize, rows: i32): void {
  let largest = -f32.MAX_VALUE;
  for (let row = 0; row < rows; row += 1) largest = max<f32>(largest, load<f32>(x + ((<usize>row) << 2)));
  const top = f32x4.splat(largest);
  const end = x + ((<usize>rows) << 2);
  for (let at = x; at < end; at += 16) v128.store(at, exp(f32x4.sub(v128.load(at), top)));
  for (let at = end; (at - x) & 15; at += 4) store<f32>(at, 0);
  let sums = f32x4.splat(0);
  for (let at = x; at < end; at += 16) sums = f32x4.add(sums, v128.load(at));
  const factor = f32x4.splat(<f32>1 / sum(sums));
  for (let at = x; at < end; at += 16) v128.store(at, f32x4.mul(v128.load(at), factor));
}

/** e^x for x ≤ 0, within 2 units in the last place. */
function exp(x: v128): v128 {
  // Below -87 the result is subnormal. `min` bounds the values beyond the last row.
  const bounded = f32x4.min(f32x4.max(x, f32x4.splat(-87)), f32x4.splat(0));
  // e^x = 2^n · e^r with an integer n and |r| ≤ ln 2 / 2; ln 2 in two parts preserves the low bits of r.
  const n = f32x4.nearest(f32x4.mul(bounded, f32x4.splat(<f32>Math.LOG2E)));
  let r = f32x4.sub(bounded, f32x4.mul(n, f32x4.splat(0.693359375)));
  r = f32x4.sub(r, f32x4.mul(n, f32x4.splat(-2.1219444e-4)));
  let power = f32x4.splat(1.98756915e-4);
  power = f32x4.add(f32x4.mul(power, r), f32x4.splat(1.3981999507e-3));
  power = f32x4.add(f32x4.mul(power, r), f32x4.splat(8.3334519073e-3));
  power = f32x4.add(f32x4.mul(power, r), f32x4.splat(4.1665795894e-2));
  power = f32x4.add(f32x4.mul(power, r), f32x4.splat(1.6666665459e-1));
  power = f32x4.add(f32x4.mul(power, r), f32x4.splat(0.5));
  power = f32x4.add(f32x4.mul(f32x4.mul(power, r), r), f32x4.add(r, f32x4.splat(1)));
  const exponent = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23);
  return f32x4.mul(power, exponent);
}

/** Weighted sum of all values: 32 columns at a time, held in registers. */
function blend(weights: usize, values: usize, rows: i32, stride: usize, headSize: usize, out: usize): void {
  const end = weights + ((<usize>rows) << 2);
  for (let column: usize = 0; column < headSize; column += 128) {
    let sum0 = f32x4.splat(0);
    let sum1 = f32x4.splat(0);
    let sum2 = f32x4.splat(0);
    let sum3 = f32x4.splat(0);
    let sum4 = f32x4.splat(0);
    let sum5 = f32x4.splat(0);
    let sum6 = f32x4.splat(0);
    let sum7 = f32x4.splat(0);
    let value = values + column;
    for (let at = weights; at < end; at += 4) {
      const weight = v128.load32_splat(at);
      sum0 = f32x4.add(sum0, f32x4.mul(weight, v128.load(value)));
      sum1 = f32x4.add(sum1, f32x4.mul(weight, v128.load(value, 16)));
      sum2 = f32x4.add(sum2, f32x4.mul(weight, v128.load(value, 32)));
      sum3 = f32x4.add(sum3, f32x4.mul(weight, v128.load(value, 48)));
      sum4 = f32x4.add(sum4, f32x4.mul(weight, v128.load(value, 64)));
      sum5 = f32x4.add(sum5, f32x4.mul(weight, v128.load(value, 80)));
      sum6 = f32x4.add(sum6, f32x4.mul(weight, v128.load(value, 96)));
      sum7 = f32x4.add(sum7, f32x4.mul(weight, v128.load(value, 112)));
      value += stride;
    }
    const to = out + column;
    v128.store(to, sum0);
    v128.store(to, sum1, 16);
    v128.store(to, sum2, 32);
    v128.store(to, sum3, 48);
    v128.store(to, sum4, 64);
    v128.store(to, sum5, 80);
    v128.store(to, sum6, 96);
    v128.store(to, sum7, 112);
  }
}

/** x = x + y */
export function add(x: usize, y: usize, length: i32): void {
  const size = (<usize>length) << 2;
  for (let i: usize = 0; i < size; i += 16) v128.store(x + i, f32x4.add(v128.load(x + i), v128.load(y + i)));
}

/** x = max(x, 0) */
export function relu(x: usize, length: i32): void {
  const end = x + ((<usize>length) << 2);
  for (let at = x; at < end; at += 16) v128.store(at, f32x4.max(v128.load(at), f32x4.splat(0)));
}

/** The mean of all rows. */
export function average(x: usize, rows: i32, width: i32, out: usize): void {
  const size = (<usize>width) << 2;
  const factor = f32x4.splat(<f32>1 / <f32>rows);
  for (let column: usize = 0; column < size; column += 16) {
    let sums = f32x4.splat(0);
    for (let row = 0; row < rows; row += 1) sums = f32x4.add(sums, v128.load(x + <usize>row * size + column));
    v128.store(out + column, f32x4.mul(sums, factor));
  }
}

function sum(x: v128): f32 {
  return (
    f32x4.extract_lane(x, 0) +
    f32x4.extract_lane(x, 1) +
    (f32x4.extract_lane(x, 2) + f32x4.extract_lane(x, 3))
  );
}
