// The kinds of tests are projects: `jest --selectProjects quick` is `npm test`. `npx jest FILE`
// runs one file of any kind.

const common = {
  testEnvironment: "node",
  transform: {},
  runtime: "<rootDir>/test/support/jest-runtime.ts",
};
/** A MongoDB and a nats-server for the whole run. */
const servers = {
  globalSetup: "<rootDir>/test/support/setup.ts",
  globalTeardown: "<rootDir>/test/support/teardown.ts",
};
const onCluster = "<rootDir>/test/k8s/**/*.test.ts";

/** @type {import("jest").Config} */
export default {
  maxWorkers: 3,
  // It only ends what hangs: every wait has a bound of its own (until, in test/support/system.ts).
  testTimeout: 300_000,
  projects: [
    {
      ...common,
      ...servers,
      // Each behaviour once.
      displayName: "quick",
      testMatch: ["<rootDir>/test/**/*.test.ts"],
      testPathIgnorePatterns: ["\\.deep\\.test\\.ts$", "/test/k8s/"],
    },
    {
      ...common,
      ...servers,
      // Kills, storms, crashes at every point, random histories, simulations; and the tests on a
      // cluster, if PAYRAIL_TEST_KUBECTL names one.
      displayName: "deep",
      testMatch: [
        "<rootDir>/test/**/*.deep.test.ts",
        ...(process.env.PAYRAIL_TEST_KUBECTL ? [onCluster] : []),
      ],
    },
    {
      ...common,
      // The image and docker-compose.yml on a container engine, which the run fails without.
      displayName: "containers",
      testMatch: ["<rootDir>/test/containers/**/*.deep.test.ts"],
      globalSetup: "<rootDir>/test/containers/setup.ts",
    },
    {
      ...common,
      // On the cluster that PAYRAIL_TEST_KUBECTL names (test/k8s/kubectl.ts).
      displayName: "k8s",
      testMatch: [onCluster],
      globalSetup: "<rootDir>/test/k8s/needs.ts",
    },
  ],
};
