// A reader of ACH files that is not ours: achkit, a Python package (MIT). It parses a file into its
// fields and checks its sums, counts, hash and blocks. The package is fetched once, and never
// installed.

import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { binDirectory } from "../../../../tools/platform/binaries.ts";
import { run, SetupError } from "../../../../tools/platform/processes.ts";
import { fromWheel } from "../../../../tools/platform/wheels.ts";

/** What the reader finds in one file. */
export interface ReadFile {
  /** The codes of the faults that it sees. */
  faults: string[];
  batches: {
    sec: string;
    company_id: string;
    effective_date: string;
    entries: {
      txn_code: number;
      routing: string;
      account: string;
      amount_cents: number;
      id_number: string;
      name: string;
      trace_number: string;
      addenda: { type: string; info: string }[];
    }[];
  }[];
  control: {
    batch_count: number;
    entry_addenda_count: number;
    total_debit: number;
    total_credit: number;
  };
}

// The wheel has Python code alone, so one file is for all machines.
const WHEEL = {
  file: "achkit-0.2.0-py3-none-any.whl",
  sha256: "7b458c821bfe10b076e9093dbb43ab85544735633c69a3d2eb919e30317e090b",
};
const fetchAchkit = fromWheel("achkit==0.2.0", "achkit/__init__.py", {
  "linux-x64": WHEEL,
  "linux-arm64": WHEEL,
  "darwin-x64": WHEEL,
  "darwin-arm64": WHEEL,
});

const SCRIPT = `
import json, sys
sys.path.insert(0, sys.argv[1])
from achkit import parse, validate
answers = []
for text in json.load(open(sys.argv[2])):
    faults = [error["code"] for error in validate(text)["errors"]]
    answers.append({**parse(text), "faults": faults})
json.dump(answers, open(sys.argv[3], "w"))
`;
const READ_WITHIN_MS = 300_000;

/**
 * Reads files with achkit.
 * @throws SetupError if achkit cannot be had, and Error if it does not read a file
 */
export async function readWithAchkit(files: Buffer[]): Promise<ReadFile[]> {
  const achkit = await provideAchkit();
  const scratch = await mkdtemp(join(tmpdir(), "payrail-achkit-"));
  try {
    const [input, output] = [join(scratch, "in.json"), join(scratch, "out.json")];
    await writeFile(input, JSON.stringify(files.map((file) => file.toString("latin1"))));
    const args = ["-c", SCRIPT, achkit, input, output];
    const outcome = await run("python3", args, { timeoutMs: READ_WITHIN_MS });
    if (outcome.code !== 0) throw new Error(`achkit failed: ${outcome.output}`);
    return JSON.parse(await readFile(output, "utf8"));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The folder of the package: the kept one, or a new one that is put in place once it is whole. */
async function provideAchkit(): Promise<string> {
  const kept = resolve(binDirectory(), "achkit-0.2.0");
  if (await stat(kept).catch(() => null)) return kept;
  const parent = dirname(kept);
  await mkdir(parent, { recursive: true });
  const scratch = await mkdtemp(join(parent, ".fetch-"));
  try {
    await fetchAchkit(scratch, (line) => process.stderr.write(`${line}\n`));
    await rename(scratch, kept);
  } catch (error) {
    const remedy = "Install Python 3 with pip.";
    throw new SetupError(`achkit is not available (${(error as Error).message}). ${remedy}`);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return kept;
}
