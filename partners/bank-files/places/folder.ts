// A folder on this machine as a place. A put writes a hidden temporary file and links it to its
// name, which fails if any file has the name, so of two processes only one can put. A crash between
// the steps leaves nothing but hidden files, which a put removes a day later.

import { constants } from "node:fs";
import { type FileHandle, link, lstat, open, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import {
  isLeftOver,
  isTemporary,
  listed,
  readWhole,
  requireListable,
  requireListed,
  requirePuttable,
  temporaryName,
} from "./files.ts";
import { type Failure, type Place, PlaceError } from "./place.ts";
import { within } from "./time-limit.ts";

/** The owner writes, and the group of the program that hands files to the bank reads. */
const MODE = 0o640;
/** After these answers of a network file system the call may have taken effect. */
const AMBIGUOUS = ["EIO", "ETIMEDOUT"];

/**
 * @param path absolute; the folder may come to exist later
 * @param operationWithinMs the time limit of each operation
 */
export function folderPlace(path: string, operationWithinMs: number): Place {
  let isClosed = false;

  async function operate<T>(
    operation: string,
    work: (signal: AbortSignal) => Promise<T>,
    failure: () => Failure = () => "failed",
  ): Promise<T> {
    try {
      if (isClosed) throw new Error("the place is closed");
      return await within(operationWithinMs, work);
    } catch (error) {
      const { message } = error as Error;
      throw new PlaceError(failure(), `${operation} in the folder ${path}: ${message}`);
    }
  }

  return {
    async put(name, bytes, last) {
      let failure: Failure = "failed";
      const work = async (signal: AbortSignal) => {
        requirePuttable(name);
        await removeLeftOvers(path);
        const temporary = join(path, temporaryName());
        try {
          await writeDurably(temporary, bytes);
          await last?.();
          signal.throwIfAborted();
          failure = "unknown";
          const isPut = await linkNew(temporary, join(path, name)).catch((error) => {
            if (!AMBIGUOUS.includes(error.code)) failure = "failed";
            throw error;
          });
          if (!isPut && !(await isSame(join(path, name), bytes))) {
            failure = "taken";
            throw new Error("another file has the name");
          }
          await syncNames(path);
          return isPut ? "put" : "exists";
        } finally {
          await removeTemporary(temporary);
        }
      };
      return operate(`put of ${name}`, work, () => failure);
    },
    names: (after = "") =>
      operate("names", async () => {
        const entries = await readdir(path, { withFileTypes: true });
        requireListable(entries.length);
        const files = entries.filter((entry) => entry.isFile());
        return listed(
          files.map(({ name }) => name),
          after,
        );
      }),
    get: (name) =>
      operate(`get of ${name}`, async () => {
        requireListed(name);
        return readFile(join(path, name));
      }),
    async close() {
      isClosed = true;
    },
  };
}

async function writeDurably(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, "wx", MODE);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** @returns false if the new name exists */
async function linkNew(path: string, newPath: string): Promise<boolean> {
  try {
    await link(path, newPath);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** @throws Error if nothing has the name any more */
async function isSame(path: string, bytes: Buffer): Promise<boolean> {
  const found = await lstat(path);
  if (!found.isFile() || found.size !== bytes.length) return false;
  const there = await readFile(path);
  if (!there) throw new Error("a file had the name and is gone");
  return there.equals(bytes);
}

/** Makes the names in the folder durable. */
async function syncNames(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** @returns null if no file has the name */
async function readFile(path: string): Promise<Buffer | null> {
  const file = await openFile(path);
  if (!file) return null;
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error("it is no file");
    return await readWhole(found.size, async (buffer, offset) => {
      const { bytesRead } = await file.read(buffer, offset, buffer.length - offset, offset);
      return bytesRead;
    });
  } finally {
    await file.close();
  }
}

async function openFile(path: string): Promise<FileHandle | null> {
  try {
    // Without O_NONBLOCK the open of a pipe waits for its writer.
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

async function removeLeftOvers(path: string): Promise<void> {
  const names = await readdir(path);
  for (const name of names.filter(isTemporary)) {
    const found = await lstat(join(path, name)).catch(() => null);
    if (found && isLeftOver(found.mtimeMs)) await removeTemporary(join(path, name));
  }
}

/** A temporary file that cannot be removed now is left over, and a later put removes it. */
async function removeTemporary(path: string): Promise<void> {
  await unlink(path).catch(() => undefined);
}
