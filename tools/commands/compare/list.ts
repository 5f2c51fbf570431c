// Reads a partner's list, with bounds in number and time, and checks each entry.

import { LATE, systemClock } from "../../../shared/clock.ts";
import type { EntryReading } from "../../../shared/partners/answers.ts";
import { SetupError } from "../../platform/processes.ts";
import type { Kind } from "./books.ts";
import type { PartnerEntry } from "./judge.ts";

export interface Partner {
  role: "rail" | "acquirer";
  name: string;
  kinds: Kind[];
  list(since: number): AsyncIterable<unknown>;
  /** @param now epoch ms */
  read(value: unknown, now: number): EntryReading<PartnerEntry>;
}

export interface ListBounds {
  /** The bound of entries in a list, because a list without an end must not be read forever. */
  entries: number;
  /** The time for the next entry, in milliseconds. */
  withinMs: number;
}

export const LIST_BOUNDS: ListBounds = { entries: 20_000_000, withinMs: 60_000 };

/**
 * Reads the entries of a partner's list since a time (epoch ms).
 * @throws SetupError if the list fails, is not a list, ends too late or never ends
 */
export async function* readList(
  partner: Partner,
  since: number,
  { entries, withinMs }: ListBounds,
): AsyncGenerator<EntryReading<PartnerEntry>, void, undefined> {
  const fault: Fault = (problem, cause) =>
    new SetupError(`The list of the ${partner.role} ${partner.name} ${problem}.`, { cause });
  const iterator = begin(partner, since, fault);
  for (let count = 0; ; count++) {
    const next = await readNext(iterator, withinMs, fault);
    if (next.done) return;
    if (count === entries) throw fault(`has more than ${entries} entries; compare a shorter time`);
    yield partner.read(next.value, systemClock.now());
  }
}

type Fault = (problem: string, cause?: unknown) => SetupError;

function begin(partner: Partner, since: number, fault: Fault): AsyncIterator<unknown> {
  try {
    return partner.list(since)[Symbol.asyncIterator]();
  } catch (cause) {
    throw fault(`cannot be read (${describeCause(cause)})`, cause);
  }
}

async function readNext(
  iterator: AsyncIterator<unknown>,
  withinMs: number,
  fault: Fault,
): Promise<IteratorResult<unknown>> {
  let next: unknown;
  try {
    next = await systemClock.within(iterator.next(), withinMs);
  } catch (cause) {
    throw fault(`failed (${describeCause(cause)})`, cause);
  }
  if (next === LATE) throw fault(`did not go on within ${withinMs / 1_000} s`);
  if (typeof next !== "object" || next === null) throw fault("is no list");
  return next as IteratorResult<unknown>;
}

function describeCause(cause: unknown): string {
  return String((cause as Error | null)?.message ?? cause).split("\n")[0] as string;
}
