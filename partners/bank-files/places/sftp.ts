// A folder at an SFTP server as a place. A put uploads a hidden temporary file and renames it. By
// the protocol a server refuses to rename to a name that exists, but some servers overwrite. So a
// put looks for the name just before the rename. Between these two requests another program can
// still put a file of the name, which such a server then overwrites. Two processes of payrail put
// the same bytes under the same name, so one overwriting the other changes nothing.
//
// One connection is kept. The first operation after its end makes it again.

import { posix } from "node:path";
import {
  isLeftOver,
  isTemporary,
  listed,
  requireListed,
  requirePuttable,
  temporaryName,
} from "./files.ts";
import { type Failure, type Place, PlaceError } from "./place.ts";
import { entriesOf, entryOf, readFile, remove, rename, writeNew } from "./sftp-files.ts";
import { openSession, type Server, type Session } from "./sftp-session.ts";

/** A server can send any text as the reason of its refusal. */
const MAX_REASON = 300;

/**
 * @param server asked before each connection, so that a renewed key file counts immediately
 * @param path absolute at the server
 * @param name of the place in errors
 * @param operationWithinMs the time limit of each operation upon a connection
 */
export function sftpPlace(
  server: () => Promise<Server>,
  path: string,
  name: string,
  operationWithinMs: number,
): Place {
  let kept: Promise<Session> | null = null;
  let isClosed = false;

  function session(): Promise<Session> {
    if (kept) return kept;
    const forget = () => {
      if (kept === opening) kept = null;
    };
    const opening = server().then((found) => openSession(found, forget));
    opening.catch(forget);
    kept = opening;
    return opening;
  }

  async function operate<T>(
    operation: string,
    work: (session: Session) => Promise<T>,
    failure: () => Failure = () => "failed",
  ): Promise<T> {
    try {
      if (isClosed) throw new Error("the place is closed");
      const current = await session();
      // It ends all requests of the session, because a server that answers one of them no more is
      // not expected to answer another.
      const limit = setTimeout(
        () => current.end(`it took longer than ${operationWithinMs} ms`),
        operationWithinMs,
      );
      try {
        return await work(current);
      } finally {
        clearTimeout(limit);
      }
    } catch (error) {
      const reason = (error as Error).message.replace(/[^\x20-\x7e]/g, "?").slice(0, MAX_REASON);
      throw new PlaceError(failure(), `${operation} at ${name}: ${reason}`);
    }
  }

  return {
    async put(file, bytes, last) {
      let failure: Failure = "failed";
      const target = posix.join(path, file);

      async function isThere(current: Session): Promise<boolean> {
        if (!(await entryOf(current, target))) return false;
        // Until it is read, it may be a file of an earlier put.
        failure = "unknown";
        if (await isSame(current, target, bytes)) return true;
        failure = "taken";
        throw new Error("another file has the name");
      }

      async function publish(current: Session, temporary: string): Promise<"put" | "exists"> {
        if (await isThere(current)) return "exists";
        await last?.();
        failure = "unknown";
        try {
          await rename(current, temporary, target);
          return "put";
        } catch (error) {
          if (await isThere(current)) return "exists";
          if (await entryOf(current, temporary)) failure = "failed";
          throw error;
        }
      }

      const work = async (current: Session) => {
        requirePuttable(file);
        if (await isThere(current)) return "exists";
        await removeLeftOvers(current, path);
        const temporary = posix.join(path, temporaryName());
        try {
          await writeNew(current, temporary, bytes);
          return await publish(current, temporary);
        } finally {
          await removeTemporary(current, temporary);
        }
      };
      return operate(`put of ${file}`, work, () => failure);
    },
    names: (after = "") =>
      operate("names", async (current) => {
        const files = (await entriesOf(current, path)).filter(({ isFile }) => isFile);
        return listed(
          files.map((each) => each.name),
          after,
        );
      }),
    get: (file) =>
      operate(`get of ${file}`, (current) => {
        requireListed(file);
        return readFile(current, posix.join(path, file));
      }),
    async close() {
      isClosed = true;
      // A connection that is still being made ends as soon as it is there, or at its limit.
      kept?.then(
        (current) => current.end("the place was closed"),
        () => undefined,
      );
    },
  };
}

/** @throws Error if nothing has the path any more, or the server lets nobody read it */
async function isSame(session: Session, path: string, bytes: Buffer): Promise<boolean> {
  const found = await entryOf(session, path);
  if (found && (!found.isFile || found.size !== bytes.length)) return false;
  const there = await readFile(session, path);
  if (!there) throw new Error("a file had the name and is gone");
  return there.equals(bytes);
}

/** Does what the server allows: many banks let their customers list no folder of uploads. */
async function removeLeftOvers(session: Session, path: string): Promise<void> {
  const entries = await entriesOf(session, path).catch(() => []);
  for (const { name, modifiedAt } of entries) {
    if (isTemporary(name) && isLeftOver(modifiedAt)) {
      await removeTemporary(session, posix.join(path, name));
    }
  }
}

/** A temporary file that cannot be removed now is left over, and a later put removes it. */
async function removeTemporary(session: Session, path: string): Promise<void> {
  await remove(session, path).catch(() => undefined);
}
