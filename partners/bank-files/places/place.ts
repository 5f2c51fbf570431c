// A place: a folder of files that payrail and a bank share, on this machine or at an SFTP server.
//
// A file at a place is whole or not there, and payrail never changes or removes one: two files
// under one name would be two payments under one number.

export interface Place {
  /**
   * Puts a file under a name that no file has yet, whole or not at all.
   * @param name 1 to 100 letters, digits, dots, hyphens and underscores that `names` would list
   * @param last called just before the file gets its name. If it throws, nothing has changed
   * @returns "exists" if a file of the name with the same bytes is there already
   * @throws PlaceError of any kind
   */
  put(name: string, bytes: Buffer, last?: () => Promise<void>): Promise<"put" | "exists">;
  /**
   * The names of the whole files, ascending by character code: no folders, links, hidden or
   * temporary files, and no names other than 1 to 200 printable ASCII characters.
   * @param after the names up to this one are left out, so that the last name of an answer gives
   *   the next names
   * @returns at most 1,000 names; fewer than that are the last ones
   * @throws PlaceError "failed", also if the folder has more than 100,000 entries
   */
  names(after?: string): Promise<string[]>;
  /**
   * @returns null if no file has the name (any more)
   * @throws PlaceError "failed", also above 32 MB and if the file grows or shrinks meanwhile
   */
  get(name: string): Promise<Buffer | null>;
  /** Ends the place's connection. Operations that are under way, or come later, fail. */
  close(): Promise<void>;
}

/**
 * - failed: nothing has changed at the place, and a repetition does no harm.
 * - taken: the name belongs to another file. It stays so until a person has looked.
 * - unknown: the file may be at the place, or may have been there and the bank has taken it. A
 *   repetition could give it to the bank a second time.
 */
export type Failure = "failed" | "taken" | "unknown";

/** The message names the operation and the place, without any credentials. */
export class PlaceError extends Error {
  override name = "PlaceError";
  readonly kind: Failure;

  constructor(kind: Failure, message: string) {
    super(message);
    this.kind = kind;
  }
}
