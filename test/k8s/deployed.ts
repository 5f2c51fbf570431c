// The sandbox overlay in a namespace of its own, with the driver beside it.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { SERVICE_NAMES, type ServiceName } from "../../shared/rpc/service-names.ts";
import { pause } from "../../tools/platform/processes.ts";
import { kubectl, requireCluster } from "./kubectl.ts";

const NAMESPACE = "payrail-test";
const root = join(import.meta.dirname, "..", "..");

export type Deployed = Awaited<ReturnType<typeof deploySandbox>>;

/** Applies the overlay, and waits until everything in it is ready. */
export async function deploySandbox() {
  const { image } = requireCluster();
  await remove();
  const directory = mkdtempSync(join(root, "k8s", "test-"));
  try {
    writeFileSync(join(directory, "kustomization.yaml"), kustomization(directory, image));
    await kubectl("apply", "-k", directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
  const inNamespace = (...args: string[]) => kubectl("-n", NAMESPACE, ...args);
  const rolledOut = (name: string) =>
    inNamespace("rollout", "status", `deployment/${name}`, "--timeout=300s");
  for (const name of SERVICE_NAMES) await rolledOut(name);
  await inNamespace("wait", "--for=condition=Ready", "pod/driver", "--timeout=120s");

  return {
    kubectl: inNamespace,
    rolledOut,
    remove,

    /** A command of the driver (driver/server.ts). */
    async drive<T>(path: string): Promise<T> {
      const said = await inNamespace(
        "exec",
        "driver",
        "--",
        "node",
        "/driver/server.ts",
        "ask",
        path,
      );
      return JSON.parse(said) as T;
    },

    /** Replaces all pods of a service, as an update does, and waits until the old ones are gone. */
    async restart(name: ServiceName): Promise<void> {
      const before = await this.pods(name);
      await inNamespace("rollout", "restart", `deployment/${name}`);
      await rolledOut(name);
      await this.counted(name, before.length);
    },

    /** Scales a service, and waits until no pod is left that has to go. */
    async scale(name: ServiceName, replicas: number): Promise<void> {
      await inNamespace("scale", `deployment/${name}`, `--replicas=${replicas}`);
      await rolledOut(name);
      await this.counted(name, replicas);
    },

    async pods(name: ServiceName): Promise<string[]> {
      const selector = `app.kubernetes.io/name=${name}`;
      const listed = await inNamespace("get", "pods", "-l", selector, "-o", "name");
      return listed.split("\n").filter((line) => line !== "");
    },

    /** Waits until the service has that many pods, those that are ending among them. */
    async counted(name: ServiceName, count: number): Promise<void> {
      const end = Date.now() + 120_000;
      while ((await this.pods(name)).length !== count) {
        if (Date.now() > end) throw new Error(`${name} does not come to ${count} pods`);
        await pause(1_000);
      }
    },

    /** Runs the nightly verification at once. @returns its report */
    async verify(job: string): Promise<string> {
      await inNamespace("create", "job", job, "--from=cronjob/verify");
      try {
        await inNamespace("wait", "--for=condition=Complete", `job/${job}`, "--timeout=180s");
      } catch (error) {
        throw new Error(await inNamespace("logs", `job/${job}`, "--tail=50"), { cause: error });
      }
      return inNamespace("logs", `job/${job}`);
    },
  };
}

async function remove(): Promise<void> {
  await kubectl("delete", "namespace", NAMESPACE, "--ignore-not-found", "--timeout=300s");
}

/** The overlay with the images of this cluster, without the limits per user, with the driver
 * and with webhooks that may reach it. */
function kustomization(directory: string, image: string): string {
  const { PAYRAIL_TEST_MONGO_IMAGE, PAYRAIL_TEST_NATS_IMAGE } = process.env;
  const images = [
    ["payrail", image],
    ["mongo", PAYRAIL_TEST_MONGO_IMAGE],
    ["nats", PAYRAIL_TEST_NATS_IMAGE],
  ] as const;
  return JSON.stringify({
    namespace: NAMESPACE,
    resources: ["../overlays/sandbox"],
    components: [relative(directory, join(root, "test", "k8s", "driver"))],
    images: images
      .filter(([, given]) => given)
      .map(([name, given]) => renamed(name, given as string)),
    configMapGenerator: [
      {
        name: "payrail",
        behavior: "merge",
        literals: ["WITHDRAWAL_LIMIT=off", "DECLINE_LIMIT=off", "WEBHOOK_ALLOW_PRIVATE=true"],
      },
    ],
  });
}

/** An image as kustomize names it; a digest or a tag follows the last slash. */
function renamed(name: string, image: string) {
  const [, newName, separator, version] = /^(.*?)(?:(@|:)([^/]*))?$/.exec(image) ?? [];
  const given = separator === "@" ? { digest: version } : { newTag: version ?? "latest" };
  return { name, newName, ...given };
}
