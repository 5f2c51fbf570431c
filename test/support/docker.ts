// MongoDB and nats-server in containers, for a machine that has Docker but neither program.

import { existsSync } from "node:fs";
import type { StartedTestContainer } from "testcontainers";
import type { Say } from "../../tools/platform/processes.ts";

const STARTED_WITHIN_MS = 120_000;

export interface Container {
  url: string;
  stop(): Promise<void>;
}

/** Null without Docker, or if Docker cannot run it. */
export function mongoInDocker(say: Say): Promise<Container | null> {
  return inDocker("mongo:7.0", 27_017, say, async (container, address) => {
    const initiate = "rs.initiate({_id:'rs0',members:[{_id:0,host:'127.0.0.1:27017'}]})";
    const isPrimary = "while (!db.hello().isWritablePrimary) sleep(50)";
    const { exitCode, output } = await container.exec([
      ...["mongosh", "--quiet", "--eval", `${initiate}; ${isPrimary}`],
    ]);
    if (exitCode !== 0) throw new Error(output);
    // A direct connection, because the set's own address is the container's, unreachable from here.
    return `mongodb://${address}/test?directConnection=true`;
  });
}

/** Null without Docker, or if Docker cannot run it. */
export function natsInDocker(say: Say): Promise<Container | null> {
  return inDocker("nats:2.11", 4_222, say, async (_container, address) => `nats://${address}`);
}

const COMMANDS: Record<string, string[]> = {
  "mongo:7.0": ["--replSet", "rs0", "--wiredTigerCacheSizeGB", "0.5"],
  "nats:2.11": [],
};

async function inDocker(
  image: string,
  port: number,
  say: Say,
  urlOf: (container: StartedTestContainer, address: string) => Promise<string>,
): Promise<Container | null> {
  if (!process.env.DOCKER_HOST && !existsSync("/var/run/docker.sock")) return null;
  try {
    const { GenericContainer } = await import("testcontainers");
    say(`Starting ${image} in Docker`);
    const container = await new GenericContainer(image)
      .withCommand(COMMANDS[image] as string[])
      .withExposedPorts(port)
      .withStartupTimeout(STARTED_WITHIN_MS)
      .start();
    const url = await urlOf(container, `${container.getHost()}:${container.getMappedPort(port)}`);
    return { url, stop: async () => void (await container.stop()) };
  } catch (error) {
    say(`${image} is not available from Docker (${(error as Error).message.split("\n")[0]})`);
    return null;
  }
}
