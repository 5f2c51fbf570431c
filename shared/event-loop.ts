// The event loop's turn: the requests that arrive in one turn begin their work together.

let end: Promise<void> | undefined;

/**
 * Waits for the end of the event loop's turn; all callers of a turn go on together. Node runs the
 * promises of one socket's request before it reads the next socket, so without this wait the first
 * request of a turn takes each round trip alone, and the others follow in a batch of their own.
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
