// A MongoDB of its own that requires credentials, and its users.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mongoose from "mongoose";
import { binDirectory, provideBinary } from "../../tools/platform/binaries.ts";
import { freePort } from "../../tools/platform/ports.ts";
import { guard } from "../../tools/platform/processes.ts";
import { until } from "./system.ts";

const PASSWORD = "secret";

export interface SecuredMongo {
  /** The URL of a user with all rights. */
  root: string;
  /** Makes a user with these roles. @returns that user's URL */
  user(name: string, roles: { role: string; db: string }[]): Promise<string>;
  stop(): Promise<void>;
}

export async function startSecuredMongo(): Promise<SecuredMongo> {
  const directory = mkdtempSync(join(tmpdir(), "payrail-test-"));
  const keyFile = join(directory, "key");
  writeFileSync(keyFile, randomBytes(48).toString("base64"), { mode: 0o400 });
  const binary = await provideBinary("mongod", binDirectory(), () => {});
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const place = ["--dbpath", directory, "--port", String(port), "--bind_ip", "127.0.0.1"];
  const set = ["--replSet", "rs0", "--keyFile", keyFile, "--wiredTigerCacheSizeGB", "0.25"];
  const child = spawn(binary, [...place, ...set, "--nounixsocket"], { stdio: "ignore" });
  guard(child);
  const ended = new Promise((resolve) => {
    child.once("exit", resolve);
  });
  const stop = async () => {
    child.kill("SIGKILL");
    await ended;
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const root = await makeFirstUser(host);
    return { root, stop, user: (name, roles) => makeUser(root, host, name, roles) };
  } catch (error) {
    await stop();
    throw error;
  }
}

function urlOf(host: string, user: string): string {
  return `mongodb://${user}:${PASSWORD}@${host}/payrail?replicaSet=rs0&authSource=admin`;
}

/** Until a user exists, this machine may start the set and create the first user. */
async function makeFirstUser(host: string): Promise<string> {
  const client = new mongoose.mongo.MongoClient(`mongodb://${host}/?directConnection=true`);
  const admin = client.db("admin");
  try {
    const members = [{ _id: 0, host }];
    await admin.command({ replSetInitiate: { _id: "rs0", members } });
    await until(async () => (await admin.command({ hello: 1 })).isWritablePrimary === true);
    await admin.command({ createUser: "root", pwd: PASSWORD, roles: ["root"] });
  } finally {
    await client.close();
  }
  return urlOf(host, "root");
}

async function makeUser(
  root: string,
  host: string,
  name: string,
  roles: { role: string; db: string }[],
): Promise<string> {
  const client = new mongoose.mongo.MongoClient(root);
  try {
    await client.db("admin").command({ createUser: name, pwd: PASSWORD, roles });
  } finally {
    await client.close();
  }
  return urlOf(host, name);
}
