// payrail withdraw: pays out once to a linked account.

import {
  type Command,
  coloured,
  Failure,
  type Given,
  required,
  textOf,
  UsageError,
} from "./command.ts";

const ROUTING_TYPES = ["ACH", "RTP", "WIRE", "BANK"] as const;

export const withdraw: Command = {
  summary: "Pay out to a linked account",
  help: `payrail withdraw --account <linkedAccountId> --amount 25 --reason Payout [--user <userId>]

Pays out once, however often it has to ask, and prints the withdrawal's id.

  --account          the linked account; required
  --amount           US dollars; required
  --reason           required
  --user             the end user whose wallet pays; by default the business's own pays
  --routing-type     ACH, RTP, WIRE or BANK
  --idempotency-key  the same key pays once, also in another run
  --wait             wait for the end, for a minute at most; exit code 1 unless it succeeded
  --json             the withdrawal as JSON
`,
  options: {
    account: { type: "string" },
    amount: { type: "string" },
    reason: { type: "string" },
    user: { type: "string" },
    "routing-type": { type: "string" },
    "idempotency-key": { type: "string" },
    wait: { type: "boolean" },
  },

  async run({ values, print, payrail: connect }: Given): Promise<void> {
    const routingType = ROUTING_TYPES.find((type) => type === values["routing-type"]);
    if (values["routing-type"] !== undefined && !routingType) {
      throw new UsageError(`--routing-type must be one of ${ROUTING_TYPES.join(", ")}`);
    }
    const amount = Number(required(values, "amount"));
    if (!Number.isFinite(amount)) throw new UsageError("--amount must be a number");
    const params = {
      currency: "USD",
      linkedAccountId: required(values, "account"),
      amount,
      reason: required(values, "reason"),
      ...(routingType && { routingType }),
    } as const;
    const idempotencyKey = textOf(values, "idempotency-key");
    const user = textOf(values, "user");
    const payrail = connect();
    const { withdrawals } = user === undefined ? payrail : payrail.as(user);
    const queued = await withdrawals.create(params, idempotencyKey ? { idempotencyKey } : {});
    if (!values.wait) {
      print(`${queued.id} ${queued.status}: ${queued.amount} with fees of ${queued.fees}`, queued);
      return;
    }
    const ended = await withdrawals.wait(queued.id);
    const { id, status, failureReason } = ended;
    const said = coloured(status === "SUCCESS" ? "green" : "red", status);
    print(`${id} ${said}${failureReason ? `: ${failureReason}` : ""}`, ended);
    if (status !== "SUCCESS") throw new Failure("");
  },
};
