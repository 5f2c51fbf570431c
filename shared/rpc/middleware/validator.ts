// The check of an action's parameters and meta by its contract, which Moleculer's own middleware of
// validators runs. Actions without a contract may have schemas of Moleculer's own validator.

import moleculer, { type Context } from "moleculer";
import { checker } from "../../contracts/checker.ts";
import { metaCheck } from "../../contracts/meta-check.ts";
import { fail } from "../../errors.ts";
import { implementationOf, type Meta } from "../actions.ts";

export class ContractValidator extends moleculer.Validators.Fastest {
  /** @returns a check that trims and drops in place, and fails with VALIDATION or UNAUTHORIZED */
  override compile(params: object) {
    const { contract } = implementationOf({ params }) ?? {};
    if (!contract) return super.compile(params);
    const check = checker(contract.params);
    const checkMeta = metaCheck(contract.meta);
    const needsActor = contract.meta.includes("actor");
    // Moleculer's types describe another second argument. It gives an empty object for parameters
    // that are null, but the handler gets the null, so the check takes them from the context.
    const run = (_params: object, { meta: context }: { meta: Context<unknown, Meta> }) => {
      check(context.params);
      if (needsActor && !context.meta.actor) fail("UNAUTHORIZED");
      checkMeta(context.meta);
      return true;
    };
    return run as never;
  }
}
