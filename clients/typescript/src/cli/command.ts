// The parts that all commands share: the description, the output, the options and the errors.

import { type ParseArgsConfig, styleText } from "node:util";
import type { Payrail } from "../payrail.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;
export type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

export interface Command {
  /** One line in the list of commands. */
  summary: string;
  /** The text of --help. */
  help: string;
  options: Options;
  /** @throws UsageError; Failure; PayrailError */
  run(given: Given): Promise<void>;
}

export interface Given {
  values: Values;
  positionals: string[];
  print: Print;
  /** @throws UsageError without credentials in the environment */
  payrail(): Payrail;
}

/** Prints a result: a line for people, or the object with --json. */
export type Print = (text: string, result: object) => void;

/** A call with wrong arguments or without credentials: exit code 2. */
export class UsageError extends Error {}

/** A failure that its message explains; an empty message if the output explains it: exit code 1. */
export class Failure extends Error {}

/** The value of an option; undefined if it is missing or empty. */
export function textOf(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The value of a required option. @throws UsageError if it is missing or empty */
export function required(values: Values, name: string): string {
  const value = textOf(values, name);
  if (value === undefined) throw new UsageError(`--${name} is missing`);
  return value;
}

/** Colours a text if stdout is a terminal and NO_COLOR is not set. */
export function coloured(colour: "green" | "red" | "yellow" | "bold", text: string): string {
  const { NO_COLOR, TERM } = process.env;
  const mayColour = process.stdout.isTTY && !NO_COLOR && TERM !== "dumb";
  return mayColour ? styleText(colour, text) : text;
}
