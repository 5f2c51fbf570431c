// MongoDB's own download, through mongodb-memory-server-core, which knows the archive for this system.
// Made strict (certificates are checked, which it leaves to npm's settings) and impatient (one try,
// a few seconds without a byte end it: there are other sources).

import { join } from "node:path";
import { DryMongoBinary } from "mongodb-memory-server-core/lib/util/DryMongoBinary.js";
import { MongoBinaryDownload } from "mongodb-memory-server-core/lib/util/MongoBinaryDownload.js";
import type { Say } from "./processes.ts";

const VERSION = "7.0.24";
const SILENCE_MS = 5_000;
const PROGRESS_EVERY_MS = 2_000;

type HttpDownload = Parameters<MongoBinaryDownload["httpDownload"]>;

class Download extends MongoBinaryDownload {
  say: Say = () => {};
  private saidAt = 0;

  override httpDownload(...[url, options, location, temporary]: HttpDownload): Promise<string> {
    const strict = { ...options, rejectUnauthorized: true };
    return super.httpDownload(url, strict, location, temporary, 1, 0, SILENCE_MS);
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
  const downloadDir = join(directory, "download");
  const options = await DryMongoBinary.generateOptions({ version: VERSION, downloadDir });
  const download = new Download({ ...options, checkMD5: true });
  download.say = say;
  try {
    return await download.getMongodPath();
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    throw new Error(code ?? message.split("\n")[0], { cause: error });
  }
}
