// The settings of a rail of bank files: a JSON file that an operator writes. Its calendar, places
// and originator are checked by the code that uses them.

import { readFileSync } from "node:fs";
import Validator from "fastest-validator";

/** The URL of a place, and the settings of its access. */
export interface PlaceSettings {
  url: string;
  [setting: string]: unknown;
}

export interface BankFileSettings {
  /** The rail's name, which stands for these books for ever. */
  name: string;
  /** Whether the bank's system is a test system, in which no real money moves. */
  test: boolean;
  /** Begins the names and message ids of files; the bank must not have another sender with it. */
  fileId: string;
  /** The data of the bank agreement, as the format needs it. */
  originator: Record<string, unknown>;
  /** As `bankCalendar` reads it. */
  calendar: unknown;
  /** Where the bank takes files. */
  out: PlaceSettings;
  /** Where the bank leaves its answers. */
  answers: PlaceSettings;
  /** Where encrypted copies stay; it must not be restored with the database. */
  archive: PlaceSettings;
  /** What the bank does with a file that it has already. */
  repeats: "refused" | "paid";
  /** The time after its settlement in which a payment can come back, in days. */
  returnWindowDays: number;
  /**
   * How many banking days after the settlement day a payment counts as settled if the bank has not
   * said otherwise; null if only the bank's answers settle payments.
   */
  settledAfterDays: number | null;
  /** What a payment that comes back may lack, as banks take charges from it; in minor units. */
  returnChargeAtMostMinor: number;
  /** Milliseconds between two turns of the rail's own work. */
  turnEveryMs: number;
  /** Milliseconds after which payrail asks about a payment again. */
  askEveryMs: number;
}

const place = { type: "object" } as const;
const seconds = { type: "number", min: 0.05, max: 3_600, optional: true } as const;

const FIELDS = {
  $$strict: true,
  name: { type: "string", pattern: /^[\w.-]{1,64}$/ },
  test: { type: "boolean" },
  fileId: { type: "string", pattern: /^[A-Z][A-Z0-9]{0,5}$/ },
  originator: { type: "object" },
  calendar: { type: "object" },
  out: place,
  answers: place,
  archive: place,
  repeats: { type: "enum", values: ["refused", "paid"] },
  returnWindowDays: { type: "number", integer: true, min: 0, max: 800 },
  turnEverySeconds: seconds,
  askEverySeconds: seconds,
} as const;
const validator = new Validator({ haltOnFirstError: false });
const check = {
  byAnswers: validator.compile({
    ...FIELDS,
    returnChargeAtMost: { type: "string", pattern: /^\d{1,3}\.\d\d$/, optional: true },
  }),
  byCalendar: validator.compile({
    ...FIELDS,
    settledAfterDays: { type: "number", integer: true, min: 0, max: 30, optional: true },
  }),
};

const DEFAULT_RETURN_CHARGE = "50.00";
const DEFAULT_TURN_S = 60;
const DEFAULT_ASK_S = 600;

/**
 * Reads the settings of the file that an environment variable names.
 * @param settledAfterDays where they leave it out; null if only the bank's answers settle payments
 * @throws Error with every problem
 */
export function readSettings(variable: string, settledAfterDays: number | null): BankFileSettings {
  const path = process.env[variable];
  if (!path) throw new Error(`${variable} must name the rail's settings, a JSON file`);
  const given: unknown = parse(variable, path);
  const problems = check[settledAfterDays === null ? "byAnswers" : "byCalendar"](given);
  if (problems !== true) {
    const said = (problems as { message?: string }[]).map(({ message }) => message);
    throw new Error(`${variable}: ${said.join(" ")}`);
  }
  const { turnEverySeconds, askEverySeconds, returnChargeAtMost, ...settings } = given as Given;
  // The rules of ACH know only whole returns.
  const chargeAtMost = settledAfterDays === null ? DEFAULT_RETURN_CHARGE : "0.00";
  return {
    settledAfterDays,
    ...settings,
    returnChargeAtMostMinor: Number((returnChargeAtMost ?? chargeAtMost).replace(".", "")),
    turnEveryMs: (turnEverySeconds ?? DEFAULT_TURN_S) * 1_000,
    askEveryMs: (askEverySeconds ?? DEFAULT_ASK_S) * 1_000,
  };
}

/** The settings as the file has them. */
type Given = Omit<
  BankFileSettings,
  "settledAfterDays" | "returnChargeAtMostMinor" | "turnEveryMs" | "askEveryMs"
> & {
  settledAfterDays?: number;
  returnChargeAtMost?: string;
  turnEverySeconds?: number;
  askEverySeconds?: number;
};

function parse(variable: string, path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Error(`${variable}: ${path} is no readable JSON (${(error as Error).message})`, {
      cause: error,
    });
  }
}

/**
 * The keys of BANK_FILES_KEYS, or of the file that BANK_FILES_KEYS_FILE names.
 * @throws Error if neither is set
 */
export function readKeys(): string {
  const { BANK_FILES_KEYS, BANK_FILES_KEYS_FILE } = process.env;
  if (BANK_FILES_KEYS) return BANK_FILES_KEYS;
  if (BANK_FILES_KEYS_FILE) return readFileSync(BANK_FILES_KEYS_FILE, "utf8").trim();
  throw new Error("BANK_FILES_KEYS, or BANK_FILES_KEYS_FILE, must have the keys of bank files");
}
