/** @type {import("jest").Config} */
const config = {
  testEnvironment: "node",
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  transform: {},
  runtime: "<rootDir>/test/support/jest-runtime.ts",
  globalSetup: "<rootDir>/test/support/setup.ts",
  globalTeardown: "<rootDir>/test/support/teardown.ts",
  maxWorkers: 3,
  // It only ends what hangs: every wait has a bound of its own (until, in test/support/system.ts).
  testTimeout: 300_000,
};
export default config;
