// Linking an international account where money is real: a BIC for tests is refused (ISO 9362).

import { linkInternational } from "../../services/accounts/international.ts";
import { systemClock } from "../../shared/clock.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { newId } from "../../shared/ids.ts";
import { failure } from "../support/accounts.ts";
import { testEnvironment } from "../support/system.ts";
import { internationalBody } from "../support/world.ts";

test("a BIC whose eighth character is 0 is refused outside the sandbox", async () => {
  const sub = newId();
  const found = {
    entityId: sub,
    currency: "USD",
    tokenType: "ACCOUNT",
    expiresAt: new Date("2999-01-01"),
    claimedFor: null,
  };
  const models = { application_tokens: { findOne: () => Promise.resolve(found) } };
  const config = { ...loadConfig(testEnvironment({})), sandbox: false };
  const body = internationalBody({ swiftOrBic: "CHASUS30" });
  const linking = linkInternational(
    { config, models, clock: systemClock } as never,
    {} as never,
    { sub, role: "user" },
    { token: "token", currency: "USD", step: "1", body },
    { id: newId(), secret: "", isRepeat: false },
  );
  await expect(linking).rejects.toEqual(
    failure(
      "VALIDATION",
      "data.swiftOrBic must be a bank's own: one whose 8th character is 0 is for tests",
    ),
  );
});
