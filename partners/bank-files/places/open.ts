// Opens the place that an operator's settings describe, and checks them. Secrets are not among the
// settings: they name the file of a key, and the environment variable of a password.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { folderPlace } from "./folder.ts";
import type { Place } from "./place.ts";
import { sftpPlace } from "./sftp.ts";
import type { Server } from "./sftp-session.ts";

const CONNECT_WITHIN_MS = 20_000;
const OPERATION_WITHIN_MS = 60_000;
const MAX_WITHIN_MS = 600_000;
const MAX_HOST_KEYS = 5;
const SSH_PORT = 22;

type Checked = Record<string, unknown>;

/**
 * Opens a place without asking it anything, so a server that is down does not keep payrail from
 * starting.
 * @param url `file:///var/lib/payrail/out`, or `sftp://user@host:port/path` with a path from the
 *   server's root
 * @param access an operator's JSON: `operationWithinMs`, the time limit of an operation, 60,000 by
 *   default; and for SFTP
 *   `hostKey`, the SHA-256 fingerprint of the server's key as `ssh-keygen -lf` prints it, or up to
 *   five of them, for a server with several keys or one that is about to get another;
 *   `privateKeyFile`, the path of an unencrypted private key;
 *   `passwordVariable`, the name of an environment variable;
 *   `connectWithinMs`, the time limit of a connection, 20,000 by default
 * @throws Error that names the wrong setting, the unreadable key file, the variable that is not
 *   set, or the package that is not installed
 */
export async function openPlace(
  url: unknown,
  access: unknown = {},
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Place> {
  const parsed = typeof url === "string" ? URL.parse(url) : null;
  if (parsed?.protocol === "file:") return openFolder(parsed, access);
  if (parsed?.protocol === "sftp:") return openSftp(parsed, access, environment);
  throw new Error("the URL of a place is neither file:///... nor sftp://user@host/...");
}

function openFolder(url: URL, access: unknown): Place {
  const settings = checkedKeys(access, ["operationWithinMs"]);
  if (url.host || url.search || url.hash) {
    throw new Error("the URL of a folder has more than a path: file:///...");
  }
  return folderPlace(fileURLToPath(url), operationLimit(settings));
}

async function openSftp(url: URL, access: unknown, environment: NodeJS.ProcessEnv): Promise<Place> {
  const settings = checkedKeys(access, [
    "hostKey",
    "privateKeyFile",
    "passwordVariable",
    "connectWithinMs",
    "operationWithinMs",
  ]);
  const { hostname, port, username, pathname } = checkedUrl(url);
  const keyFile = text("privateKeyFile", settings);
  const password = passwordOf(text("passwordVariable", settings), environment);
  if (!keyFile && !password) {
    throw new Error("an SFTP place needs privateKeyFile, passwordVariable, or both");
  }
  const known = {
    // A URL has an IPv6 address in brackets.
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port ? Number(port) : SSH_PORT,
    username: decoded(username),
    hostKeys: hostKeys(settings.hostKey),
    password,
    connectWithinMs: milliseconds("connectWithinMs", settings, CONNECT_WITHIN_MS),
  };
  const server = async (): Promise<Server> => ({
    ...known,
    privateKey: keyFile ? await readFile(keyFile) : undefined,
  });
  await server();
  await requireSsh();
  return sftpPlace(
    server,
    decoded(pathname),
    `sftp://${url.host}${pathname}`,
    operationLimit(settings),
  );
}

function checkedUrl(url: URL): URL {
  if (url.password) throw new Error("the URL of a place has a password; use passwordVariable");
  if (!url.username || !url.hostname || url.search || url.hash || url.pathname === "") {
    throw new Error("the URL of an SFTP place is not of the form sftp://user@host:port/path");
  }
  return url;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error("the URL of a place has a % without a hexadecimal number");
  }
}

/** ssh2 is an optional package: payrail needs it only with a place at an SFTP server. */
async function requireSsh(): Promise<void> {
  try {
    await import("ssh2");
  } catch (error) {
    throw new Error("an SFTP place needs the optional package ssh2: npm install", { cause: error });
  }
}

function checkedKeys(access: unknown, known: string[]): Checked {
  if (typeof access !== "object" || access === null || Array.isArray(access)) {
    throw new Error("the access to a place is no JSON object");
  }
  const unknown = Object.keys(access).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new Error(`the place takes no setting ${unknown}`);
  return access as Checked;
}

function hostKeys(hostKey: unknown): string[] {
  const keys = [hostKey].flat();
  const areKeys = keys.every(
    (key) => typeof key === "string" && /^SHA256:[A-Za-z0-9+/]{43}$/.test(key),
  );
  if (!areKeys || keys.length === 0 || keys.length > MAX_HOST_KEYS) {
    throw new Error(
      'hostKey is no fingerprint as ssh-keygen -lf prints it, "SHA256:" and 43 characters, and no ' +
        `list of 1 to ${MAX_HOST_KEYS} of them`,
    );
  }
  return keys as string[];
}

function text(name: string, settings: Checked): string | undefined {
  const value = settings[name];
  if (value === undefined || (typeof value === "string" && value !== "")) return value;
  throw new Error(`${name} is no text`);
}

function passwordOf(
  variable: string | undefined,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  if (variable === undefined) return undefined;
  const password = environment[variable];
  if (!password) throw new Error(`the variable ${variable} of passwordVariable is not set`);
  return password;
}

function operationLimit(settings: Checked): number {
  return milliseconds("operationWithinMs", settings, OPERATION_WITHIN_MS);
}

function milliseconds(name: string, settings: Checked, byDefault: number): number {
  const { [name]: value = byDefault } = settings;
  const isInRange = Number.isInteger(value) && (value as number) >= 1;
  if (isInRange && (value as number) <= MAX_WITHIN_MS) return value as number;
  throw new Error(`${name} is no whole number of milliseconds from 1 to ${MAX_WITHIN_MS}`);
}
