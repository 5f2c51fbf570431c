// A session with an SFTP server: an SSH connection to a host whose key is pinned, and requests upon
// it. No request waits longer than its session lasts, and a session that has ended stays so.

import { createHash } from "node:crypto";
import type { AuthenticationType, ConnectConfig, SFTPWrapper } from "ssh2";

export interface Server {
  host: string;
  port: number;
  username: string;
  /** The accepted SHA-256 fingerprints, as `ssh-keygen -lf` prints them. */
  hostKeys: string[];
  /** The client's own: a private key, a password, or both if the server asks for both. */
  privateKey?: Buffer;
  password?: string;
  /** The time limit from the name's look-up to the start of SFTP, in milliseconds. */
  connectWithinMs: number;
}

type Done<T> = (error?: Error | null, value?: T) => void;

export interface Session {
  /**
   * Sends a request and waits for its answer.
   * @throws Error with the SFTP status as `code`, or without one if the session ended
   */
  ask<T>(request: (sftp: SFTPWrapper, done: Done<T>) => void): Promise<T>;
  /** Ends the connection immediately, and all its requests with this reason. */
  end(reason: string): void;
}

/** An idle session is asked for a sign of life this often, and ends after three without answer. */
const KEEP_ALIVE_MS = 30_000;

/**
 * @param onEnd called when the session ends, also if it could not be opened
 * @throws Error if the host's key is not a pinned one; no password has been sent to it then
 */
export async function openSession(server: Server, onEnd: () => void): Promise<Session> {
  const { Client } = await import("ssh2");
  const client = new Client();
  const opening = Promise.withResolvers<SFTPWrapper>();
  const waiting = new Set<(error: Error) => void>([opening.reject]);
  let ended: Error | null = null;

  function end(reason: string): void {
    // A new error, because ssh2's may have the number of a disconnect as a code, which would be
    // taken for a status of SFTP such as NO_SUCH_FILE.
    ended ??= new Error(reason);
    onEnd();
    for (const fail of waiting) fail(ended);
    waiting.clear();
    client.destroy();
  }

  client.on("error", ({ message }) => end(`the connection failed: ${message}`));
  client.on("close", () => end("the connection was closed"));
  client.on("ready", () => {
    client.sftp((error, sftp) => {
      if (error) return end(`the server offers no SFTP: ${error.message}`);
      sftp.on("error", ({ message }: Error) => end(`SFTP failed: ${message}`));
      sftp.on("close", () => end("SFTP was closed"));
      opening.resolve(sftp);
    });
  });

  const limit = setTimeout(
    () => end(`no connection within ${server.connectWithinMs} ms`),
    server.connectWithinMs,
  );
  try {
    client.connect(configOf(server, end));
    // Each request waits for the answer before it, and without this each takes 40 ms longer.
    client.setNoDelay();
  } catch (error) {
    // ssh2 cannot read the private key.
    end((error as Error).message);
  }
  try {
    const sftp = await opening.promise;
    waiting.delete(opening.reject);
    return { ask: (request) => ask(sftp, request), end };
  } finally {
    clearTimeout(limit);
  }

  function ask<T>(sftp: SFTPWrapper, request: (sftp: SFTPWrapper, done: Done<T>) => void) {
    return new Promise<T>((resolve, reject) => {
      if (ended) throw ended;
      waiting.add(reject);
      request(sftp, (error, value) => {
        waiting.delete(reject);
        if (error) reject(error);
        else resolve(value as T);
      });
    });
  }
}

function configOf(server: Server, end: (reason: string) => void): ConnectConfig {
  const { host, port, username, hostKeys, privateKey, password } = server;
  // ssh2 tries each method once, and servers that ask for both want the key first.
  const methods: AuthenticationType[] = [];
  if (privateKey) methods.push("publickey");
  if (password) methods.push("password");
  return {
    host,
    port,
    username,
    privateKey,
    password,
    authHandler: methods,
    // The session has its own limit, which also covers the time before and after the handshake.
    readyTimeout: 0,
    keepaliveInterval: KEEP_ALIVE_MS,
    hostVerifier: (key: Buffer) => {
      const hash = createHash("sha256").update(key).digest("base64");
      const fingerprint = `SHA256:${hash.replace(/=+$/, "")}`;
      if (hostKeys.includes(fingerprint)) return true;
      end(`the host's key is ${fingerprint}, which is not in hostKey`);
      return false;
    },
  };
}
