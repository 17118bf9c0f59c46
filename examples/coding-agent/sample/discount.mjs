export function applyDiscount(price, percent) {
  return price.toFixed(2) * (1 - percent / 100);
}
