// The acquirer of the cluster test: the sample's, with the books of another world.

import type { Acquirer } from "../../../partners/types.ts";
import sampleAcquirer from "../../../samples/acquirer.ts";

export default function acquirer(): Acquirer {
  return { ...sampleAcquirer(), name: "outside-acquirer" };
}
