// A folder of the test's own and a folder at a bank's SFTP server, opened as places.

import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openPlace } from "../../../partners/bank-files/places/open.ts";
import type { Failure, Place } from "../../../partners/bank-files/places/place.ts";
import { type BankServer, startBankServer } from "./sftp-server.ts";
import type { SshServer } from "./ssh-server.ts";

/** A place, and the same folder as the bank sees it. */
export interface TestPlace {
  place: Place;
  write(name: string, bytes: Buffer | string, modifiedAt?: number): Promise<void>;
  /** Null if there is no such file. */
  read(name: string): Promise<Buffer | null>;
  /** All names, hidden ones too. */
  all(): Promise<string[]>;
  remove(): Promise<void>;
}

export async function testFolder(): Promise<TestPlace & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), "payrail-place-"));
  return folderAs(await openPlace(pathToFileURL(path).href), path);
}

/** @param place leads to the folder */
export function folderAs(place: Place, path: string): TestPlace & { path: string } {
  return {
    path,
    place,
    async write(name, bytes, modifiedAt = Date.now()) {
      await writeFile(join(path, name), bytes);
      await utimes(join(path, name), modifiedAt / 1_000, modifiedAt / 1_000);
    },
    read: (name) => readFile(join(path, name)).catch(() => null),
    all: () => readdir(path),
    async remove() {
      await place.close();
      await rm(path, { recursive: true });
    },
  };
}

/** Opens the server's folder with its password, unless the access says something else. */
export function openAtBank(bank: SshServer, access: object = {}, path = "/files"): Promise<Place> {
  return openPlace(
    `sftp://${bank.username}@127.0.0.1:${bank.port}${path}`,
    { hostKey: bank.hostKey, passwordVariable: "BANK_PASSWORD", ...access },
    { BANK_PASSWORD: bank.password },
  );
}

export async function testSftpFolder(): Promise<TestPlace & { bank: BankServer }> {
  const bank = await startBankServer();
  const place = await openAtBank(bank);
  return {
    bank,
    place,
    async write(name, bytes, modifiedAt = Date.now()) {
      bank.files.set(name, { bytes: Buffer.from(bytes), modifiedAt });
    },
    read: async (name) => bank.files.get(name)?.bytes ?? null,
    all: async () => [...bank.files.keys()],
    async remove() {
      await place.close();
      await bank.stop();
    },
  };
}

/** Expects an operation of a place to fail. */
export async function expectFailure(
  operation: Promise<unknown>,
  kind: Failure,
  message: string | RegExp,
): Promise<void> {
  const error = await operation.then(
    () => new Error("it did not fail"),
    (reason) => reason,
  );
  expect(error.message).toMatch(message);
  expect(error).toMatchObject({ name: "PlaceError", kind });
}
