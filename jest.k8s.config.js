// The tests of `npm run test:k8s`, on the cluster that PAYRAIL_TEST_KUBECTL names (test/k8s/kubectl.ts).
import config from "./jest.config.js";

const { globalTeardown: _, ...rest } = config;
export default {
  ...rest,
  globalSetup: "<rootDir>/test/k8s/needs.ts",
  testMatch: ["<rootDir>/test/k8s/**/*.test.ts"],
};
