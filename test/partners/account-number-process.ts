// Judges the account numbers of its standard input in a process of its own, where nothing else of
// payrail is loaded: JUDGE is linked or written.

import { text } from "node:stream/consumers";
import { JUDGES, type Numbered } from "../support/account-numbers.ts";

const judge = await JUDGES[process.env.JUDGE as keyof typeof JUDGES]();
const accounts: Numbered[] = JSON.parse(await text(process.stdin));
process.stdout.write(JSON.stringify(accounts.map(judge)));
