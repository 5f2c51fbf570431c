// The event loop's turn: code that waits for its end goes on together, and so shares round trips.

let end: Promise<void> | undefined;

/**
 * Waits until all that has arrived by now was read and its code has run. Node runs the promises of
 * one socket's request before it reads the next socket, so without this wait the first request of a
 * turn takes each round trip alone, and the others follow in a batch of their own.
 */
export function endOfTurn(): Promise<void> {
  end ??= new Promise((resolve) => {
    setImmediate(() => {
      end = undefined;
      resolve();
    });
  });
  return end;
}

/** Whether code waits for the end of this turn. */
export function isEndAwaited(): boolean {
  return end !== undefined;
}
