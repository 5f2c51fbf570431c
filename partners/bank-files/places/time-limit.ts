// A time limit for work that cannot be cancelled, such as calls of a file system that hangs.

/**
 * @param work gets a signal and asks it before each step, because no step may begin after the limit
 * @throws Error after `limitMs`, while the work's step that is under way may still take effect
 */
export async function within<T>(
  limitMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new Error(`it took longer than ${limitMs} ms`);
    limit.abort(error);
    reject(error);
  }, limitMs);
  try {
    return await Promise.race([work(limit.signal), expired]);
  } finally {
    clearTimeout(timer);
  }
}
