// Puts files into the folder PLACE, one for each message, and answers with the outcome.
//
// DIE_AT=n ends it by SIGKILL before its nth change of the file system since the start, so that a
// test can stop a put between all of its steps.

import fs, { type FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { openPlace } from "../../../partners/bank-files/places/open.ts";

const { PLACE, DIE_AT } = process.env;

/** The calls that change the file system, or make a change durable. */
const CHANGES = ["open", "link", "unlink"] as const;
const CHANGES_OF_HANDLES = ["writeFile", "sync"] as const;

if (DIE_AT !== undefined) {
  let left = Number(DIE_AT);
  const dieInTurn = () => {
    left -= 1;
    if (left <= 0) process.kill(process.pid, "SIGKILL");
  };
  const own = await fs.open(import.meta.filename);
  interrupt(Object.getPrototypeOf(own) as FileHandle, CHANGES_OF_HANDLES, dieInTurn);
  await own.close();
  interrupt(fs, CHANGES, dieInTurn);
  syncBuiltinESMExports();
}

function interrupt<T>(object: T, names: readonly (keyof T)[], before: () => void): void {
  for (const name of names) {
    const original = object[name] as (...rest: unknown[]) => unknown;
    object[name] = function (this: unknown, ...rest: unknown[]) {
      before();
      return original.apply(this, rest);
    } as never;
  }
}

const place = await openPlace(PLACE);
process.on("message", ({ name, text }: { name: string; text: string }) => {
  place.put(name, Buffer.from(text)).then(
    (outcome) => process.send?.({ name, outcome }),
    ({ kind, message }) => process.send?.({ name, outcome: `${kind}: ${message}` }),
  );
});
// Ends with the test that started it.
process.once("disconnect", () => process.exit(0));
process.send?.("ready");
