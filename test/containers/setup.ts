// Before `npm run test:containers`: a machine without an engine fails it with one sentence. In `npm
// run test:deep` the same tests are counted as skipped there.

import { whyNoEngine } from "./engine.ts";

export default async function setup(): Promise<void> {
  const reason = await whyNoEngine();
  if (reason !== null) throw new Error(`The containers cannot be tried: ${reason}`);
}
