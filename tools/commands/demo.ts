// npm run demo: makes the demo business at a gateway that another process runs, and prints the
// banner of npm start.

import { loadConfig } from "../../shared/config/env.ts";
import { welcome } from "../platform/banner.ts";
import { withDevelopmentKeys } from "../platform/environment.ts";
import { live } from "../platform/lifetime.ts";
import { takeNoArguments } from "../platform/usage.ts";

const USAGE = `npm run demo

Waits until all services are ready, makes the demo business once, and prints what to try. It calls
the gateway at HOST and PORT, and signs the demo's tokens with JWT_PRIVATE_KEY; the demo's ids stay
in DATA_DIR.
`;

process.title = "payrail-demo";

await live(async (lifetime) => {
  await takeNoArguments(USAGE, lifetime);
  await welcome(loadConfig(withDevelopmentKeys(process.env), "demo"));
  await lifetime.end(0);
});
