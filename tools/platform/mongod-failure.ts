// The reason why an embedded mongod ended, with its remedy, from the end of its log. MongoDB writes
// a line of JSON for each message; `s` is the severity, F of a fatal one and E of an error. The
// patterns search whole lines, because the reason of an error is at different places in them.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Enough for the last messages, the backtrace of a crash included. */
const READ_AT_MOST = 65_536;

const OTHER_DIRECTORY = "or set another DATA_DIR";

/** A failure by the text of its messages, with what it means. */
const FAILURES: [pattern: RegExp, cause: string][] = [
  [/No space left on device|ENOSPC/, `its disk is full; free some space, ${OTHER_DIRECTORY}`],
  [
    /featureCompatibilityVersion|Wrong mongod version|unsupported WiredTiger file version/,
    "its files were written by another version of MongoDB; put that mongod on the PATH, or begin with another DATA_DIR",
  ],
  [
    /Permission denied|read-only (directory|file system)|EACCES|EROFS|Operation not permitted/i,
    `it may not write its files; give them to this user, ${OTHER_DIRECTORY}`,
  ],
  // MongoDB reports a lock file that it may not make as DBPathInUse too.
  [
    /DBPathInUse|Another mongod instance is already running/,
    `another mongod uses its files; stop that one, ${OTHER_DIRECTORY}`,
  ],
  [
    /WT_TRY_SALVAGE|WT_PANIC|WT_ERROR|data corruption|checksum error|Failed to open .*WiredTiger/,
    "its files are damaged; restore a backup, or begin with another DATA_DIR",
  ],
  [/Address already in use/, "its port was taken meanwhile; start again"],
  [/Too many open files|EMFILE/, "it may not open more files; raise the limit (ulimit -n)"],
];

/** Signals that need no log. */
const SIGNALS: Record<string, string> = {
  SIGILL: "this processor lacks AVX, which MongoDB needs; set MONGO_URL to one on another machine",
  SIGKILL: "the system has ended it, usually because memory ran out; close other programs",
};

/**
 * The cause and the remedy of its end.
 * @param reason the signal or the exit code
 * @param from the size of the log before the start, in bytes: what is before has other reasons
 */
export function explainMongod(reason: string, log: string, from: number): string {
  const named = `its log is ${log}`;
  const bySignal = SIGNALS[reason];
  if (bySignal !== undefined) return `: ${bySignal}; ${named}`;
  const problems = readProblems(log, from);
  const known = FAILURES.find(([pattern]) => problems.some((line) => pattern.test(line)));
  const cause = known?.[1] ?? problems.map(shorten)[0];
  return cause === undefined ? `: ${named}` : `: ${cause}; ${named}`;
}

/** The size of the log, in bytes. */
export function logSize(log: string): number {
  return withFile(log, (file) => fstatSync(file).size) ?? 0;
}

/** The lines of errors since `from`, the oldest first. */
function readProblems(log: string, from: number): string[] {
  const end = withFile(log, (file) => {
    const { size } = fstatSync(file);
    const begin = Math.max(from, size - READ_AT_MOST);
    const bytes = Buffer.alloc(Math.max(0, size - begin));
    readSync(file, bytes, 0, bytes.length, begin);
    return bytes.toString();
  });
  return (end ?? "").split("\n").filter((line) => /"s":"[EF]"/.test(line));
}

/** The text of a message, and of its error. */
function shorten(line: string): string {
  const [, message = line] = /"msg":"((?:[^"\\]|\\.)*)"/.exec(line) ?? [];
  const [, error] = /"error":"((?:[^"\\]|\\.)*)"/.exec(line) ?? [];
  return error === undefined ? message : `${message} (${error})`;
}

function withFile<T>(path: string, read: (file: number) => T): T | null {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return null;
  }
  try {
    return read(file);
  } finally {
    closeSync(file);
  }
}
