// What all commands share: their description, their output, and their errors of use.

import { type ParseArgsConfig, styleText } from "node:util";
import type { Payrail } from "../payrail.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;
export type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

export interface Command {
  /** One line in the list of commands. */
  summary: string;
  /** The whole help. */
  help: string;
  options: Options;
  /** @throws UsageError; PayrailError */
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

/** The command was not called as its help says. */
export class UsageError extends Error {}

/** The command failed, for a reason that its message says whole. */
export class Failure extends Error {}

/** The option's text. */
export function textOf(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** @throws UsageError if it is missing */
export function required(values: Values, name: string): string {
  const value = textOf(values, name);
  if (value === undefined) throw new UsageError(`--${name} is missing`);
  return value;
}

/** Colours only for people: in a terminal, without NO_COLOR. */
export function coloured(colour: "green" | "red" | "yellow" | "bold", text: string): string {
  const { NO_COLOR, TERM } = process.env;
  const mayColour = process.stdout.isTTY && !NO_COLOR && TERM !== "dumb";
  return mayColour ? styleText(colour, text) : text;
}
