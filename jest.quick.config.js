// The tests of `npm test`: each behaviour once.
import config from "./jest.config.js";

// A test mostly waits for MongoDB, partners and timers, so four workers keep two cores busy.
export default {
  ...config,
  maxWorkers: 4,
  testPathIgnorePatterns: ["\\.deep\\.test\\.ts$", "/test/k8s/"],
};
