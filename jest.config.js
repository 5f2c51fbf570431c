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
  // These two are published as ES modules only.
  transformIgnorePatterns: ["/node_modules/(?!(uuid|jose)/)"],
  globalSetup: "<rootDir>/test/support/setup.ts",
  globalTeardown: "<rootDir>/test/support/teardown.ts",
  maxWorkers: 2,
  testTimeout: 60_000,
};
