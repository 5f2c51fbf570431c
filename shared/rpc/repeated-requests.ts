// Repeated requests: a service carries out a request packet once, also if NATS delivers it twice. A
// process that has two connections gets every packet twice, and without this a withdrawal would pay
// twice, because nothing else tells a copy of a request from a second request.

/**
 * How long a request is remembered at least, in ms: longer than a withdrawal or a payment has time,
 * so a later copy of one is refused as late.
 */
const REMEMBERED_MS = 30_000;

/** @param now ms of a clock that does not jump */
export function repeatedRequests(now: () => number) {
  let recent = new Set<string>();
  let older = new Set<string>();
  let beganAt = now();
  return {
    /**
     * Whether the request has come before; it is remembered.
     * @param sender the node, verified
     * @param id the request's; each try of a call has one of its own
     */
    isRepeated(sender: string, id: string): boolean {
      if (now() - beganAt >= REMEMBERED_MS) {
        older = recent;
        recent = new Set();
        beganAt = now();
      }
      const request = `${sender} ${id}`;
      if (recent.has(request) || older.has(request)) return true;
      recent.add(request);
      return false;
    },
  };
}
