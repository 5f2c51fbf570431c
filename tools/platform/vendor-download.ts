// MongoDB's own download, through mongodb-memory-server-core, which fetches and unpacks the
// archive. This code makes it strict (it checks certificates, which the library leaves to npm's
// settings, and the archive's pin) and impatient (one attempt, which ends after a few seconds
// without a byte, because there are other sources).

import { join } from "node:path";
import { DryMongoBinary } from "mongodb-memory-server-core/lib/util/DryMongoBinary.js";
import { MongoBinaryDownload } from "mongodb-memory-server-core/lib/util/MongoBinaryDownload.js";
import { type Pin, type Pins, pinFor, requirePinned } from "./pins.ts";
import type { Say } from "./processes.ts";

const VERSION = "7.0.14";
/** All Linux distributions get the same archive, which needs OpenSSL 3 and glibc 2.35 or newer. */
const LINUX = { os: "linux", dist: "ubuntu", release: "22.04" } as const;
const ARCHIVES: Pins = {
  "linux-x64": {
    file: `mongodb-linux-x86_64-ubuntu2204-${VERSION}.tgz`,
    sha256: "b4cf8caae108785135ecc8b86ad8ed6df5d6efb84b9b95a50ecba2fc246ce084",
  },
  "linux-arm64": {
    file: `mongodb-linux-aarch64-ubuntu2204-${VERSION}.tgz`,
    sha256: "e17887bfa24aa2967fdf1ad7c13fa7bd0d8eb1b9212fbf6ec010a738e31a3657",
  },
  "darwin-x64": {
    file: `mongodb-macos-x86_64-${VERSION}.tgz`,
    sha256: "9b0f70feacf7c41542ee7d0905e2f8090b09d5b8413f0c9079406c09afd7a2c0",
  },
  "darwin-arm64": {
    file: `mongodb-macos-arm64-${VERSION}.tgz`,
    sha256: "8805f8b33801cd07b90118c25e507b0de21c6ad426b375fbe49e896ffc575d0e",
  },
};

const SILENCE_MS = 5_000;
const PROGRESS_EVERY_MS = 2_000;

type HttpDownload = Parameters<MongoBinaryDownload["httpDownload"]>;

class Download extends MongoBinaryDownload {
  say: Say = () => {};
  private saidAt = 0;
  private readonly pin: Pin;

  constructor(options: ConstructorParameters<typeof MongoBinaryDownload>[0], pin: Pin) {
    super(options);
    this.pin = pin;
  }

  override httpDownload(...[url, options, location, temporary]: HttpDownload): Promise<string> {
    const strict = { ...options, rejectUnauthorized: true };
    return super.httpDownload(url, strict, location, temporary, 1, 0, SILENCE_MS);
  }

  /** Replaces the MD5 beside the archive, because an attacker can change both together. */
  override async makeMD5check(_md5Url: string, archive: string): Promise<undefined> {
    await requirePinned(archive, this.pin);
  }

  override printDownloadProgress(chunk: { length: number }): void {
    this.dlProgress.current += chunk.length;
    if (Date.now() - this.saidAt < PROGRESS_EVERY_MS) return;
    this.saidAt = Date.now();
    const { current, length, totalMb } = this.dlProgress;
    this.say(`  ${Math.round((100 * current) / length)} % of ${totalMb} MB`);
  }
}

/** Fetches mongod into the directory and returns its path; throws with the reason. */
export async function downloadMongod(directory: string, say: Say): Promise<string> {
  const pin = pinFor(ARCHIVES);
  const downloadDir = join(directory, "download");
  const os = process.platform === "linux" ? { os: LINUX } : {};
  const options = await DryMongoBinary.generateOptions({ version: VERSION, downloadDir, ...os });
  const download = new Download(options, pin);
  download.say = say;
  try {
    return await download.getMongodPath();
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    throw new Error(code ?? message.split("\n")[0], { cause: error });
  }
}
