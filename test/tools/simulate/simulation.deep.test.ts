// Runs the simulations like a developer: 4,000 schedules without a violation, and each safeguard
// removed once, which one of the schedules of `npm run simulate` must detect. Plain node, in separate
// threads.

import { spawn } from "node:child_process";
import { join } from "node:path";

const SCHEDULES = 4_000;
/** The schedules of `npm run simulate`. The rarest failure without a safeguard is at seed 9,383. */
const ORDINARY_SCHEDULES = 10_000;
const TIMEOUT_MS = 600_000;

interface Summary {
  suite: string;
  schedules: number;
  failures: { seed: number; rule: string; detail: string; schedule: string[] }[];
  safeguards: { name: string; seed: number | null }[];
}

function simulate(...options: string[]): Promise<{ code: number | null; output: string }> {
  const script = join(import.meta.dirname, "..", "..", "..", "tools", "commands", "simulate.ts");
  const child = spawn(process.execPath, [script, ...options], {
    // Without colours, because the test reads the output and CI asks for colours.
    env: { ...process.env, FORCE_COLOR: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  return new Promise((resolve, reject) => {
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });
}

const parseSummaries = (output: string): Summary[] => JSON.parse(output) as Summary[];

test(
  "4,000 schedules break no rule, and detect every missing safeguard",
  async () => {
    const { code, output } = await simulate("--seeds", String(SCHEDULES), "--json");
    for (const { schedules, failures, safeguards } of parseSummaries(output)) {
      expect(failures).toEqual([]);
      expect(schedules).toBe(SCHEDULES);
      expect(safeguards.filter(({ seed }) => seed === null || seed > ORDINARY_SCHEDULES)).toEqual(
        [],
      );
      expect(safeguards.length).toBeGreaterThan(0);
    }
    expect(code).toBe(0);
  },
  TIMEOUT_MS,
);

test(
  "code that is loaded like an ablation, with all safeguards, breaks no rule",
  async () => {
    const { output } = await simulate("--seeds", "1000", "--without", "nothing", "--json");
    const controls = parseSummaries(output).map(({ safeguards }) => safeguards);
    expect(controls).toEqual(controls.map(() => [{ name: "nothing", seed: null }]));
    expect(controls).toHaveLength(2);
  },
  TIMEOUT_MS,
);

test(
  "a failing schedule is printed shortened, with the broken rule, the same each time",
  async () => {
    const options = ["--suite", "ledger", "--seeds", "2000", "--without", "rule-2"];
    const [first, again] = [await simulate(...options), await simulate(...options)];
    expect(first.output).toMatch(/without rule-2 +seed \d+/);
    expect(first.output).toMatch(/^ +\d+\.\d p\d+ +appends /m);
    expect(first.output).toMatch(/^ +\d+\.\d !! /m);
    const stripped = ({ output }: typeof first) => output.replace(/ in [\d.]+ s/g, "");
    expect(stripped(again)).toBe(stripped(first));
    expect(first.code).toBe(0);
  },
  TIMEOUT_MS,
);
