// The gateway: HTTP for all other services. It has no domain rules and no database; what its routes
// are is in routes.ts, in which order a request is judged in server.ts.

import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import type { ServiceSchema } from "moleculer";
import { type Config, ConfigError } from "../../shared/env.ts";
import { defineService } from "../../shared/service.ts";
import { serveDocs } from "./http/docs.ts";
import { openApi } from "./http/openapi.ts";
import type { Route } from "./http/route.ts";
import { createServer } from "./http/server.ts";
import { servePay } from "./pay/serve.ts";
import { routes } from "./routes/routes.ts";

/** More than any route's action may take. */
const CLOSE_WITHIN_MS = 20_000;

interface Extras {
  /** Beside the table's, for measurements. */
  extraRoutes?: Route[];
}

/** The service; nothing but this starts it, and it needs no other service to start. */
export default defineService(function gateway(
  config: Config,
  { extraRoutes = [] }: Extras = {},
): ServiceSchema {
  let server: FastifyInstance | undefined;
  return {
    name: "gateway",
    settings: {},
    async started() {
      const { broker, logger } = this;
      const all = [...routes(config), ...extraRoutes];
      const document = openApi(all);
      const pages = async (app: FastifyInstance) => {
        await serveDocs(app, document);
        servePay(app, { broker, logger, config });
      };
      server = await createServer({ config, broker, logger, routes: all, pages });
      // For whoever starts it on port 0.
      Object.assign(this.settings, { port: await listen(server, config) });
    },
    async stopped() {
      if (server) await close(server);
    },
  };
});

/** @returns the port, also where 0 let the system choose one */
async function listen(server: FastifyInstance, { host, port }: Config): Promise<number> {
  try {
    await server.listen({ host, port });
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "EADDRINUSE")
      throw new ConfigError(`PORT ${port} is in use; set PORT to a free one.`);
    if (code === "EACCES")
      throw new ConfigError(`PORT ${port} is not allowed; set PORT above 1023.`);
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
      throw new ConfigError(`HOST ${host} is not an address of this machine.`);
    }
    throw error;
  }
  return (server.server.address() as AddressInfo).port;
}

/** Lets nobody in any more and finishes what was let in; who is still sending by then is cut off. */
async function close(server: FastifyInstance): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), CLOSE_WITHIN_MS);
  await server.close();
  clearTimeout(cut);
}
