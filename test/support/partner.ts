// The sample partner (partners/samples/partner) in its own process: a vault, an acquirer and a rail
// on another origin than payrail's.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";

export interface Partner {
  url: string;
  /** The environment variables that the sample modules read. */
  environment: Record<string, string>;
  /** The answered requests, each as method, path and status, without their content. */
  log(): string[];
  stop(): Promise<void>;
}

/** @param page the origin that may embed the vault's field */
export async function startPartner(page: string): Promise<Partner> {
  const key = "a key of the sample's";
  const child = spawn(process.execPath, ["partners/samples/partner/server.ts"], {
    env: { ...process.env, SAMPLE_KEY: key, SAMPLE_PAGE: page },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  await once(child.stdout, "data");
  const url = /^Listening at (\S+)/.exec(output)?.[1] as string;
  return {
    url,
    environment: { SAMPLE_URL: url, SAMPLE_KEY: key },
    log: () => output.trim().split("\n").slice(1),
    async stop() {
      const gone = once(child, "exit");
      child.kill();
      await gone;
    },
  };
}

export const SAMPLE_ACQUIRER = resolve("partners/samples/acquirer.ts");
export const SAMPLE_RAIL = resolve("partners/samples/rail.ts");
