// The check digit of card numbers. card-validator is not used, because it refuses every number of a
// brand that it does not know: a vault token that is such a number would pass as no card number,
// and the sandbox's test numbers have a range that belongs to no brand. It also decides an expiry
// by the process's clock, and for the process's time zone.

/**
 * Whether the last digit is the check digit of the others (ISO/IEC 7812-1, annex B): every second
 * digit from the right is doubled, its digits added.
 * @param digits a text of digits alone
 */
export function passesLuhn(digits: string): boolean {
  const sum = Array.from(digits, Number)
    .toReversed()
    .reduce((total, digit, i) => {
      const doubled = digit * 2;
      return total + (i % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled);
    }, 0);
  return sum % 10 === 0;
}
