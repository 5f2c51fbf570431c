// The tests of `npm run test:deep`: kills, storms, crashes at every point, random histories, simulations.
import config from "./jest.config.js";

export default { ...config, testMatch: ["<rootDir>/test/**/*.deep.test.ts"] };
