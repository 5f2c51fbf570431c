// Before the tests of `npm run test:k8s`: one sentence, if there is no cluster.

import { requireCluster } from "./kubectl.ts";

export default requireCluster;
