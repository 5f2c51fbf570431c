// kubectl at the cluster that the tests are pointed at.

import { execFile } from "node:child_process";
import { promisify } from "node:util";

const NEEDS =
  "These tests need a Kubernetes cluster that may be filled and emptied, and payrail's image in it. " +
  'Set PAYRAIL_TEST_KUBECTL to the command that reaches it, such as "kubectl --context kind-kind", ' +
  "and PAYRAIL_TEST_IMAGE to the image. docs/operate/kubernetes.md.";
const ENDS_WITHIN_MS = 600_000;
const MAX_OUTPUT_BYTES = 64 << 20;

/** @throws Error that names the needs of the tests */
export function requireCluster(): { image: string } {
  const { PAYRAIL_TEST_KUBECTL, PAYRAIL_TEST_IMAGE } = process.env;
  if (!PAYRAIL_TEST_KUBECTL || !PAYRAIL_TEST_IMAGE) throw new Error(NEEDS);
  return { image: PAYRAIL_TEST_IMAGE };
}

/**
 * Runs kubectl. @returns its stdout
 * @throws Error with its output, if it fails
 */
export async function kubectl(...args: string[]): Promise<string> {
  const [program = "kubectl", ...prefix] = (process.env.PAYRAIL_TEST_KUBECTL ?? "").split(" ");
  try {
    const limits = { timeout: ENDS_WITHIN_MS, maxBuffer: MAX_OUTPUT_BYTES };
    const { stdout } = await promisify(execFile)(program, [...prefix, ...args], limits);
    return stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`kubectl ${args.join(" ")}: ${stderr}${stdout.slice(-2_000)}`, {
      cause: error,
    });
  }
}
