// What a reader from outside, moov-io/iso20022 in Go, says about files. It knows the versions
// pain.001.001.10, pain.002.001.11 and camt.054.001.08; the elements that payrail's and the bank's
// files have are the same in the versions before, so they are given to it under these names. Its
// Validate is not asked, because it demands all alternatives of a choice at once; the schemas of
// ISO are asked instead (iso20022-schemas.ts).

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { binDirectory } from "../../../tools/platform/binaries.ts";
import { buildGo, folderOfModule } from "../../support/go.ts";

interface Payment {
  id: string;
  status?: string;
  amount: number;
  currency?: string;
  name?: string;
  account?: string;
}

export interface Message {
  id: string;
  count: string;
  sum: number;
  payments: Payment[] | null;
}

const READ_WITHIN_MS = 120_000;
const MAX_OUTPUT_BYTES = 256 * 2 ** 20;

const READER = join(import.meta.dirname, "iso20022-reader");

/** A file of a bank in the reader's own test data. */
export async function readSample(name: string): Promise<string> {
  const folder = await folderOfModule(READER, "github.com/moov-io/iso20022");
  return readFile(join(folder, "test", "testdata", name), "utf8");
}

/** Builds the reader, and reads files with it. */
export async function provideReader(): Promise<(files: Buffer[]) => Promise<Message[]>> {
  await mkdir(binDirectory(), { recursive: true });
  const program = join(binDirectory(), "iso20022-reader");
  await buildGo(READER, program);
  return (files) => read(program, files);
}

async function read(program: string, files: Buffer[]): Promise<Message[]> {
  const folder = await mkdtemp(join(tmpdir(), "payrail-iso20022-"));
  try {
    const paths = files.map((_, index) => join(folder, `${index}.xml`));
    for (const [index, path] of paths.entries())
      await writeFile(path, renamed(files[index] as Buffer));
    const options = { timeout: READ_WITHIN_MS, maxBuffer: MAX_OUTPUT_BYTES };
    const { stdout } = await promisify(execFile)(program, [folder, String(paths.length)], options);
    return stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function renamed(file: Buffer): string {
  return file
    .toString()
    .replace("xsd:pain.001.001.09", "xsd:pain.001.001.10")
    .replace("xsd:pain.002.001.10", "xsd:pain.002.001.11");
}
