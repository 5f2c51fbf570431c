// Reads variables of the environment one by one and collects all problems. A secret may be in a
// file that NAME_FILE names, as Docker and Kubernetes mount secrets: a file is in no listing of
// the process's environment. No message has the value of a variable. envalid is not used: it knows
// neither secrets in files nor rules such as "only one of these keys", and it checks every declared
// variable, while a service demands only those of its own part (config.ts).

import { readFileSync } from "node:fs";
import { parseDuration, parseLimit, type RateLimit } from "./env-values.ts";

export type Variables = Record<string, string | undefined>;

/** The variables that may come from a file. */
const SECRETS = [
  "MONGO_URL",
  "NATS_URL",
  "JWT_PUBLIC_KEY",
  "JWT_PRIVATE_KEY",
  "JWT_SECRET",
  "OPENID_CLIENT_SECRET",
  "ENCRYPTION_KEYS",
  "FINGERPRINT_KEY",
  "LEDGER_HEAD_KEY",
];

/** Whether a variable, or the path of its file, is set. */
export function isSet(environment: Variables, name: string): boolean {
  return [name, fileOf(name)].some((each) => each !== null && environment[each]?.trim());
}

function fileOf(name: string): string | null {
  return SECRETS.includes(name) ? `${name}_FILE` : null;
}

/** Reads the variables of an environment; `wrong` gets one sentence for each problem. */
export function environmentReader(environment: Variables, wrong: string[]) {
  /** The trimmed text of a variable or of its file; null if it is unset or a problem. */
  function text(name: string): string | null {
    const value = environment[name]?.trim() || null;
    const variable = fileOf(name);
    const path = (variable && environment[variable]?.trim()) || null;
    if (path === null) return value;
    if (value !== null) {
      wrong.push(`Only one of ${name} and ${variable} may be set; unset the other`);
      return value;
    }
    return readSecret(`${variable} names ${path}, which`, path);
  }

  function readSecret(named: string, path: string): string | null {
    try {
      const content = readFileSync(path, "utf8").trim();
      if (content === "") wrong.push(`${named} is empty`);
      return content || null;
    } catch (error) {
      wrong.push(`${named} cannot be read (${(error as NodeJS.ErrnoException).code})`);
      return null;
    }
  }

  /** The parsed variable; the fallback if it is unset. Null from `parse` is a problem. */
  function read<T>(name: string, fallback: T, must: string, parse: (value: string) => T | null): T {
    const value = text(name);
    if (value === null) return fallback;
    const parsed = parse(value);
    if (parsed !== null) return parsed;
    wrong.push(`${name} must be ${must}`);
    return fallback;
  }

  const flag = (name: string, fallback: boolean) =>
    read(name, fallback, "true or false", (v) =>
      v === "true" ? true : v === "false" ? false : null,
    );
  const duration = (name: string, fallback: number) =>
    read(
      name,
      fallback,
      "a duration such as 500ms, 15s, 5m, 2h or 1d",
      (v) => parseDuration(v) || null,
    );
  const limit = (name: string, fallback: RateLimit | null) =>
    read<{ limit: RateLimit | null }>(
      name,
      { limit: fallback },
      "a count and a duration such as 1/60s, or off",
      parseLimit,
    ).limit;

  return { text, read, flag, duration, limit };
}
