// A PostgreSQL cluster in the bench's directory, reached only by its socket, with the default
// settings: fsync and synchronous_commit are on.

import { execFile, spawn } from "node:child_process";
import { access, chmod, chown, constants, mkdir, open, readdir, realpath } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { guard, pause, run, SetupError } from "../../platform/processes.ts";
import { type Supervised, supervise } from "../../platform/supervisor.ts";
import type { Setting } from "../support/setting.ts";

const PROGRAMS = ["postgres", "initdb", "pgbench", "psql"];
const DEBIAN = "/usr/lib/postgresql";
const SUPERUSER = "payrail";
const DATABASE = "postgres";
const READY_WITHIN_MS = 20_000;
const COMMAND_WITHIN_MS = 60_000;

export interface Cluster {
  version: string;
  /** The connection by libpq's names of the options. */
  connection: { host: string; user: string; database: string };
  /** Runs one of PostgreSQL's programs on the database. @returns its output */
  run(program: "psql" | "pgbench", args: string[], timeoutMs?: number): Promise<string>;
  /** Runs a psql command in a transaction. @returns its output */
  psql(...command: string[]): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Makes and starts a cluster; says so if PostgreSQL is not installed.
 * @param name the cluster's directory within the bench's
 * @returns null without an installed PostgreSQL
 */
export async function startCluster(
  { config, say, onStop }: Pick<Setting, "config" | "say" | "onStop">,
  name: string,
): Promise<Cluster | null> {
  const binaries = await installedIn();
  if (binaries === null) {
    say("PostgreSQL is not installed: Debian's package postgresql brings it; it is left out");
    return null;
  }
  const directory = join(config.dataDir, name);
  const owner = await makeDirectory(binaries, directory);
  const connection = { host: directory, user: SUPERUSER, database: DATABASE };
  const program: Cluster["run"] = async (file, args, timeoutMs = COMMAND_WITHIN_MS) => {
    const whole = ["-h", directory, "-U", SUPERUSER, ...args, DATABASE];
    const { code, output } = await run(join(binaries, file), whole, { timeoutMs });
    if (code !== 0) throw new Error(`${file} failed: ${output}`);
    return output.trim();
  };
  const psql: Cluster["psql"] = (...command) =>
    program("psql", ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", ...command]);
  const isReady = () => psql("-c", "SELECT 1").then(Boolean, () => false);
  const server = await startServer({ binaries, directory, owner, isReady, say });
  // Fast shutdown: the server disconnects its clients.
  const stop = () => server.stop("SIGINT");
  onStop(stop);
  // Without the packager's suffix in brackets.
  const version = (await psql("-c", "SHOW server_version")).replace(/ .*/, "");
  return { version, connection, run: program, psql, stop };
}

/** The newest folder with all programs: from the PATH, else Debian's. */
async function installedIn(): Promise<string | null> {
  const onPath = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  const versions = await readdir(DEBIAN).catch(() => []);
  const newestFirst = versions.toSorted((a, b) => Number(b) - Number(a));
  const candidates = [
    ...onPath.map((folder) => join(folder, "postgres")),
    ...newestFirst.map((version) => join(DEBIAN, version, "bin", "postgres")),
  ];
  for (const candidate of candidates) {
    try {
      // Links on the PATH are resolved, because Debian's pgbench on the PATH is a wrapper.
      const folder = dirname(await realpath(candidate));
      await Promise.all(PROGRAMS.map((name) => access(join(folder, name), constants.X_OK)));
      return folder;
    } catch {
      // This folder does not have it.
    }
  }
  return null;
}

interface Owner {
  uid?: number;
  gid?: number;
}

/** Initialises a cluster under an owner other than root, because root may not run PostgreSQL. */
async function makeDirectory(binaries: string, directory: string): Promise<Owner> {
  const owner = await ownerOf();
  await mkdir(directory, { mode: 0o700 });
  if (owner.uid !== undefined && owner.gid !== undefined) {
    await chown(directory, owner.uid, owner.gid);
    // The owner needs to pass through the bench's directory; its other contents stay closed.
    await chmod(dirname(directory), 0o711);
  }
  const flags = ["-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--no-locale", "-D"];
  const options = { ...owner, cwd: directory, timeout: COMMAND_WITHIN_MS };
  try {
    await promisify(execFile)(
      join(binaries, "initdb"),
      [...flags, join(directory, "data")],
      options,
    );
  } catch (error) {
    throw new SetupError(`PostgreSQL's cluster cannot be made: ${(error as Error).message}`);
  }
  return owner;
}

async function ownerOf(): Promise<Owner> {
  if (process.getuid?.() !== 0) return {};
  for (const name of ["postgres", "nobody"]) {
    const [uid, gid] = await Promise.all(
      ["-u", "-g"].map((flag) => run("id", [flag, name], { timeoutMs: COMMAND_WITHIN_MS })),
    );
    if (uid?.code === 0 && gid?.code === 0) {
      return { uid: Number(uid.output), gid: Number(gid.output) };
    }
  }
  throw new SetupError("PostgreSQL does not run as root; add a user named postgres or nobody.");
}

interface Start {
  binaries: string;
  directory: string;
  owner: Owner;
  isReady(): Promise<boolean>;
  say: Setting["say"];
}

async function startServer(starting: Start): Promise<Supervised> {
  const { binaries, directory, owner, isReady, say } = starting;
  const logPath = `${directory}.log`;
  const log = await open(logPath, "a");
  const flags = ["-D", join(directory, "data"), "-k", directory, "-c", "listen_addresses="];
  const start = () => {
    const child = spawn(join(binaries, "postgres"), flags, {
      ...owner,
      cwd: directory,
      stdio: ["ignore", log.fd, log.fd],
      // A separate process group, because Ctrl-C reaches the whole group and the server stops last.
      detached: true,
    });
    if (child.pid) guard(child);
    return child;
  };
  try {
    return await supervise({
      name: "PostgreSQL",
      spawn: start,
      ready: (_child, died) => becomeReady(isReady, died),
      explain: () => `; its log is ${logPath}`,
      say,
    });
  } finally {
    await log.close();
  }
}

async function becomeReady(isReady: Start["isReady"], died: AbortSignal): Promise<void> {
  const end = Date.now() + READY_WITHIN_MS;
  while (!died.aborted && Date.now() < end) {
    if (await isReady()) return;
    await pause(50);
  }
  throw new SetupError(`PostgreSQL is not ready after ${READY_WITHIN_MS / 1000} s`);
}
