// What the parts of the rail work with.

import type { Context } from "../types.ts";
import type { Archive } from "./archive.ts";
import type { FileBooks } from "./books.ts";
import type { BankCalendar } from "./calendar.ts";
import type { AnswerFile, Format } from "./format.ts";
import type { Place } from "./places/place.ts";
import type { Sealer } from "./seal.ts";
import type { BankFileSettings } from "./settings.ts";

export interface Deps {
  settings: BankFileSettings;
  books: FileBooks;
  format: Format;
  calendar: BankCalendar;
  sealer: Sealer;
  archive: Archive;
  /** Reads an answer of the format. @throws any error if the file cannot be read */
  readAnswer(bytes: Buffer): Promise<AnswerFile>;
  /** Where the bank takes files. */
  out: Place;
  /** Where the bank leaves its answers. */
  answers: Place;
  now(): number;
  log: Context["log"];
  /** Called at each step of a file; a test stops the rail there. */
  reached(point: Point): Promise<void> | void;
}

/** The steps of a file between which a process may die. */
export type Point = "closed" | "archived" | "written" | "handing" | "put" | "handed" | "applied";
