// The tests of `npm run test:containers`: the image and docker-compose.yml on a container engine.
import config from "./jest.config.js";

const { globalSetup: _mongod, globalTeardown: _end, ...withoutServers } = config;

export default {
  ...withoutServers,
  testMatch: ["<rootDir>/test/containers/**/*.deep.test.ts"],
  globalSetup: "<rootDir>/test/containers/setup.ts",
};
