// The tests of `npm run test:k8s`, on the cluster that PAYRAIL_TEST_KUBECTL names (test/k8s/kubectl.ts).
import config from "./jest.config.js";

const { globalSetup: _setup, globalTeardown: _teardown, ...rest } = config;
export default { ...rest, testMatch: ["<rootDir>/test/k8s/**/*.test.ts"] };
