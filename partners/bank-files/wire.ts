// Wires by files: RAILS={"WIRE":"./partners/bank-files/wire.ts"} and WIRE_FILES=settings.json.

import type { Module, Rail } from "../types.ts";
import { iso20022Format } from "./iso20022/format.ts";
import { bankFilesRail } from "./rail.ts";
import { readKeys, readSettings } from "./settings.ts";

const wire: Module<Rail> = async (context) => {
  // Only the bank's answers settle a wire.
  const settings = readSettings("WIRE_FILES", null);
  return bankFilesRail(context, settings, iso20022Format(settings.originator), readKeys());
};
export default wire;
