// ACH by files: RAILS={"ACH":"./partners/bank-files/ach.ts"} and ACH_FILES=settings.json.

import type { Module, Rail } from "../types.ts";
import { nachaFormat } from "./nacha/format.ts";
import { bankFilesRail } from "./rail.ts";
import { readKeys, readSettings } from "./settings.ts";

/**
 * A bank confirms no ACH credit. Most returns come by the second banking day after the settlement
 * (Nacha Operating Rules, subsection 3.8.1), so a credit counts as settled on the day after.
 */
const SETTLED_AFTER_DAYS = 3;

const ach: Module<Rail> = async (context) => {
  const settings = readSettings("ACH_FILES", SETTLED_AFTER_DAYS);
  return bankFilesRail(context, settings, nachaFormat(settings.originator), readKeys());
};
export default ach;
