// The users of a nats-server that payrail starts itself: one for each service, and one for internal
// systems, each with a random password.

import { randomBytes } from "node:crypto";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SERVICE_NAMES, type ServiceName } from "../../shared/rpc/service-names.ts";
import { makeDirectory } from "./data-dir.ts";
import { natsConfig } from "./nats-permissions.ts";

export type NatsUser = ServiceName | "internal";

export interface NatsUsers {
  /** The path of the server's configuration; only this system user can read it. */
  configPath: string;
  urlOf(user: NatsUser, port: number): string;
}

/** Makes the users and writes the server's configuration into the directory. */
export async function makeNatsUsers(directory: string): Promise<NatsUsers> {
  const passwords = new Map<NatsUser, string>();
  for (const name of [...SERVICE_NAMES, "internal"] as const) {
    passwords.set(name, randomBytes(24).toString("base64url"));
  }
  const users = [...passwords].map(([name, password]) => ({ name, password }));
  const configPath = join(directory, "nats.conf");
  makeDirectory(directory);
  await writeFile(configPath, natsConfig(users), { mode: 0o600 });
  // The file of an earlier start keeps its mode.
  await chmod(configPath, 0o600);
  return {
    configPath,
    urlOf: (user, port) => `nats://${user}:${passwords.get(user)}@127.0.0.1:${port}`,
  };
}
