// The tests of `npm test`: each behaviour once.
import config from "./jest.config.js";

export default { ...config, testPathIgnorePatterns: ["\\.deep\\.test\\.ts$", "/test/k8s/"] };
