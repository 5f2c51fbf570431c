// The ids of a long list, in a temporary SQLite database on disk, so that memory stays flat
// for any number of ids. SQLite deletes the file when the process ends, even if it is killed.

import { DatabaseSync } from "node:sqlite";
/** @returns a set of ids by their kind, such as the name of a list */
export function openSeen() {
  const database = new DatabaseSync("");
  database.exec(`
    PRAGMA journal_mode = OFF;
    PRAGMA cache_size = -65536;
    CREATE TABLE seen (kind TEXT, id TEXT, PRIMARY KEY (kind, id)) WITHOUT ROWID, STRICT;
    BEGIN`);
  const insert = database.prepare("INSERT OR IGNORE INTO seen VALUES (?, ?)");
  const select = database.prepare("SELECT 1 FROM seen WHERE kind = ? AND id = ?");
  return {
    /** @returns false if the id was already added */
    add: (kind: string, id: string) => insert.run(kind, id).changes === 1,
    has: (kind: string, id: string) => select.get(kind, id) !== undefined,
    close: () => database.close(),
  };
}
