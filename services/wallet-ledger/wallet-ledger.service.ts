// wallet-ledger: wallets, collection accounts and the journal. Only this service changes a balance.
// It knows transfers, not their purpose.

import type { ServiceSchema } from "moleculer";
import { systemClock } from "../../shared/clock.ts";
import type { ConfigOf } from "../../shared/config/config.ts";
import { POSTED_WITHIN_MS } from "../../shared/contracts/contract.ts";
import { fail } from "../../shared/errors.ts";
import { newId } from "../../shared/ids.ts";
import { toMinor } from "../../shared/money.ts";
import { metricsOf } from "../../shared/observability/metrics.ts";
import { crashAt } from "../../shared/resumable/crash.ts";
import { type Sweep, startSweep, turnsOf } from "../../shared/resumable/sweeps.ts";
import { call, implement } from "../../shared/rpc/actions.ts";
import { ownDeadline } from "../../shared/rpc/callers-clocks.ts";
import { createKeepAnswers } from "../../shared/rpc/idempotency.ts";
import { publicJwk } from "../../shared/security/jwt-keys.ts";
import { defineService } from "../../shared/service.ts";
import { database, withDatabase } from "../../shared/storage/database.ts";
import { findThing } from "../../shared/storage/find.ts";
import { DEFAULT_BOUNDS } from "./bounds.ts";
import { type End, sweepPending } from "./by-reference.ts";
import { fund, listFundings, postFunding, toTransaction } from "./fundings.ts";
import { signHead } from "./head.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import type { AccountNow } from "./reads.ts";
import { schemas } from "./schemas.ts";
import type { Transfer } from "./transfer.model.ts";
import { listTransfers, postTransfer, transfer, transferView } from "./transfers.ts";
import { lastVerification, verificationGauges } from "./verification.ts";
import {
  collectionView,
  findCollectionAccount,
  listAccounts,
  openAccount,
  requireVisible,
  type WalletView,
  walletView,
} from "./wallets.ts";

const LOOK_EVERY_MS = 10_000;

export default defineService(function walletLedger(
  config: ConfigOf<"wallet-ledger">,
): ServiceSchema {
  const { ledgerHeadKey } = config;
  const db = database(config, "wallet-ledger", schemas);
  const {
    ledger_accounts: accounts,
    ledger_fundings: fundings,
    ledger_transfers: transfers,
    verifications,
  } = db.models;
  // No answer of the ledger has a secret or personal data, and the ledger has no encryption keys.
  const keepAnswers = createKeepAnswers(config, () => db.collection("ledger_idempotency_keys"));
  let ledger: Ledger;
  let sweep: Sweep | undefined;

  async function findWallet(businessId: string, walletId: string): Promise<WalletView> {
    const account = await ledger.reads.account(walletId);
    const isTheirs = account?.businessId === businessId && account.type === "SPEND";
    return isTheirs ? walletView(account) : fail("WALLET_NOT_FOUND");
  }

  async function findAccount(businessId: string, id: string): Promise<AccountNow> {
    const account = await ledger.reads.account(id);
    const isTheirs = account?.businessId === businessId && account.type === "COLLECTION";
    return isTheirs ? account : fail("COLLECTION_ACCOUNT_NOT_FOUND");
  }

  function postHalves(document: Transfer): Promise<End> {
    const reached = (point: string) => crashAt(config, point, document.businessId);
    return postTransfer(ledger.log, reached)(document);
  }

  /** Settles the pending fundings and transfers of processes that died. */
  async function sweepLeft(): Promise<number | undefined> {
    const ofFundings = await sweepPending(fundings, postFunding(ledger.log));
    const ofTransfers = await sweepPending(transfers, postHalves);
    const left = [ofFundings, ofTransfers].filter((at) => at !== undefined);
    return left.length > 0 ? Math.min(...left) : undefined;
  }

  return {
    name: "wallet-ledger",

    mixins: [withDatabase(db)],

    // Contracts: shared/contracts/{wallet-ledger,ledger-heads,books}.ts
    actions: implement("wallet-ledger", keepAnswers, {
      async openWallet({ businessId, entityId, currency }, context, making) {
        const { erasedAt } = await call(context, "accounts.entity", { businessId, entityId });
        if (erasedAt !== undefined) fail("ENTITY_NOT_FOUND");
        const owner = { businessId, entityId, currency, type: "SPEND" as const };
        const { created, id } = await openAccount(accounts, owner, ledger.partitionFor, making.id);
        return { created, wallet: walletView(requireVisible(await ledger.reads.account(id))) };
      },

      whereIs: ({ id }) =>
        findThing(id, [
          { kind: "wallet", documents: db.collection("ledger_accounts") },
          { kind: "funding", documents: db.collection("ledger_fundings") },
          { kind: "transfer", documents: db.collection("ledger_transfers") },
        ]),

      wallet: ({ businessId, walletId }) => findWallet(businessId, walletId),

      async wallets({ ids }) {
        const found = await Promise.all(ids.map((id) => ledger.reads.account(id)));
        return found.flatMap((account) => (account?.type === "SPEND" ? walletView(account) : []));
      },

      businessWallets: ({ businessId, entityId, ...paging }) =>
        listAccounts(
          accounts,
          ledger.reads,
          { businessId, type: "SPEND", ...(entityId !== undefined && { entityId }) },
          paging,
          walletView,
        ),

      async setDisabled({ businessId, walletId, disabled }) {
        const wallet = await findWallet(businessId, walletId);
        if (wallet.disabled === disabled) return wallet;
        const kind = disabled ? "disable" : "enable";
        const { outcome } = await ledger.log.post({ posting: { id: newId(), kind, walletId } });
        return outcome === "committed" ? findWallet(businessId, walletId) : fail("UNAVAILABLE");
      },

      async fund({ businessId, walletId, amount, reference }) {
        const wallet = await findWallet(businessId, walletId);
        const amountMinor = toMinor(amount) as number;
        return toTransaction(await fund(fundings, ledger.log, wallet, amountMinor, reference));
      },

      async entries({ businessId, walletId, cursor, limit }) {
        await findWallet(businessId, walletId);
        return ledger.reads.statement(walletId, { cursor, limit });
      },

      entriesOf: ({ walletId, transactionId }) =>
        ledger.reads.transactionEntries(walletId, transactionId),

      fundings: (filter) => listFundings(fundings, filter),

      async funding({ businessId, id }) {
        const funding = await fundings.findOne({ _id: id, businessId }).lean();
        return funding ? toTransaction(funding) : fail("TRANSACTION_NOT_FOUND");
      },

      async openCollectionAccount({ businessId, currency }, context, making) {
        await call(context, "accounts.entity", { businessId, entityId: businessId });
        const owner = { businessId, entityId: businessId, currency, type: "COLLECTION" as const };
        const { created, id } = await openAccount(accounts, owner, ledger.partitionFor, making.id);
        return { created, account: collectionView(requireVisible(await ledger.reads.account(id))) };
      },

      collectionAccounts: ({ businessId, ...paging }) =>
        listAccounts(
          accounts,
          ledger.reads,
          { businessId, type: "COLLECTION" },
          paging,
          collectionView,
        ),

      async collectionEntries({ businessId, id, cursor, limit }) {
        await findAccount(businessId, id);
        return ledger.reads.statement(id, { cursor, limit });
      },

      async transfer({ businessId, id, walletId, amount, reference }) {
        const account = await findAccount(businessId, id);
        const wallet = await findWallet(businessId, walletId);
        const asked = { amountMinor: toMinor(amount) as number, reference };
        return transferView(await transfer(transfers, postHalves, account, wallet, asked));
      },

      async transfers({ businessId, id, ...paging }) {
        await findAccount(businessId, id);
        return listTransfers(transfers, id, paging);
      },

      async collectionAccountOf(params) {
        return { id: await findCollectionAccount(accounts, params) };
      },

      async head({ businessId }) {
        const key = ledgerHeadKey ?? fail("NOT_CONFIGURED");
        return signHead(key, await ledger.readHead(businessId));
      },

      headKeys: async () => ({
        keys: ledgerHeadKey ? [publicJwk(ledgerHeadKey)] : [],
      }),

      books: () => ledger.readBooks(),

      verification: () => lastVerification(verifications, systemClock.now()),

      post: ({ postings }, context) =>
        Promise.all(
          postings.map(({ void: voided, retry, deadline, ...posting }) => {
            const own = deadline && ownDeadline(context, deadline, POSTED_WITHIN_MS);
            return ledger.log.post({ posting, void: voided, retry, deadline: own });
          }),
        ),
    }),

    methods: {
      gauges: () => [ledger?.gauges() ?? [], verificationGauges(verifications, systemClock.now())],
    },

    async started() {
      if (!ledgerHeadKey) this.logger.info("Heads of the ledger are off: LEDGER_HEAD_KEY is unset");
      ledger = await createLedger(
        db,
        systemClock,
        (problem, error) => this.logger.warn(problem, error),
        DEFAULT_BOUNDS,
        metricsOf(this.broker),
      );
      sweep = startSweep({
        clock: systemClock,
        turns: turnsOf(this.broker, "wallet-ledger", LOOK_EVERY_MS),
        round: sweepLeft,
        onError: (error) => this.logger.warn("A sweep failed", error),
      });
    },

    async stopped() {
      await sweep?.stop();
      await ledger?.stop();
    },
  };
});
