// The probes of a process while a client holds connections without asking anything.

import { connect } from "node:net";
import { loadConfig } from "../../shared/config/env.ts";
import { startProbes } from "../../shared/observability/probes.ts";
import { createBroker } from "../../shared/rpc/broker.ts";
import { testEnvironment, until } from "../support/system.ts";

const LOCAL = "127.0.0.1";
/** More than the probes accept at once. */
const HELD = 100;
/** Less than the time after which an orchestrator ends a process that does not answer. */
const ANSWERS_AGAIN_WITHIN_MS = 10_000;

test("connections that ask nothing keep others out for some seconds only", async () => {
  const broker = createBroker(loadConfig(testEnvironment()), "probed");
  const probes = await startProbes({ host: LOCAL, port: 0 }, broker);
  const held = Array.from({ length: HELD }, () =>
    connect(probes.port, LOCAL).on("error", () => {}),
  );
  const live = () =>
    fetch(`http://${LOCAL}:${probes.port}/live`).then(
      ({ status }) => status,
      () => null,
    );
  try {
    await until(() => held.some(({ destroyed }) => destroyed));
    expect(await live()).toBeNull();
    await until(async () => (await live()) === 200, { within: ANSWERS_AGAIN_WITHIN_MS });
  } finally {
    for (const socket of held) socket.destroy();
    await probes.close();
  }
});
