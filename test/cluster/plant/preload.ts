// Loaded into each process of a plant before its own code (node --import). It gives the process a
// name that the driver of MongoDB tells to the network's proxies (mongo-handshake.ts), and a clock
// that is some minutes off.

import os from "node:os";
import { MARK } from "./mark.ts";

const { PLANT_NODE = "", PLANT_CLOCK_OFFSET_MS = "0" } = process.env;

// The driver puts it into its first message; nothing else in a service reads it.
os.release = () => MARK + PLANT_NODE;

const offsetMs = Number(PLANT_CLOCK_OFFSET_MS);
if (offsetMs !== 0) shiftClock(offsetMs);

function shiftClock(byMs: number): void {
  const Real = Date;
  const now = () => Real.now() + byMs;
  globalThis.Date = new Proxy(Real, {
    construct: (target, args, created) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, created),
    // Called as a function, it answers a text.
    apply: () => new Real(now()).toString(),
    get: (target, key) => (key === "now" ? now : Reflect.get(target, key)),
  });
}
