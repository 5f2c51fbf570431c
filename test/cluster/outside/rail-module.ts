// The rail of the cluster test: the sample's, at a bank whose payments can come back.

import sampleRail from "../../../partners/samples/rail.ts";
import type { Rail } from "../../../partners/types.ts";

const DAY_MS = 86_400_000;

export default function rail(): Rail {
  return { ...sampleRail(), name: "outside-bank", returnWindowMs: DAY_MS };
}
