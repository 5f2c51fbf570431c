// npm start: everything on one machine in one process, with nothing to install first.

import { SERVICE_NAMES } from "../shared/service-names.ts";
import { welcome } from "./support/banner.ts";
import { prepareStart } from "./support/embedded.ts";
import { live, say } from "./support/lifetime.ts";
import { startServices } from "./support/services.ts";
import { takeNoArguments } from "./support/usage.ts";

const USAGE = `npm start

Starts everything in one process and prints what to try. README.md lists the variables that configure it.
`;

process.title = "payrail";

await live(async (lifetime) => {
  await takeNoArguments(USAGE, lifetime);
  const { config } = await prepareStart(lifetime, false);
  say("Starting the services");
  await startServices(config, "payrail", SERVICE_NAMES, lifetime);
  await welcome(config);
});
