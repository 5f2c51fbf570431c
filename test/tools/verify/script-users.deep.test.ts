// npm run verify and rotate-keys against a MongoDB with users: the least rights that they need, and
// the error without them.

import type { VerifyReport } from "../../../tools/verify/findings.ts";
import { runNode, runVerify, type Sandbox, sandbox } from "../../support/scripts.ts";
import { startSecuredMongo } from "../../support/secured-mongo.ts";
import { startWorld } from "../../support/world.ts";

let place: Sandbox;
beforeAll(async () => {
  place = await sandbox();
});
afterAll(() => place.clean());

const verify = (args: string[], environment: NodeJS.ProcessEnv) =>
  runVerify(args, { ...place.environment, ...environment });

test("a user with read access is enough, and without it the error is one sentence", async () => {
  const mongo = await startSecuredMongo();
  try {
    const world = await startWorld({ environment: { MONGO_URL: mongo.root } });
    const business = await world.business();
    await world.wallet(business, await world.user(business), 100);
    world.http.close();
    for (const broker of world.brokers) await broker.stop();
    const reader = await mongo.user("reader", [{ role: "read", db: "payrail" }]);
    const stranger = await mongo.user("stranger", [{ role: "read", db: "another" }]);

    // No other setting is needed, not even in production.
    const production = (url: string) => ({ NODE_ENV: "production", MONGO_URL: url });
    const right = await verify(["--json"], production(reader));
    expect(right).toMatchObject({ code: 0, stderr: "" });
    const { ok, checked } = JSON.parse(right.stdout) as VerifyReport;
    expect({ ok, fundings: checked.fundings }).toEqual({ ok: true, fundings: 1 });

    const unread = await verify([], production(stranger));
    expect(unread).toMatchObject({ code: 2, stdout: "" });
    expect(unread.stderr).toMatch(
      /^MongoDB refuses its user the right to listCollections in payrail; see docs\/[^\n]+\.$/,
    );
    const mistyped = await verify([], production(reader.replace("secret", "typo")));
    expect(mistyped).toMatchObject({ code: 2, stdout: "" });
    expect(mistyped.stderr).toMatch(/^MONGO_URL: the MongoDB at [\d.:]+ refuses the credentials/);

    const environment = { ...place.environment, MONGO_URL: stranger };
    const rotation = runNode("tools/commands/rotate-keys.ts", [], environment);
    expect((await rotation.exit).code).toBe(2);
    expect(rotation.stderr()).toMatch(
      /^MongoDB refuses its user the right to find in payrail\.database_mode; see [^\n]+\.\n$/,
    );
  } finally {
    await mongo.stop();
  }
});
