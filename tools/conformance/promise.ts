// The form of a promise: texts for the report and for docs/operate/rails-and-acquirers.md, and a
// check that tries a partner against the promise.

export interface Promised<T> {
  /** The name of the promise in the report. */
  name: string;
  /** The promise as a sentence without its subject, which is the module. */
  says: string;
  /** The reason for the promise: the consequence for money if a module breaks it. */
  because: string;
  /**
   * Tries the partner. A promise about all answers has no check, because the session records each
   * answer that breaks it.
   * @throws Broken with the observation; Untried if the module gave no opportunity
   */
  check?(partner: T): Promise<void>;
}

export class Broken extends Error {
  override name = "Broken";
}

export class Untried extends Error {
  override name = "Untried";
}

/** Ends the check with the observation if the promise is broken. */
export function expectThat(isKept: boolean, observed: string): void {
  if (!isKept) throw new Broken(observed);
}

/** Promises that all modules make about everything that they do. */
export const COMMON = {
  accepted: {
    name: "accepted",
    says: "has a lasting name, all functions, and says test: true beside the sandbox",
    because: "payrail does not start with it, so that no test money is ever paid out for real",
  },
  lasting: {
    name: "lasting-name",
    says: "has the same name after a restart",
    because: "payrail asks no partner of another name, so unfinished payments would never end",
  },
  inTime: {
    name: "in-time",
    says: "answers within 4 s, a rail's cancel and a screening within 3 s",
    because: "a later answer counts as unknown: customers wait, and payrail asks again",
  },
  form: {
    name: "form",
    says: "answers in the promised form",
    because: "an answer of another form tells nothing about the money and counts as unknown",
  },
  alive: {
    name: "stays-alive",
    says: "does not end the process it runs in",
    because: "payrail's service dies with it, and with the service all its running work",
  },
  discreet: {
    name: "discreet",
    says: "puts no account number or card token into errors, codes or its output",
    because: "errors are logged and codes are stored, and a reader of either could misuse them",
  },
} as const;
