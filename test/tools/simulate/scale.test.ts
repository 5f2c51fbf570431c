// How the ledger's rate grows with its nodes, in simulated time. The books check every run.

import { simulateScale } from "../../../tools/simulate/scale/scale.ts";

const RUN = { seed: 1, hasOwners: true, callers: 256, shards: 1, cores: 8, ms: 150 };

test("owners make the ledger grow nearly linearly, and no block is refused", async () => {
  const one = await simulateScale({ ...RUN, nodes: 1 });
  for (const nodes of [2, 4]) {
    const several = await simulateScale({ ...RUN, nodes });
    expect(several.postsPerSecond / one.postsPerSecond).toBeGreaterThan(0.9 * nodes);
    expect(several.blocks.committed).toBeGreaterThan(0);
    expect(several.blocks.refused).toBe(0);
  }
});

test("without owners nodes refuse each other's blocks, and two do less than one", async () => {
  const one = await simulateScale({ ...RUN, nodes: 1 });
  const two = await simulateScale({ ...RUN, nodes: 2, hasOwners: false });
  expect(two.blocks.refused).toBeGreaterThan(0);
  expect(two.postsPerSecond).toBeLessThan(one.postsPerSecond);
});

test("a primary without a free core bounds the nodes, and more primaries lift the bound", async () => {
  const run = { ...RUN, nodes: 8, cores: 1 };
  const one = await simulateScale(run);
  const four = await simulateScale({ ...run, shards: 4 });
  expect(one.primaryLoad).toBeGreaterThan(0.9);
  expect(four.postsPerSecond).toBeGreaterThan(2 * one.postsPerSecond);
});

test("the same seed gives the same figures", async () => {
  const run = () => simulateScale({ ...RUN, nodes: 2 });
  expect(await run()).toEqual(await run());
});
