// wallet-ledger: wallets, collection accounts and the journal. Only this service changes a balance.
// It knows transfers, not their purpose.

import type { ServiceSchema } from "moleculer";
import { systemClock } from "../../shared/clock.ts";
import type { ConfigOf } from "../../shared/config/config.ts";
import { POSTED_WITHIN_MS } from "../../shared/contracts/contract.ts";
import { fail } from "../../shared/errors.ts";
import { idMaker } from "../../shared/ids.ts";
import { toMinor } from "../../shared/money.ts";
import { metricsOf } from "../../shared/observability/metrics.ts";
import { crashAt } from "../../shared/resumable/crash.ts";
import { LOOK_EVERY_MS } from "../../shared/resumable/due.ts";
import { turnsOf } from "../../shared/resumable/sweeps.ts";
import { call, implement } from "../../shared/rpc/actions.ts";
import { readerOfDeadlines } from "../../shared/rpc/callers-clocks.ts";
import { askAccounts, followControls } from "../../shared/rpc/controls.ts";
import { createKeepAnswers } from "../../shared/rpc/idempotency.ts";
import { publicJwk } from "../../shared/security/jwt-keys.ts";
import { defineService } from "../../shared/service.ts";
import { database, withDatabase } from "../../shared/storage/database.ts";
import { findThing, findThings } from "../../shared/storage/find.ts";
import { adjust } from "./adjustments.ts";
import { createDeps, stopDeps } from "./assembly.ts";
import { findPages, findPeriod, listMovements } from "./balance-report.ts";
import type { Deps } from "./deps.ts";
import { fund } from "./fundings.ts";
import { signHead } from "./head.ts";
import { watchBalance } from "./low-balance.ts";
import type { AccountNow } from "./reads.ts";
import { schemas } from "./schemas.ts";
import { VISIBLE } from "./transaction.model.ts";
import { findTransaction, listTransactions, toTransaction } from "./transactions.ts";
import { listTransfers, transfer, transferView } from "./transfers.ts";
import { lastVerification, verificationGauges } from "./verification.ts";
import {
  findWalletTransfer,
  listWalletTransfers,
  move,
  walletTransferView,
} from "./wallet-transfers.ts";
import {
  collectionView,
  findCollectionAccount,
  listAccounts,
  listOwnWallets,
  openAccount,
  requireVisible,
  type WalletView,
  walletView,
} from "./wallets.ts";

export default defineService(function walletLedger(
  config: ConfigOf<"wallet-ledger">,
): ServiceSchema {
  const { ledgerHeadKey } = config;
  const clock = systemClock;
  // Each posting has the deadline of its own request.
  const ownDeadline = readerOfDeadlines(clock);
  const db = database(config, "wallet-ledger", schemas);
  // No answer of the ledger has a secret or personal data, and the ledger has no encryption keys.
  const keepAnswers = createKeepAnswers(config, () => db.collection("ledger_idempotency_keys"));
  let deps: Deps;

  async function findWallet(businessId: string, walletId: string): Promise<WalletView> {
    const account = await deps.ledger.reads.account(walletId);
    const isTheirs = account?.businessId === businessId && account.type === "SPEND";
    return isTheirs ? walletView(deps, account) : fail("WALLET_NOT_FOUND");
  }

  async function findAccount(businessId: string, id: string): Promise<AccountNow> {
    const account = await deps.ledger.reads.account(id);
    const isTheirs = account?.businessId === businessId && account.type === "COLLECTION";
    return isTheirs ? account : fail("COLLECTION_ACCOUNT_NOT_FOUND");
  }

  async function setDisabled(wallet: WalletView, disabled: boolean): Promise<WalletView> {
    const { id: walletId, businessId } = wallet;
    if (wallet.disabled === disabled) return wallet;
    const kind = disabled ? "disable" : "enable";
    const { outcome } = await deps.ledger.log.post({
      posting: { id: deps.newId(), kind, walletId },
    });
    return outcome === "committed" ? findWallet(businessId, walletId) : fail("UNAVAILABLE");
  }

  /** Where the requests under a reference are; each that lists show has its reference. */
  const referenced = (filter: object) => [
    { kind: "funding" as const, documents: db.collection("ledger_fundings"), filter },
    { kind: "adjustment" as const, documents: db.collection("ledger_adjustments"), filter },
    { kind: "transfer" as const, documents: db.collection("ledger_transfers"), filter },
    { kind: "transfer" as const, documents: db.collection("ledger_wallet_transfers"), filter },
  ];

  return {
    name: "wallet-ledger",

    mixins: [withDatabase(db)],

    // Contracts: shared/contracts/{wallet-ledger,ledger-heads,books,reports}.ts
    actions: implement("wallet-ledger", clock, keepAnswers, {
      async openWallet({ businessId, entityId, currency }, context, creation) {
        const { erasedAt } = await call(context, "accounts.entity", { businessId, entityId });
        if (erasedAt !== undefined) fail("ENTITY_NOT_FOUND");
        const owner = { businessId, entityId, currency, type: "SPEND" as const };
        const { created, id } = await openAccount(deps, owner, creation.id);
        return {
          created,
          wallet: walletView(deps, requireVisible(await deps.ledger.reads.account(id))),
        };
      },

      whereIs: ({ id }) =>
        findThing(id, [
          { kind: "wallet", documents: db.collection("ledger_accounts") },
          ...referenced(VISIBLE),
        ]),

      whereAre: ({ text: reference }) => findThings(referenced({ reference })),

      wallet: ({ businessId, walletId }) => findWallet(businessId, walletId),

      async wallets({ ids }) {
        const found = await Promise.all(ids.map((id) => deps.ledger.reads.account(id)));
        return found.flatMap((account) =>
          account?.type === "SPEND" ? walletView(deps, account) : [],
        );
      },

      ownWallets: ({ entityId }) => listOwnWallets(deps, entityId),

      businessWallets: ({ businessId, entityId, ...paging }) =>
        listAccounts(
          deps,
          { businessId, type: "SPEND", ...(entityId !== undefined && { entityId }) },
          paging,
          (account) => walletView(deps, account),
        ),

      async setDisabled({ businessId, walletId, disabled }) {
        return setDisabled(await findWallet(businessId, walletId), disabled);
      },

      async updateWallet({ businessId, walletId, disabled, lowBalanceAt }) {
        const wallet = await findWallet(businessId, walletId);
        if (lowBalanceAt !== undefined) await watchBalance(deps, wallet, lowBalanceAt);
        if (disabled !== undefined) await setDisabled(wallet, disabled);
        return findWallet(businessId, walletId);
      },

      async fund({ businessId, walletId, amount, reference }) {
        const wallet = await findWallet(businessId, walletId);
        const asked = { amountMinor: toMinor(amount) as number, reference };
        return toTransaction("FUNDING", await fund(deps, wallet, asked));
      },

      async adjust({ businessId, walletId, amount, ...asked }, { meta: { deadline } }) {
        const wallet = await findWallet(businessId, walletId);
        const correction = { ...asked, deadline, amountMinor: toMinor(amount) as number };
        return toTransaction("ADJUSTMENT", await adjust(deps, wallet, correction));
      },

      async move({ businessId, fromWalletId, toWalletId, ...asked }, { meta: { deadline } }) {
        const [from, to] = await Promise.all([
          findWallet(businessId, fromWalletId),
          findWallet(businessId, toWalletId),
        ]);
        return walletTransferView(await move(deps, from, to, { ...asked, deadline }));
      },

      walletTransfers: (params) => listWalletTransfers(deps, params),

      walletTransfer: (params) => findWalletTransfer(deps, params),

      async entries({ businessId, walletId, ...page }) {
        await findWallet(businessId, walletId);
        return deps.ledger.reads.statement(walletId, page);
      },

      entriesOf: ({ walletId, transactionId }) =>
        deps.ledger.reads.transactionEntries(walletId, transactionId),

      committed: ({ postings }) => deps.ledger.reads.committed(postings),

      fundings: (filter, context) =>
        listTransactions(deps, filter, (asked) => call(context, "accounts.findParties", asked)),

      funding: (params) => findTransaction(deps, params),

      async openCollectionAccount({ businessId, currency }, context, creation) {
        await call(context, "accounts.entity", { businessId, entityId: businessId });
        const owner = { businessId, entityId: businessId, currency, type: "COLLECTION" as const };
        const { created, id } = await openAccount(deps, owner, creation.id);
        return {
          created,
          account: collectionView(requireVisible(await deps.ledger.reads.account(id))),
        };
      },

      collectionAccounts: ({ businessId, ...paging }) =>
        listAccounts(deps, { businessId, type: "COLLECTION" }, paging, collectionView),

      async collectionEntries({ businessId, id, ...page }) {
        await findAccount(businessId, id);
        return deps.ledger.reads.statement(id, page);
      },

      async transfer({ businessId, id, walletId, amount, reference }) {
        const account = await findAccount(businessId, id);
        const wallet = await findWallet(businessId, walletId);
        const asked = { amountMinor: toMinor(amount) as number, reference };
        return transferView(await transfer(deps, account, wallet, asked));
      },

      async transfers({ businessId, id, ...paging }) {
        await findAccount(businessId, id);
        return listTransfers(deps, id, paging);
      },

      async collectionAccountOf(params) {
        return { id: await findCollectionAccount(deps, params) };
      },

      async head({ businessId }) {
        const key = ledgerHeadKey ?? fail("NOT_CONFIGURED");
        return signHead(key, await deps.ledger.readHead(businessId));
      },

      headKeys: async () => ({
        keys: ledgerHeadKey ? [publicJwk(ledgerHeadKey)] : [],
      }),

      books: () => deps.ledger.readBooks(),

      balances: ({ businessId }) => deps.ledger.readBalances(businessId),

      period: (params) => findPeriod(deps, params),

      pages: (params) => findPages(deps, params),

      movements: (params) => listMovements(deps, params),

      verification: () => lastVerification(deps),

      post: ({ postings }, context) =>
        Promise.all(
          postings.map(({ void: voided, retry, deadline, ...posting }) => {
            const own = deadline && ownDeadline(context, deadline, POSTED_WITHIN_MS);
            return deps.ledger.log.post({ posting, void: voided, retry, deadline: own });
          }),
        ),
    }),

    methods: {
      gauges: () => (deps ? [deps.ledger.gauges(), verificationGauges(deps)] : []),
    },

    async started() {
      if (!ledgerHeadKey) this.logger.info("Heads of the ledger are off: LEDGER_HEAD_KEY is unset");
      deps = await createDeps({
        clock,
        turns: turnsOf(this.broker, "wallet-ledger", LOOK_EVERY_MS),
        newId: idMaker(clock),
        connection: db.connection,
        models: db.models,
        collection: db.collection,
        config,
        log: this.logger,
        metrics: metricsOf(this.broker),
        controls: followControls({
          clock,
          read: askAccounts(this.broker),
          log: this.logger,
        }),
        publish: (events) => call(this.broker, "webhooks.publish", { events }),
        reached: (point, { businessId }) => crashAt(config, point, businessId),
      });
    },

    async stopped() {
      if (deps) await stopDeps(deps);
    },
  };
});
