// npm run provision: makes the needs of a new installation. It runs again at every upgrade: it
// keeps secrets, renews certificates, and brings rights to this version's.

import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ConfigError } from "../../shared/config/config.ts";
import { environmentReader } from "../../shared/config/env-reader.ts";
import { live, say } from "../platform/lifetime.ts";
import { print } from "../platform/output.ts";
import { SetupError } from "../platform/processes.ts";
import { filesIn } from "./provision/files.ts";
import { createUsers, mongoRoles } from "./provision/mongo-roles.ts";
import { administratorUrl, provideReplicaSet } from "./provision/replica-set.ts";
import {
  ADMINISTRATOR,
  AUTHORITY_CA,
  DATABASE,
  type Installation,
  passwordOf,
  provideSecrets,
  SHARED_FOLDERS,
} from "./provision/secrets.ts";

const USAGE = `Usage: npm run provision -- secrets|database [--out DIR] [options]

secrets   makes a folder in DIR (default: secrets) for each service, with its keys, passwords and
          certificates, and folders for MongoDB and NATS. It keeps every secret that is there.
database  makes the replica set if there is none, and MongoDB's roles and users with the passwords
          in DIR, as the administrator of MONGO_URL, or else with the certificate in DIR/authority.

--mongo HOST:PORT[,…]  the members of the replica set (mongo:27017)
--nats HOST:PORT       (nats:4222)
--at PATH              where a service finds the files of its folder (by default in its folder in DIR)
`;
const ADDRESSES = {
  mongo: /^[\w.-]+:\d{1,5}(,[\w.-]+:\d{1,5})*$/,
  nats: /^[\w.-]+:\d{1,5}$/,
};

await live(async (lifetime) => {
  const { values, positionals } = parseArgs({
    options: {
      out: { type: "string", default: "secrets" },
      mongo: { type: "string", default: "mongo:27017" },
      nats: { type: "string", default: "nats:4222" },
      at: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
    allowPositionals: true,
  });
  if (values.help) {
    await print(USAGE);
    return lifetime.end(0);
  }
  const out = resolve(values.out);
  const [step, ...more] = positionals;
  if (more.length > 0 || (step !== "secrets" && step !== "database")) {
    throw new SetupError("Name one step, secrets or database; --help explains them.");
  }
  if (!ADDRESSES.mongo.test(values.mongo)) {
    throw new SetupError("--mongo must be HOST:PORT, or several with commas.");
  }
  if (!ADDRESSES.nats.test(values.nats)) throw new SetupError("--nats must be HOST:PORT.");
  const { mongo, nats, at = null } = values;
  const mongoUsers = Object.keys(await mongoRoles());
  if (step === "secrets") makeSecrets(out, { mongo, nats, mountedAt: at, mongoUsers });
  else await makeDatabase(out, mongo.split(","), mongoUsers);
  await lifetime.end(0);
});

function makeSecrets(out: string, installation: Installation): void {
  let wrote = 0;
  const files = filesIn(out, SHARED_FOLDERS, (line) => {
    wrote += 1;
    say(line);
  });
  provideSecrets(files, out, installation);
  say(wrote === 0 ? `${out} has everything` : `${out} is complete`);
}

async function makeDatabase(out: string, hosts: string[], mongoUsers: string[]): Promise<void> {
  const files = filesIn(out, SHARED_FOLDERS, say);
  const passwords = Object.fromEntries(
    mongoUsers.flatMap((name) => {
      const url = files.read(`${name}/MONGO_URL`);
      return url === null ? [] : [[name, passwordOf(url)]];
    }),
  );
  const names = Object.keys(passwords);
  if (names.length === 0) {
    throw new SetupError(`${out} has no MONGO_URL of a service; run npm run provision -- secrets.`);
  }
  const wrong: string[] = [];
  const mongoUrl = environmentReader(process.env, wrong).text("MONGO_URL");
  if (wrong.length > 0) throw new ConfigError(`${wrong.join(". ")}.`);
  const adminUrl = mongoUrl ?? (await makeReplicaSet(out, hosts));
  await createUsers(adminUrl, DATABASE, passwords);
  say(`MongoDB has the users ${names.join(", ")} with this version's rights`);
}

/** @returns the URL of its administrator */
async function makeReplicaSet(out: string, hosts: string[]): Promise<string> {
  const certificate = {
    tlsCAFile: join(out, AUTHORITY_CA),
    tlsCertificateKeyFile: join(out, ADMINISTRATOR),
  };
  await provideReplicaSet(hosts, certificate, say);
  return administratorUrl(hosts, certificate);
}
