// Routing numbers of the American Bankers Association: eight digits that name a bank, and a check
// digit.

const WEIGHTS = [3, 7, 1];

/** Whether the text has nine digits, and the last one is the check digit (weights 3, 7, 1). */
export function isRoutingNumber(text: string): boolean {
  if (!/^\d{9}$/.test(text) || Number(text) === 0) return false;
  const sum = Array.from(text, Number).reduce(
    (total, digit, i) => total + digit * (WEIGHTS[i % 3] as number),
    0,
  );
  return sum % 10 === 0;
}
