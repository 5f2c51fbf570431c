// The backups of docs/operate/restore.md: each is taken from the database of a cluster at work, and
// a new database is made from it.

import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createUsers } from "../../tools/commands/provision/mongo-roles.ts";
import { binDirectory, provideBinary } from "../../tools/platform/binaries.ts";
import { startMongod } from "../../tools/platform/mongod.ts";
import { run } from "../../tools/platform/processes.ts";
import type { Cluster } from "../support/cluster.ts";
import { type SecuredMongo, startSecuredMongo } from "../support/secured-mongo.ts";

export interface Backup {
  /** Settings of the cluster. */
  environment: Record<string, string>;
  /** Takes the backup while the cluster works. */
  take(cluster: Cluster): Promise<void>;
  /** Kills the database, as a crash does. */
  kill(cluster: Cluster): Promise<void>;
  /** Starts a new database from the backup. @returns its MONGO_URL */
  restore(): Promise<string>;
  /** Stops the databases and removes the files. */
  end(): Promise<void>;
}

const WITHIN_MS = 120_000;
const quiet = () => {};

/** A snapshot of the volume: a copy of the files while MongoDB holds back its writes. */
export async function snapshot(): Promise<Backup> {
  const directory = await mkdtemp(join(tmpdir(), "payrail-backup-"));
  let restored: Awaited<ReturnType<typeof startMongod>> | undefined;
  return {
    environment: {},
    async take({ db, config }) {
      const admin = db.admin();
      await admin.command({ fsync: 1, lock: true });
      try {
        await cp(join(config.dataDir, "db"), join(directory, "db"), { recursive: true });
      } finally {
        await admin.command({ fsyncUnlock: 1 });
      }
    },
    kill: ({ mongod }) => mongod.stop("SIGKILL"),
    async restore() {
      const binary = await provideBinary("mongod", binDirectory(), quiet);
      restored = await startMongod({ binary, directory, say: quiet });
      return restored.url;
    },
    async end() {
      await restored?.stop("SIGKILL");
      await rm(directory, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

const MANIFEST = join(import.meta.dirname, "..", "..", "k8s", "backup", "backup.yaml");

/** The dump of k8s/backup, by its own shell commands and the user `backup`, with the users. */
export async function dump(): Promise<Backup> {
  const directory = await mkdtemp(join(tmpdir(), "payrail-backup-"));
  const archives = join(directory, "archives");
  const secrets = join(directory, "secrets");
  await Promise.all([archives, secrets].map((each) => mkdir(each)));
  const source = await startSecuredMongo();
  let restored: SecuredMongo | undefined;
  return {
    environment: { MONGO_URL: source.root },
    async take() {
      // Every character that a URL, YAML and the shell may take for their own.
      const password = `it's "b@c%k/up?&$1\\#:{`;
      await createUsers(source.root, "payrail", { backup: password });
      const url = source.root.replace("root:secret", `backup:${encodeURIComponent(password)}`);
      await writeFile(join(secrets, "MONGO_URL"), `${url}\n`);
      const { options, script } = await backupCommand();
      const local = script
        .replaceAll("/run/secrets/payrail", secrets)
        .replaceAll("/backup/", `${archives}/`);
      await succeed("bash", [...options, local]);
    },
    kill: () => source.stop(),
    async restore() {
      restored = await startSecuredMongo();
      const config = join(directory, "restore.yaml");
      await writeFile(config, `uri: '${restored.root.replace("/payrail?", "/?")}'\n`);
      const [archive = ""] = await readdir(archives);
      const from = [`--archive=${join(archives, archive)}`, "--gzip", "--oplogReplay"];
      await succeed("mongorestore", [`--config=${config}`, ...from]);
      return restored.root;
    },
    async end() {
      await Promise.all([source.stop(), restored?.stop()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The options of bash and the script of the manifest's only container. */
async function backupCommand(): Promise<{ options: string[]; script: string }> {
  const text = await readFile(MANIFEST, "utf8");
  const [, options, script] =
    text.match(/command: \[bash, (.+)\]\n +args:\n +- \|\n((?: {18}.*\n)+)/) ?? [];
  if (!options || !script) throw new Error(`${MANIFEST} has no script`);
  return { options: options.split(", "), script: script.replaceAll(/^ {18}/gm, "") };
}

async function succeed(program: string, args: string[]): Promise<void> {
  const { code, output } = await run(program, args, { timeoutMs: WITHIN_MS });
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${output}`);
}
