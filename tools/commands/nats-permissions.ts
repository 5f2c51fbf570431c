// npm run -s nats-permissions: prints the permissions of each service's user on NATS, as JSON, for
// a NATS that an operator runs.

import { SERVICE_NAMES } from "../../shared/rpc/service-names.ts";
import { natsPermissions } from "../platform/nats-permissions.ts";

const permissions = SERVICE_NAMES.map((name) => [name, natsPermissions(name)]);
process.stdout.write(`${JSON.stringify(Object.fromEntries(permissions), null, 2)}\n`);
