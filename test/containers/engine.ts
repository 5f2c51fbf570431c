// The container engine of this machine, and a compose project on it. The engine is that of
// DOCKER_HOST, or the local one. PAYRAIL_IMAGE, MONGO_IMAGE and NATS_IMAGE name images; payrail's
// is built if the variable is unset.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { run } from "../../tools/platform/processes.ts";

const ASKED_FOR_MS = 20_000;
const COMMAND_WITHIN_MS = 900_000;
const FILES = ["docker-compose.yml", "test/containers/receiver.yml"];

/** Null if containers can be tried here, else the reason why not. */
export async function whyNoEngine(): Promise<string | null> {
  const { code, output } = await run("docker", ["version"], { timeoutMs: ASKED_FOR_MS });
  if (code !== 0) return `no container engine answers (${output.trim().split("\n").at(-1)})`;
  return (await findCompose()) ? null : "docker compose is not installed";
}

async function findCompose(): Promise<string[] | null> {
  for (const command of [["docker", "compose"], ["docker-compose"]]) {
    const [program, ...args] = command as [string, ...string[]];
    const { code } = await run(program, [...args, "version"], { timeoutMs: ASKED_FOR_MS });
    if (code === 0) return command;
  }
  return null;
}

export type Project = Awaited<ReturnType<typeof composeProject>>;

/** A compose project of its own, beside others on the engine. */
export async function composeProject(name: string, environment: Record<string, string>) {
  const [program, ...first] = (await findCompose()) as [string, ...string[]];
  const execute = async (command: string, args: string[]) => {
    const { stdout } = await promisify(execFile)(command, args, {
      env: { ...process.env, ...environment },
      timeout: COMMAND_WITHIN_MS,
      maxBuffer: 64 * 1_024 * 1_024,
    });
    return stdout;
  };
  const docker = (...args: string[]) => execute("docker", args);
  const compose = (...args: string[]) => {
    const files = FILES.flatMap((file) => ["--file", file]);
    return execute(program, [...first, "--project-name", name, ...files, ...args]);
  };

  /** The ids of a service's containers, ended ones too. */
  async function containersOf(service: string): Promise<string[]> {
    const labels = [`project=${name}`, `service=${service}`];
    const filters = labels.flatMap((label) => ["--filter", `label=com.docker.compose.${label}`]);
    return (await docker("ps", "--all", "--quiet", ...filters)).split("\n").filter(Boolean);
  }

  return {
    compose,
    containersOf,
    // biome-ignore lint/suspicious/noExplicitAny: tests read parts of Docker's descriptions
    async inspect(service: string): Promise<any[]> {
      return JSON.parse(await docker("inspect", ...(await containersOf(service))));
    },
    /** The output of a service so far. */
    async logs(service: string): Promise<string> {
      const ids = await containersOf(service);
      return (await Promise.all(ids.map((id) => docker("logs", id)))).join("");
    },
    /** Runs code of Node in a service's first container. @returns its output */
    async node(service: string, code: string, ...args: string[]): Promise<string> {
      const [id] = await containersOf(service);
      return docker("exec", id as string, "node", "--input-type=module", "-e", code, ...args);
    },
  };
}
