// npm start: everything on one machine in one process, with nothing to install first.

import { SERVICE_NAMES } from "../../shared/rpc/service-names.ts";
import { welcome } from "../platform/banner.ts";
import { live, say } from "../platform/lifetime.ts";
import { startServices } from "../platform/services.ts";
import { takeNoArguments } from "../platform/usage.ts";
import { prepareStart } from "./start/embedded.ts";

const USAGE = `npm start

Starts everything in one process and prints what to try. docs/operate/configuration.md
lists the variables that configure it.
`;

process.title = "payrail";

await live(async (lifetime) => {
  await takeNoArguments(USAGE, lifetime);
  const { config } = await prepareStart(lifetime, false);
  say("Starting the services");
  await startServices(config, "payrail", SERVICE_NAMES, lifetime);
  await welcome(config);
});
