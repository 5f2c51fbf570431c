// A signed head of the ledger as the verification takes it.

import jwt from "jsonwebtoken";
import type { HeadClaims, KeptHead } from "../../tools/verify/journal/heads.ts";

export function keptHead(head: string): KeptHead {
  return { name: "the head", claims: jwt.decode(head) as HeadClaims };
}
