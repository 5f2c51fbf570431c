// The sentences with which a check refuses a value.

/** The message of each field that the check refuses; none for a right value. */
export function faultsOf(check: (value: unknown) => unknown, value: object): string[] {
  try {
    check(structuredClone(value));
    return [];
  } catch (error) {
    const { type, data } = error as { type: string; data: { errors: { message: string }[] } };
    expect(type).toBe("VALIDATION");
    return data.errors.map(({ message }) => message);
  }
}
