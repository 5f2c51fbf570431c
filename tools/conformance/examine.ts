// Checks a module against the promises of its kind and reports the kept and the broken ones.

import { ACQUIRER_PROMISES, acquirerIn } from "./acquirers.ts";
import type { Kind } from "./host.ts";
import { Broken, COMMON, type Promised, Untried } from "./promise.ts";
import { RAIL_PROMISES, railIn } from "./rails.ts";
import { SCREENING_PROMISES, screeningIn } from "./screenings.ts";
import { type Options, type Session, startSession } from "./session.ts";

export interface Verdict {
  name: string;
  says: string;
  because: string;
  verdict: "kept" | "broken" | "untried";
  /** The observation for a broken promise; the reason for an untried one. */
  observed?: string;
}

export interface Report {
  kind: Kind;
  /** Null if payrail would not start with the module. */
  name: string | null;
  promises: Verdict[];
}

/** The promises of each kind of module, for the documentation. */
export const PROMISES: Record<Kind, readonly Pick<Verdict, "name" | "says" | "because">[]> = {
  rail: RAIL_PROMISES,
  acquirer: ACQUIRER_PROMISES,
  screening: SCREENING_PROMISES,
};

const TRIED: Record<Kind, (session: Session) => Promise<Verdict[]>> = {
  rail: (session) => triedAll(session, RAIL_PROMISES, railIn(session)),
  acquirer: (session) => triedAll(session, ACQUIRER_PROMISES, acquirerIn(session)),
  screening: (session) => triedAll(session, SCREENING_PROMISES, screeningIn(session)),
};

/**
 * Tries every promise, one after the other. With a module that moves real money it would make real
 * payments, or charges and refunds, so it calls no function of a module without `test: true`.
 * @throws CouldNotTry if the module cannot be loaded
 */
export async function examine(path: string, options: Options): Promise<Report> {
  const session = await startSession(path, options);
  try {
    const { loaded } = session;
    if ("refused" in loaded) return refusedReport(loaded.kind, loaded.refused);
    const promises = await TRIED[loaded.kind](session);
    return { kind: loaded.kind, name: loaded.name, promises };
  } finally {
    session.end();
  }
}

async function triedAll<T>(
  session: Session,
  promises: readonly Promised<T>[],
  partner: T,
): Promise<Verdict[]> {
  const failures = new Map<string, Broken | Untried>();
  for (const { name, check } of promises) {
    try {
      await check?.(partner);
    } catch (error) {
      if (!(error instanceof Broken || error instanceof Untried)) throw error;
      failures.set(name, error);
    }
  }
  // The verdicts come last, because an answer in one check may break the promise of another check.
  return promises.map(({ name, says, because }) => {
    const words = { name, says, because };
    const failure = failures.get(name);
    const observed = session.noted.get(name);
    if (failure instanceof Broken)
      return { ...words, verdict: "broken", observed: failure.message };
    if (observed !== undefined) return { ...words, verdict: "broken", observed };
    if (failure) return { ...words, verdict: "untried", observed: failure.message };
    return { ...words, verdict: "kept" };
  });
}

function refusedReport(kind: Kind, refused: string): Report {
  const { name, says, because } = COMMON.accepted;
  return {
    kind,
    name: null,
    promises: [{ name, says, because, verdict: "broken", observed: refused }],
  };
}
