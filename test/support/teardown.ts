// After all tests: stops the programs that setup.ts started.

import type { Stop } from "./setup.ts";

export default async function teardown(): Promise<void> {
  const stops = (globalThis as { payrailStops?: Stop[] }).payrailStops ?? [];
  for (const stop of stops.toReversed()) await stop();
}
