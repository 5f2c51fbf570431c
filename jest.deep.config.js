// The tests of `npm run test:deep`: kills, storms, crashes at every point, random histories, simulations;
// and those on a cluster, if PAYRAIL_TEST_KUBECTL names one.
import config from "./jest.config.js";

const onCluster = process.env.PAYRAIL_TEST_KUBECTL ? ["<rootDir>/test/k8s/**/*.test.ts"] : [];
export default { ...config, testMatch: ["<rootDir>/test/**/*.deep.test.ts", ...onCluster] };
