// Points of a lifecycle at which a test freezes a node.

/** Freezes the first document that reaches a point, until it is released. */
export function freezer<Point extends string>() {
  const frozen = new Map<Point, { reach: (id: string) => void; released: Promise<void> }>();
  return {
    async reached(point: Point, { _id }: { _id: string }): Promise<void> {
      const here = frozen.get(point);
      if (!here) return;
      frozen.delete(point);
      here.reach(_id);
      await here.released;
    },
    /** `reached` resolves to the id of the frozen document. */
    freeze(point: Point) {
      const reached = Promise.withResolvers<string>();
      const released = Promise.withResolvers<void>();
      frozen.set(point, { reach: reached.resolve, released: released.promise });
      return { reached: reached.promise, release: released.resolve };
    },
  };
}
