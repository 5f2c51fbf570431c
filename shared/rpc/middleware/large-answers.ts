// Large answers: a NATS message has at most 1 MB, and a page of a hundred long items, or an invoice
// with many lines, may be larger. A larger answer is sent as a stream of pieces of its JSON.
// Moleculer delivers the pieces in order, one per message, and the caller joins them. No item is
// left out and no field is shortened.

import { Readable } from "node:stream";
import { LATE, within } from "../../clock.ts";
import { DEFAULT_TIMEOUT_MS } from "../../contracts/contract.ts";
import { fail } from "../../errors.ts";
import { aroundActions, aroundCalls } from "./middleware.ts";

/** The limit of one message, with room for the fields around the answer. */
const MAX_BYTES = 900_000;
/** In UTF-16 units: each needs at most three bytes in a message, its escape included. */
const MAX_PIECE = 250_000;

/** The answer itself if it fits into one message, otherwise a stream of the pieces of its JSON. */
export function inPieces(answer: unknown): unknown {
  const json = JSON.stringify(answer);
  if (Buffer.byteLength(json) <= MAX_BYTES) return answer;
  const count = Math.ceil(json.length / MAX_PIECE);
  const piece = (_: unknown, i: number) => json.slice(i * MAX_PIECE, (i + 1) * MAX_PIECE);
  return Readable.from(Array.from({ length: count }, piece), { objectMode: true });
}

/**
 * The answer of an action, joined if it arrives in pieces.
 * @param timeoutMs for all pieces together
 * @throws UNAVAILABLE if they have not all arrived by then; no action that moves money has so large
 *   an answer
 */
export async function joined(answer: unknown, timeoutMs: number): Promise<unknown> {
  if (!(answer instanceof Readable)) return answer;
  const pieces = answer.toArray();
  const whole = await within(pieces, timeoutMs);
  if (whole !== LATE) return JSON.parse(whole.join(""));
  answer.destroy();
  pieces.catch(() => undefined);
  return fail("UNAVAILABLE");
}

export const largeAnswers = {
  ...aroundActions((next, { contract }) => {
    // Only an answer with a list in it can be large. A batch, which is a list itself, is as long as
    // the caller asked for. A caller in the same process needs no message.
    const fields = Object.values(contract.result.fields ?? {});
    if (!fields.some(({ itemExpectation }) => itemExpectation)) return next;
    return async (context) => {
      const answer = await next(context);
      return context.nodeID === context.broker.nodeID ? answer : inPieces(answer);
    };
  }),
  ...aroundCalls((next) => async (name, params, options) => {
    const askedAt = performance.now();
    const answer = await next(name, params, options);
    const timeoutMs = options?.timeout ?? DEFAULT_TIMEOUT_MS;
    return joined(answer, Math.max(1, askedAt + timeoutMs - performance.now()));
  }),
};
