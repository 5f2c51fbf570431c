// PostgreSQL, if it is installed: a cluster in the bench's directory, reached only by its socket,
// with the default settings (fsync and synchronous_commit are on). A post is one prepared call of a
// stored function (postgres.sql). pgbench makes the calls, so that no client of ours is measured.

import { execFile, spawn } from "node:child_process";
import { access, chmod, chown, constants, mkdir, open, readdir, realpath } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { guard, pause, run, SetupError } from "../../scripts/support/processes.ts";
import { type Supervised, supervise } from "../../scripts/support/supervisor.ts";
import { FUNDS, POST, WALLETS } from "../support/funded.ts";
import type { Setting } from "../support/setting.ts";
import { expectBooks, type Load, type Peer } from "./peer.ts";

const PROGRAMS = ["postgres", "initdb", "pgbench", "psql"];
const DEBIAN = "/usr/lib/postgresql";
const SUPERUSER = "payrail";
const DATABASE = "postgres";
const READY_WITHIN_MS = 20_000;
const COMMAND_WITHIN_MS = 60_000;
const PGBENCH_THREADS = 2;

/** A server and its clients' connection arguments. */
interface Cluster {
  binaries: string;
  connection: string[];
}

/** The server with its funded wallets, or null without an installed PostgreSQL. */
export async function openPostgres({ config, say, onStop }: Setting): Promise<Peer | null> {
  const binaries = await installedIn();
  if (binaries === null) return null;
  const directory = join(config.dataDir, "postgres");
  const owner = await makeCluster(binaries, directory);
  const connection = ["-h", directory, "-U", SUPERUSER];
  const cluster: Cluster = { binaries, connection };
  const server = await startServer(cluster, directory, owner, say);
  // Fast shutdown: the server disconnects its clients.
  onStop(() => server.stop("SIGINT"));
  await psql(cluster, "-f", join(import.meta.dirname, "postgres.sql"));
  const ids = `generate_series(1, ${WALLETS}) id`;
  await psql(cluster, "-c", `INSERT INTO wallets SELECT id, ${FUNDS} FROM ${ids}`);
  await psql(cluster, "-c", "VACUUM ANALYZE");
  let runs = 0;
  let posts = 0;
  const measure = async (load: Load, ms: number) => {
    runs += 1;
    const measured = await pgbench(cluster, runs, load, ms);
    posts += measured.posts;
    return measured.perSecond;
  };
  return {
    name: `PostgreSQL ${await versionOf(cluster)}`,
    async rate(load, ms) {
      await measure(load, ms / 4);
      return measure(load, ms);
    },
    verify: () => verifyBooks(cluster, posts),
  };
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
async function makeCluster(binaries: string, directory: string): Promise<Owner> {
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

async function startServer(
  cluster: Cluster,
  directory: string,
  owner: Owner,
  say: (line: string) => void,
): Promise<Supervised> {
  const logPath = join(dirname(directory), "postgres.log");
  const log = await open(logPath, "a");
  const flags = ["-D", join(directory, "data"), "-k", directory, "-c", "listen_addresses="];
  const start = () => {
    const child = spawn(join(cluster.binaries, "postgres"), flags, {
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
      ready: (_child, died) => answers(cluster, died),
      explain: () => `; its log is ${logPath}`,
      say,
    });
  } finally {
    await log.close();
  }
}

async function answers(cluster: Cluster, died: AbortSignal): Promise<void> {
  const end = Date.now() + READY_WITHIN_MS;
  while (!died.aborted && Date.now() < end) {
    if (await psql(cluster, "-c", "SELECT 1").catch(() => null)) return;
    await pause(50);
  }
  throw new SetupError(`PostgreSQL is not ready after ${READY_WITHIN_MS / 1000} s`);
}

/** The output of a psql command in a transaction. */
function psql(cluster: Cluster, ...command: string[]): Promise<string> {
  const flags = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", DATABASE];
  return client(cluster, "psql", [...flags, ...command], COMMAND_WITHIN_MS);
}

/** The version without the packager's suffix in brackets. */
async function versionOf(cluster: Cluster): Promise<string> {
  return (await psql(cluster, "-c", "SHOW server_version")).replace(/ .*/, "");
}

/**
 * Posts with a number of callers for whole seconds, over connections that exist before.
 * @param runId makes its ids differ from those of earlier runs
 */
async function pgbench(cluster: Cluster, runId: number, { callers, hot }: Load, ms: number) {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  const script = join(import.meta.dirname, "postgres.pgbench");
  const variables = {
    wallets: hot ? 1 : WALLETS,
    amount: POST.amountMinor,
    fees: POST.feesMinor,
    run: runId,
    n: 0,
  };
  const args = [
    ...["-n", "-M", "prepared", "-f", script, "-T", String(seconds)],
    ...["-c", String(callers), "-j", String(Math.min(callers, PGBENCH_THREADS))],
    ...Object.entries(variables).flatMap(([name, value]) => ["-D", `${name}=${value}`]),
    DATABASE,
  ];
  const output = await client(cluster, "pgbench", args, seconds * 1_000 + COMMAND_WITHIN_MS);
  const figure = (pattern: RegExp) => {
    const found = pattern.exec(output)?.[1];
    if (found === undefined) throw new Error(`pgbench said something else: ${output}`);
    return Number(found);
  };
  return {
    posts: figure(/transactions actually processed: (\d+)/),
    perSecond: Math.round(figure(/^tps = ([\d.]+)/m)),
  };
}

async function client(
  { binaries, connection }: Cluster,
  program: string,
  args: string[],
  timeoutMs: number,
): Promise<string> {
  const { code, output } = await run(join(binaries, program), [...connection, ...args], {
    timeoutMs,
  });
  if (code !== 0) throw new Error(`${program} failed: ${output}`);
  return output.trim();
}

async function verifyBooks(cluster: Cluster, posts: number): Promise<void> {
  const query = (sql: string) => psql(cluster, "-c", sql).then(Number);
  const debit = POST.amountMinor + POST.feesMinor;
  expectBooks("PostgreSQL", {
    "rows in the journal": [
      await query("SELECT count(*) FROM journal WHERE outcome = 'committed'"),
      posts,
    ],
    "cents over all legs": [
      await query("SELECT coalesce(sum(leg), 0) FROM journal, unnest(amounts) leg"),
      0,
    ],
    "cents in wallets": [
      await query("SELECT sum(balance) FROM wallets"),
      WALLETS * FUNDS - posts * debit,
    ],
  });
}
