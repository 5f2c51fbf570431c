// A process of a rail of bank files: it works in turns until it is killed. FILES has the settings,
// MONGO_URL the books' database, and FORMAT the name of the format.

import mongoose from "mongoose";
import { bankFilesRail } from "../../../partners/bank-files/rail.ts";
import type { BankFileSettings } from "../../../partners/bank-files/settings.ts";
import { systemClock } from "../../../shared/clock.ts";
import { createContexts } from "../../../shared/partners/context.ts";
import { KEYS } from "../../support/bank/files.ts";
import { plainFormat } from "../../support/bank/plain-format.ts";

const connection = await mongoose.createConnection(process.env.MONGO_URL as string).asPromise();
const quiet = () => {};
const contextOf = createContexts(connection.getClient(), connection.name, "rails", {
  sandbox: true,
  clock: systemClock,
  log: { info: quiet, warn: quiet, error: console.error },
});
const context = contextOf("test");
const settings = JSON.parse(process.env.FILES as string) as BankFileSettings;
const rail = await bankFilesRail(context, settings, plainFormat, KEYS);
rail.start?.();
process.on("message", () => {});
