// npm run -s nats-permissions: prints the permissions of each service's user on NATS.

import { SERVICE_NAMES } from "../../shared/rpc/service-names.ts";
import { live } from "../platform/lifetime.ts";
import { natsPermissions } from "../platform/nats-permissions.ts";
import { print } from "../platform/output.ts";
import { takeNoArguments } from "../platform/usage.ts";

const USAGE = `npm run -s nats-permissions

Prints the permissions of each service's user, as JSON, for a NATS that you run yourself
(docs/operate/install.md).
`;

await live(async (lifetime) => {
  await takeNoArguments(USAGE, lifetime);
  const permissions = SERVICE_NAMES.map((name) => [name, natsPermissions(name)]);
  await print(`${JSON.stringify(Object.fromEntries(permissions), null, 2)}\n`);
  await lifetime.end(0);
});
