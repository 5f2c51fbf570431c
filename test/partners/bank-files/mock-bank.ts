// mock-bank, a bank from outside in Python: it takes pain.001, and answers with pain.002, camt.054
// and more. It listens on the loopback address, keeps its books in memory, and has a settable
// clock.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { freePort } from "../../../tools/platform/ports.ts";
import { guard } from "../../../tools/platform/processes.ts";
import { providePackage } from "../../support/bank/python-packages.ts";
import { until } from "../../support/system.ts";

const MOCK_BANK = {
  requirement: "mock-bank==0.9.0",
  wheel: {
    file: "mock_bank-0.9.0-py3-none-any.whl",
    sha256: "3a93dc123fc711c14d0dda1e8bf987f4d880fad056becb463fc016e0601499f4",
  },
  file: "mockbank/__main__.py",
};
const STARTED_WITHIN_MS = 30_000;

export interface MockBank {
  /** Hands a file of payments in. */
  send(file: Buffer): Promise<void>;
  /** The faults that it finds in a file; none is the empty list. */
  findings(file: Buffer): Promise<string[]>;
  /** Changes what it does with the payments of an account. */
  behave(account: string, behaviour: string, parameters: Record<string, unknown>): Promise<void>;
  /** Moves its clock by calendar days. */
  advance(days: number): Promise<void>;
  /** Its messages of a kind since the last call, the oldest first. */
  collect(kind: "pain.002" | "camt.054"): Promise<Buffer[]>;
  stop(): Promise<void>;
}

/** @param clock its time at the start, as YYYY-MM-DDTHH:MM */
export async function startMockBank(clock: string): Promise<MockBank> {
  const folder = await providePackage(MOCK_BANK);
  const port = await freePort();
  const args = ["-m", "mockbank", "--port", String(port), "--clock", clock, "--quiet"];
  const child = spawn("python3", args, {
    env: { ...process.env, PYTHONPATH: folder },
    stdio: ["ignore", "ignore", "inherit"],
  });
  guard(child);
  const ask = async (method: string, path: string, body?: Buffer | string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, body });
    return response.text();
  };
  await until(() => ask("GET", "/_mock/health").catch(() => null), {
    within: STARTED_WITHIN_MS,
    awaited: "the mock bank",
  });
  return {
    async send(file) {
      await ask("POST", "/payments", file);
    },
    async findings(file) {
      const [, ...findings] = (await ask("POST", "/_mock/validate", file)).trim().split("\n");
      return findings;
    },
    async behave(account, behaviour, parameters) {
      const change = JSON.stringify({ behaviour, parameters });
      await ask("PATCH", `/_mock/accounts/${account}`, change);
    },
    async advance(days) {
      await ask("POST", `/_mock/advance?days=${days}`);
    },
    async collect(kind) {
      const answer = JSON.parse(await ask("GET", `/_mock/mailbox?type=${kind}`));
      return (answer as { body: string }[]).map(({ body }) => Buffer.from(body));
    },
    async stop() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}
