// Keeps the folders that tools/commands/provision.ts makes as Secrets of the same names:
//
//   node keep-secrets.ts load FOLDER    writes the Secrets of an earlier run as folders
//   node keep-secrets.ts store FOLDER   makes and changes Secrets, so they hold the folders' files
//
// The Job `provision` loads, has the missing made, and stores. So a repeated run changes nothing,
// and an interrupted one is continued.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";
const MANAGER = "payrail-provision";
const MANAGED_BY = "app.kubernetes.io/managed-by";
const ANSWERS_WITHIN_MS = 10_000;

interface Secret {
  metadata: { name: string };
  data?: Record<string, string>;
}

const [command, folder] = process.argv.slice(2);
if (!folder || (command !== "load" && command !== "store")) {
  throw new Error("Usage: node keep-secrets.ts load|store FOLDER");
}
const token = readFileSync(join(ACCOUNT, "token"), "utf8");
const namespace = readFileSync(join(ACCOUNT, "namespace"), "utf8");
const api = `https://kubernetes.default.svc/api/v1/namespaces/${namespace}/secrets`;
await (command === "load" ? load(folder) : store(folder));

async function load(into: string): Promise<void> {
  const query = `?labelSelector=${MANAGED_BY}%3D${MANAGER}`;
  const { items } = (await ask("GET", query)) as { items: Secret[] };
  for (const { metadata, data = {} } of items) {
    mkdirSync(join(into, metadata.name), { recursive: true });
    for (const [file, content] of Object.entries(data)) {
      writeFileSync(join(into, metadata.name, file), Buffer.from(content, "base64"));
    }
  }
  console.log(`Loaded ${items.length} Secrets`);
}

async function store(from: string): Promise<void> {
  const names = readdirSync(from);
  for (const name of names) {
    const files = readdirSync(join(from, name));
    const data = Object.fromEntries(
      files.map((file) => [file, readFileSync(join(from, name, file)).toString("base64")]),
    );
    const metadata = { name, labels: { [MANAGED_BY]: MANAGER } };
    const query = `?fieldManager=${MANAGER}&force=true`;
    await ask("PATCH", `/${name}${query}`, { apiVersion: "v1", kind: "Secret", metadata, data });
  }
  console.log(`Stored ${names.length} Secrets: ${names.join(", ")}`);
}

/** Asks the API server; a PATCH is a server-side apply, which also creates. */
async function ask(method: "GET" | "PATCH", path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${api}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/apply-patch+yaml",
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
