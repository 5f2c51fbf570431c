// The requests of SFTP that a place needs, upon a session: draft-ietf-secsh-filexfer-02. An error
// has the server's status as its code. Only the status NO_SUCH_FILE says that there is no file,
// because servers answer FAILURE to everything that goes wrong.

import type { FileEntryWithStats, Stats } from "ssh2";
import { readWhole, requireListable } from "./files.ts";
import type { Session } from "./sftp-session.ts";

const END_OF_FILE = 1;
const NO_SUCH_FILE = 2;

const TYPE_BITS = 0o170000;
const REGULAR = 0o100000;

export interface DirectoryEntry {
  name: string;
  isFile: boolean;
  size: number;
  /** Epoch milliseconds. */
  modifiedAt: number;
}

/** @returns null if nothing has the path */
export async function entryOf(session: Session, path: string): Promise<DirectoryEntry | null> {
  const stats = await orNull(NO_SUCH_FILE, () =>
    session.ask<Stats>((sftp, done) => sftp.lstat(path, done)),
  );
  return stats && entry({ filename: path, longname: "", attrs: stats });
}

/** @throws Error if the folder has more than 100,000 entries */
export async function entriesOf(session: Session, path: string): Promise<DirectoryEntry[]> {
  const handle = await session.ask<Buffer>((sftp, done) => sftp.opendir(path, done));
  const entries: DirectoryEntry[] = [];
  for (;;) {
    const part = await orNull(END_OF_FILE, () =>
      session.ask<FileEntryWithStats[]>((sftp, done) => sftp.readdir(handle, done)),
    );
    if (!part) break;
    entries.push(...part.map(entry));
    requireListable(entries.length);
  }
  await closeHandle(session, handle);
  return entries;
}

/** @returns null if nothing has the path */
export async function readFile(session: Session, path: string): Promise<Buffer | null> {
  const handle = await orNull(NO_SUCH_FILE, () =>
    session.ask<Buffer>((sftp, done) => sftp.open(path, "r", done)),
  );
  if (!handle) return null;
  try {
    const stats = await session.ask<Stats>((sftp, done) => sftp.fstat(handle, done));
    const found = entry({ filename: path, longname: "", attrs: stats });
    if (!found.isFile) throw new Error("it is no file");
    return await readWhole(found.size, (buffer, offset) =>
      session.ask<number>((sftp, done) =>
        sftp.read(handle, buffer, offset, buffer.length - offset, offset, done),
      ),
    );
  } finally {
    await closeHandle(session, handle);
  }
}

/**
 * Writes a new file, durably if the server can.
 * @throws Error if the path exists, or the server has another size than that of the bytes
 */
export async function writeNew(session: Session, path: string, bytes: Buffer): Promise<void> {
  // Without attributes the file has the mode that the bank has set for uploads.
  const handle = await session.ask<Buffer>((sftp, done) => sftp.open(path, "wx", done));
  await session.ask((sftp, done) => sftp.write(handle, bytes, 0, bytes.length, 0, done));
  await session.ask<void>((sftp, done) => {
    try {
      sftp.ext_openssh_fsync(handle, done);
    } catch {
      // The server does not offer it.
      done();
    }
  });
  // The server may report here that it could not store the bytes.
  await session.ask<void>((sftp, done) => sftp.close(handle, done));
  const size = (await entryOf(session, path))?.size;
  if (size !== bytes.length) throw new Error(`the server has ${size} of ${bytes.length} bytes`);
}

export function rename(session: Session, path: string, newPath: string): Promise<void> {
  return session.ask<void>((sftp, done) => sftp.rename(path, newPath, done));
}

export function remove(session: Session, path: string): Promise<void> {
  return session.ask<void>((sftp, done) => sftp.unlink(path, done));
}

/** A handle that stays open costs the server some memory until the session ends. */
async function closeHandle(session: Session, handle: Buffer): Promise<void> {
  await session.ask<void>((sftp, done) => sftp.close(handle, done)).catch(() => undefined);
}

async function orNull<T>(status: number, request: () => Promise<T>): Promise<T | null> {
  try {
    return await request();
  } catch (error) {
    if ((error as { code?: number }).code === status) return null;
    throw error;
  }
}

function entry({ filename, longname, attrs }: FileEntryWithStats): DirectoryEntry {
  const type = (attrs.mode ?? 0) & TYPE_BITS;
  // Some servers state no type in the mode; then the line that `ls -l` would print has it, if any.
  const isFile = type === 0 ? !/^[^-]/.test(longname) : type === REGULAR;
  return { name: filename, isFile, size: attrs.size, modifiedAt: attrs.mtime * 1_000 };
}
