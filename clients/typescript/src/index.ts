// What the package exports.

export type { CallOptions, WriteOptions } from "./api.ts";
export {
  type ClientErrorCode,
  type ErrorCode,
  type FieldError,
  LedgerHeadError,
  type LedgerHeadErrorCode,
  type LimitUse,
  PayrailError,
  type SignatureErrorCode,
  WebhookSignatureError,
} from "./errors.ts";
export type { WebhookEvent } from "./events.ts";
export {
  balanceAt,
  includesEntry,
  type LedgerHeadClaims,
  type LedgerKeys,
  ledgerDigest,
  type OwnBalance,
  verifyLedgerHead,
} from "./heads.ts";
export type { CursorMeta, List, Page, PageMeta } from "./list.ts";
export { type EndUser, Payrail, type PayrailOptions } from "./payrail.ts";
export type { ApiClient, NewApiClient } from "./resources/api-clients.ts";
export type { ApplicationToken, ListedApplicationToken } from "./resources/application-tokens.ts";
export type { CheckoutView, PaymentOutcome, SetupOutcome } from "./resources/checkout.ts";
export type { CollectionAccount, Transfer } from "./resources/collection-accounts.ts";
export type { Entity } from "./resources/entities.ts";
export type { StoredEvent } from "./resources/events.ts";
export type { LedgerHead } from "./resources/ledger.ts";
export type { PayoutLimit } from "./resources/limits.ts";
export type {
  InternationalParams,
  LinkedAccount,
  MaskedLinkedAccount,
} from "./resources/linked-accounts.ts";
export type {
  CreatedPaymentLink,
  ListedPaymentLink,
  PaymentLink,
} from "./resources/payment-links.ts";
export type { ListedPayment, Payment, Refund } from "./resources/payments.ts";
export type { QueuedPayout } from "./resources/payouts.ts";
export type { BalanceReport, Balances } from "./resources/reports.ts";
export type {
  Invoice,
  InvoicePreview,
  ListedInvoice,
  PaymentMethodLink,
  Subscription,
  UsageRecord,
} from "./resources/subscriptions.ts";
export type { Timeline, Transaction, WithdrawalPayload } from "./resources/transactions.ts";
export type { WalletTransfer } from "./resources/transfers.ts";
export type { StatementEntry, Wallet } from "./resources/wallets.ts";
export type {
  Delivery,
  ListedDelivery,
  NewWebhookEndpoint,
  WebhookEndpoint,
} from "./resources/webhooks.ts";
export type { QueuedWithdrawal, Withdrawal, WithdrawalParams } from "./resources/withdrawals.ts";
export { type HeadersLike, signWebhook, verifyWebhook } from "./signature.ts";
