// A bank's SFTP server: the outside world. It keeps one folder, /files, in memory, and misbehaves
// as told: it refuses, hangs, cuts connections, or overwrites files on a rename.

import { posix } from "node:path";
import ssh2, { type Connection, type FileEntry, type SFTPWrapper } from "ssh2";
import { type SshServer, startSshServer } from "./ssh-server.ts";

const { OPEN_MODE, STATUS_CODE } = ssh2.utils.sftp;

/**
 * - refuse: the answer is FAILURE, and nothing happens.
 * - hang: no answer, and nothing happens.
 * - cut: the connection ends, and nothing happens.
 * - disconnect: the server says PROTOCOL_ERROR, whose number is that of NO_SUCH_FILE, and ends.
 * - cut after: the request takes effect, and the connection ends in place of the answer.
 * - lie: the request takes effect, and the answer is FAILURE.
 */
type Fault = "refuse" | "hang" | "cut" | "disconnect" | "cut after" | "lie";
type Request =
  | "OPEN"
  | "WRITE"
  | "READ"
  | "FSTAT"
  | "LSTAT"
  | "OPENDIR"
  | "READDIR"
  | "CLOSE"
  | "REMOVE"
  | "RENAME";

interface BankFile {
  bytes: Buffer;
  /** Epoch milliseconds. */
  modifiedAt: number;
  /** A regular file by default. */
  mode?: number;
}

export interface BankServer extends SshServer {
  /** By name, in /files. */
  files: Map<string, BankFile>;
  /** What goes wrong with all requests of a kind. */
  faults: Map<Request, Fault>;
  /** The text of a refusal. */
  refusal: string;
  /** Whether a rename to a name that exists replaces its file. */
  overwrites: boolean;
  /** Whether modes state that files are files. */
  statesTypes: boolean;
  /** Called before each request takes effect. */
  onRequest: (request: Request) => void;
}

const REGULAR = 0o100640;

export async function startBankServer(): Promise<BankServer> {
  const ssh = await startSshServer((session, connection) => {
    session.on("sftp", (accept) => serve(bank, accept(), connection));
  });
  const bank: BankServer = Object.assign(ssh, {
    files: new Map(),
    faults: new Map(),
    refusal: "not today",
    overwrites: false,
    statesTypes: true,
    onRequest: () => undefined,
  });
  return bank;
}

function disconnect(connection: Connection): void {
  const PROTOCOL_ERROR = 2;
  const { _protocol } = connection as never as {
    _protocol: { disconnect(reason: number): void };
  };
  _protocol.disconnect(PROTOCOL_ERROR);
}

interface Handle {
  name: string;
  /** The names that a listing has not given yet; absent for a file. */
  rest?: string[];
}

function serve(bank: BankServer, sftp: SFTPWrapper, connection: Connection): void {
  const handles = new Map<string, Handle>();
  const { files } = bank;

  function on(request: Request, effect: (id: number, ...rest: never[]) => void): void {
    sftp.on(request, (id: number, ...rest: never[]) => {
      bank.onRequest(request);
      const fault = bank.faults.get(request);
      if (fault === "refuse") sftp.status(id, STATUS_CODE.FAILURE, bank.refusal);
      if (fault === "cut") connection.end();
      if (fault === "disconnect") disconnect(connection);
      if (fault === "cut after" || fault === "lie") withoutAnswer(() => effect(id, ...rest));
      if (fault === "cut after") connection.end();
      if (fault === "lie") sftp.status(id, STATUS_CODE.FAILURE);
      if (!fault) effect(id, ...rest);
    });
  }

  function withoutAnswer(effect: () => void): void {
    const { status, handle } = sftp;
    sftp.status = () => undefined;
    sftp.handle = () => undefined;
    effect();
    Object.assign(sftp, { status, handle });
  }

  function handleOf(id: number, handle: Handle): void {
    const key = Buffer.from(`${handles.size}`);
    handles.set(key.toString(), handle);
    sftp.handle(id, key);
  }

  function attributes({ bytes, modifiedAt, mode = REGULAR }: BankFile) {
    const seconds = Math.floor(modifiedAt / 1_000);
    const stated = bank.statesTypes ? mode : mode & 0o777;
    return { size: bytes.length, mode: stated, uid: 0, gid: 0, atime: seconds, mtime: seconds };
  }

  function attributesOf(id: number, name: string): void {
    const file = files.get(name);
    if (file) sftp.attrs(id, attributes(file));
    else sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
  }

  const nameOf = (path: string) => posix.relative("/files", path);
  const ofHandle = (handle: Buffer) => handles.get(handle.toString()) as Handle;
  const ok = (id: number) => sftp.status(id, STATUS_CODE.OK);

  on("OPEN", (id, path: string, flags: number) => {
    const name = nameOf(path);
    const exists = files.has(name);
    if (!exists && !(flags & OPEN_MODE.CREAT)) return sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
    if (exists && flags & OPEN_MODE.EXCL) return sftp.status(id, STATUS_CODE.FAILURE);
    if (!exists) files.set(name, { bytes: Buffer.alloc(0), modifiedAt: Date.now() });
    handleOf(id, { name });
  });
  on("WRITE", (id, handle: Buffer, offset: number, data: Buffer) => {
    const file = files.get(ofHandle(handle).name) as BankFile;
    const end = Math.max(file.bytes.length, offset + data.length);
    const bytes = Buffer.concat([file.bytes, Buffer.alloc(end - file.bytes.length)]);
    data.copy(bytes, offset);
    file.bytes = bytes;
    ok(id);
  });
  on("READ", (id, handle: Buffer, offset: number, length: number) => {
    const { bytes } = files.get(ofHandle(handle).name) as BankFile;
    if (offset >= bytes.length) return sftp.status(id, STATUS_CODE.EOF);
    sftp.data(id, bytes.subarray(offset, offset + length));
  });
  on("FSTAT", (id, handle: Buffer) => attributesOf(id, ofHandle(handle).name));
  on("LSTAT", (id, path: string) => attributesOf(id, nameOf(path)));
  on("OPENDIR", (id) => handleOf(id, { name: "", rest: [...files.keys()] }));
  on("READDIR", (id, handle: Buffer) => {
    const part = ofHandle(handle).rest?.splice(0, 100) ?? [];
    if (part.length === 0) return sftp.status(id, STATUS_CODE.EOF);
    const entries = part.map((name): FileEntry => {
      const file = files.get(name) as BankFile;
      const type = file.mode && file.mode & 0o040000 ? "d" : "-";
      return { filename: name, longname: `${type}rw-r----- ${name}`, attrs: attributes(file) };
    });
    sftp.name(id, entries);
  });
  on("CLOSE", ok);
  on("REMOVE", (id, path: string) => {
    const existed = files.delete(nameOf(path));
    sftp.status(id, existed ? STATUS_CODE.OK : STATUS_CODE.NO_SUCH_FILE);
  });
  on("RENAME", (id, path: string, newPath: string) => {
    const file = files.get(nameOf(path));
    if (!file) return sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
    if (files.has(nameOf(newPath)) && !bank.overwrites) {
      return sftp.status(id, STATUS_CODE.FAILURE);
    }
    files.delete(nameOf(path));
    files.set(nameOf(newPath), file);
    ok(id);
  });
}
