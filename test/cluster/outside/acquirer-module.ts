// The acquirer of the cluster test: the sample's, with the books of another world.

import sampleAcquirer from "../../../partners/samples/acquirer.ts";
import type { Acquirer } from "../../../partners/types.ts";

export default function acquirer(): Acquirer {
  return { ...sampleAcquirer(), name: "outside-acquirer" };
}
