// The files of provisioning. A secret is written once and kept, because another one would lose the
// data that it protects; a file that follows from others is written again when it differs.

import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Say, SetupError } from "../../platform/processes.ts";

const FOLDER_MODE = 0o750;
const FILE_MODE = 0o400;
/** For a server that runs as another user, of the same group. */
const GROUP_FILE_MODE = 0o440;

export interface Files {
  /** The content of a file; null if it does not exist. @throws SetupError if it cannot be read */
  read(name: string): string | null;
  /** Keeps a file, or writes it if it does not exist. @returns its content */
  keep(name: string, make: () => string): string;
  /** Writes a file that does not have this content. */
  write(name: string, content: string): void;
}

/**
 * Files below a folder, by names such as `accounts/MONGO_URL`.
 * @param sharedFolders the group may read the files of these folders
 */
export function filesIn(folder: string, sharedFolders: string[], say: Say): Files {
  const path = (name: string) => join(folder, name);
  const mode = (name: string) =>
    sharedFolders.includes(dirname(name)) ? GROUP_FILE_MODE : FILE_MODE;

  function read(name: string): string | null {
    try {
      return readFileSync(path(name), "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw unusable(error, path(name));
    }
  }

  /** Writes beside the file and then gives it the name, so a crash leaves no part of a file. */
  function place(name: string, content: string, giveName: (scratch: string) => void): void {
    const scratch = path(`${name}.${randomUUID()}`);
    try {
      mkdirSync(dirname(scratch), { recursive: true, mode: FOLDER_MODE });
      writeFileSync(scratch, content, { mode: mode(name) });
      giveName(scratch);
    } catch (error) {
      throw unusable(error, path(name));
    } finally {
      rmSync(scratch, { force: true });
    }
    say(`Wrote ${name}`);
  }

  return {
    read,
    keep(name, make) {
      const kept = read(name);
      if (kept !== null) return kept;
      const content = make();
      // Unlike a rename, a link fails if the name exists.
      place(name, content, (scratch) => linkSync(scratch, path(name)));
      return content;
    },
    write(name, content) {
      if (read(name) !== content)
        place(name, content, (scratch) => renameSync(scratch, path(name)));
    },
  };
}

function unusable(error: unknown, path: string): SetupError {
  const { code } = error as NodeJS.ErrnoException;
  return new SetupError(`${path} cannot be used (${code}); name a directory of yours with --out.`);
}
