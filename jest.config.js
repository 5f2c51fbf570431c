/** @type {import("jest").Config} */
export default {
  testEnvironment: "node",
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  transform: {
    "\\.[jt]s$": [
      "@swc/jest",
      { jsc: { parser: { syntax: "typescript" }, target: "es2024" }, module: { type: "commonjs" } },
    ],
  },
  // Published as ES modules only.
  transformIgnorePatterns: ["/node_modules/(?!jose/)"],
  globalSetup: "<rootDir>/test/support/setup.ts",
  globalTeardown: "<rootDir>/test/support/teardown.ts",
  maxWorkers: 3,
  // It only ends what hangs: every wait has a bound of its own (until, in test/support/system.ts).
  testTimeout: 300_000,
};
