// npm run docs makes this file from the OpenAPI document.

/**
 * Where the page is in its list, or how to get the next page
 */
export type ListMeta = PageMeta | CursorMeta;
/**
 * The currency, by ISO 4217
 */
export type Currency = "USD" | "NGN" | "CAD" | "GBP" | "EUR";
/**
 * A linked account in full
 */
export type LinkedAccount =
  BankLinkedAccount | InternationalBankLinkedAccount | CardLinkedAccount | PrepaidCardLinkedAccount;
/**
 * Of a payment what its link and the customer have said, of a payout your own texts; left out if a list would be too long
 */
export type TransactionMetadata = PaymentMetadata | PayoutMetadata;
/**
 * How and when the customer is charged
 */
export type RecurringCharge = SubscriptionCharge | ConsumptionCharge | SeatingCharge;
/**
 * The body of createLinkedAccount
 */
export type LinkedAccountRequest =
  BankLinkedAccountRequest | CardLinkedAccountRequest | PrepaidCardLinkedAccountRequest;
/**
 * A linked account with masked numbers
 */
export type ExternalLinkedAccount =
  | BankExternalLinkedAccount
  | InternationalBankExternalLinkedAccount
  | CardExternalLinkedAccount
  | PrepaidCardExternalLinkedAccount;
/**
 * The account and its holder, a person or a business
 */
export type Recipient = PersonalRecipient | BusinessRecipient;
/**
 * The body of createPaymentLink
 */
export type PaymentLinkRequest =
  | OneTimePaymentLinkRequest
  | SubscriptionPaymentLinkRequest
  | ConsumptionPaymentLinkRequest
  | SeatingPaymentLinkRequest;

export interface Document {
  endpoints: {
    /**
     * Creates a business with its first API client
     */
    "POST /v1/admin/businesses": {
      input: BusinessRequest;
      answer: CreateBusinessAnswer;
    };
    /**
     * Lists all businesses
     */
    "GET /v1/admin/businesses": {
      input: {
        /**
         * The page, from 1
         */
        page?: number;
        /**
         * The number of results on a page
         */
        limit?: number;
        /**
         * Which results come first: with `oldest` the list pages by number, with `newest` by `cursor`
         */
        order?: "oldest" | "newest";
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
      };
      answer: ListBusinessesAnswer;
    };
    /**
     * Shows a business
     */
    "GET /v1/admin/businesses/{businessId}": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
      };
      answer: GetBusinessAsAdminAnswer;
    };
    /**
     * Lists the end users of a business
     */
    "GET /v1/admin/businesses/{businessId}/entities": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
        /**
         * Exact external identifier
         */
        externalId?: string;
        /**
         * Only end users with this text in their email or external identifier, in any case
         */
        search?: string;
        /**
         * The page, from 1
         */
        page?: number;
        /**
         * The number of results on a page
         */
        limit?: number;
        /**
         * Which results come first: with `oldest` the list pages by number, with `newest` by `cursor`
         */
        order?: "oldest" | "newest";
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
      };
      answer: ListEntitiesAsAdminAnswer;
    };
    /**
     * Shows an end user of a business, or the business itself
     */
    "GET /v1/admin/businesses/{businessId}/entities/{entityId}": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
        /**
         * The id of the end user, or of the business itself
         */
        entityId: string;
      };
      answer: GetEntityAsAdminAnswer;
    };
    /**
     * Lists the wallets of a business, or of one of its entities, with their balances
     */
    "GET /v1/admin/businesses/{businessId}/wallets": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
        /**
         * Only wallets of this owner
         */
        entityId?: string;
        /**
         * The page, from 1
         */
        page?: number;
        /**
         * The number of results on a page
         */
        limit?: number;
        /**
         * Which results come first: with `oldest` the list pages by number, with `newest` by `cursor`
         */
        order?: "oldest" | "newest";
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
      };
      answer: ListWalletsAsAdminAnswer;
    };
    /**
     * Creates an API client of a business
     */
    "POST /v1/admin/businesses/{businessId}/api-clients": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
      } & ApiClientRequest;
      answer: CreateApiClientAsAdminAnswer;
    };
    /**
     * Shows a business
     */
    "GET /v1/business/{businessId}": {
      input: {};
      answer: GetBusinessAnswer;
    };
    /**
     * Creates an end user of a business
     */
    "POST /v1/business/{businessId}/entities": {
      input: EntityRequest;
      answer: CreateEntityAnswer;
    };
    /**
     * Lists the end users of a business
     */
    "GET /v1/business/{businessId}/entities": {
      input: {
        /**
         * Exact external identifier
         */
        externalId?: string;
        /**
         * Only end users with this text in their email or external identifier, in any case
         */
        search?: string;
        /**
         * The page, from 1
         */
        page?: number;
        /**
         * The number of results on a page
         */
        limit?: number;
        /**
         * Which results come first: with `oldest` the list pages by number, with `newest` by `cursor`
         */
        order?: "oldest" | "newest";
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
      };
      answer: ListEntitiesAnswer;
    };
    /**
     * Shows an end user of a business, or the business itself
     */
    "GET /v1/business/{businessId}/entities/{entityId}": {
      input: {
        /**
         * The id of the end user, or of the business itself
         */
        entityId: string;
      };
      answer: GetEntityAnswer;
    };
    /**
     * Exports all data about an end user
     */
    "GET /v1/business/{businessId}/entities/{entityId}/export": {
      input: {
        /**
         * The end user
         */
        entityId: string;
        /**
         * Whether what was paid with the email is meant, if other end users have the same email
         */
        sharedEmail?: "include" | "exclude";
      };
      answer: ExportEntityAnswer;
    };
    /**
     * Erases an end user for good
     */
    "POST /v1/business/{businessId}/entities/{entityId}/erase": {
      input: {
        /**
         * The end user
         */
        entityId: string;
      } & EraseEntityRequest;
      answer: EraseEntityAnswer;
    };
    /**
     * Exports all data about a customer at checkout: the payments and subscriptions with this email
     */
    "POST /v1/business/{businessId}/customers/export": {
      input: ExportCustomerRequest;
      answer: ExportCustomerAnswer;
    };
    /**
     * Erases a customer at checkout for good: its details in the payments and subscriptions with this email
     */
    "POST /v1/business/{businessId}/customers/erase": {
      input: EraseCustomerRequest;
      answer: EraseCustomerAnswer;
    };
    /**
     * Creates an API client of a business
     */
    "POST /v1/business/{businessId}/api-clients": {
      input: ApiClientRequest;
      answer: CreateApiClientAnswer;
    };
    /**
     * Lists the API clients of a business
     */
    "GET /v1/business/{businessId}/api-clients": {
      input: {
        /**
         * The page, from 1
         */
        page?: number;
        /**
         * The number of results on a page
         */
        limit?: number;
        /**
         * Which results come first: with `oldest` the list pages by number, with `newest` by `cursor`
         */
        order?: "oldest" | "newest";
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
      };
      answer: ListApiClientsAnswer;
    };
    /**
     * Shows an API client of a business
     */
    "GET /v1/business/{businessId}/api-clients/{clientId}": {
      input: {
        /**
         * The id of the API client
         */
        clientId: string;
      };
      answer: GetApiClientAnswer;
    };
    /**
     * Disables or enables an API client, and sets its allowed addresses
     */
    "PATCH /v1/business/{businessId}/api-clients/{clientId}": {
      input: {
        /**
         * The id of the API client
         */
        clientId: string;
      } & UpdateApiClientRequest;
      answer: UpdateApiClientAnswer;
    };
    /**
     * Gives an API client another secret
     */
    "POST /v1/business/{businessId}/api-clients/{clientId}/rotate-secret": {
      input: {
        /**
         * The id of the API client
         */
        clientId: string;
      };
      answer: RotateApiClientSecretAnswer;
    };
    /**
     * Opens the wallet of an entity in a currency
     */
    "POST /v1/business/{businessId}/wallets": {
      input: WalletRequest;
      answer: CreateWalletAnswer;
    };
    /**
     * Lists the wallets of a business, or of one of its entities, with their balances
     */
    "GET /v1/business/{businessId}/wallets": {
      input: {
        /**
         * Only wallets of this owner
         */
        entityId?: string;
        /**
         * The page, from 1
         */
        page?: number;
        /**
         * The number of results on a page
         */
        limit?: number;
        /**
         * Which results come first: with `oldest` the list pages by number, with `newest` by `cursor`
         */
        order?: "oldest" | "newest";
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
      };
      answer: ListWalletsAnswer;
    };
    /**
     * Shows a wallet of a business with its balance
     */
    "GET /v1/business/{businessId}/wallets/{walletId}": {
      input: {
        /**
         * The id of the wallet
         */
        walletId: string;
      };
      answer: GetWalletAnswer;
    };
    /**
     * Disables a wallet or enables it again, and sets the balance below which you are told
     */
    "PATCH /v1/business/{businessId}/wallets/{walletId}": {
      input: {
        /**
         * The id of the wallet
         */
        walletId: string;
      } & UpdateWalletRequest;
      answer: UpdateWalletAnswer;
    };
    /**
     * Lists the statement of a wallet, newest first
     */
    "GET /v1/business/{businessId}/wallets/{walletId}/entries": {
      input: {
        /**
         * The id of the wallet
         */
        walletId: string;
        /**
         * Only entries posted then or later
         */
        from?: string;
        /**
         * Only entries posted before
         */
        to?: string;
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
        /**
         * The number of results on a page
         */
        limit?: number;
      };
      answer: ListWalletEntriesAnswer;
    };
    /**
     * Opens the collection account of a business in a currency
     */
    "POST /v1/business/{businessId}/collection-accounts": {
      input: CollectionAccountRequest;
      answer: CreateCollectionAccountAnswer;
    };
    /**
     * Lists the collection accounts of a business
     */
    "GET /v1/business/{businessId}/collection-accounts": {
      input: {
        /**
         * The page, from 1
         */
        page?: number;
        /**
         * The number of results on a page
         */
        limit?: number;
        /**
         * Which results come first: with `oldest` the list pages by number, with `newest` by `cursor`
         */
        order?: "oldest" | "newest";
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
      };
      answer: ListCollectionAccountsAnswer;
    };
    /**
     * Lists the statement of a collection account, newest first
     */
    "GET /v1/business/{businessId}/collection-accounts/{id}/entries": {
      input: {
        /**
         * The id of the collection account
         */
        id: string;
        /**
         * Only entries posted then or later
         */
        from?: string;
        /**
         * Only entries posted before
         */
        to?: string;
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
        /**
         * The number of results on a page
         */
        limit?: number;
      };
      answer: ListCollectionAccountEntriesAnswer;
    };
    /**
     * Transfers from a collection account to a wallet of the business itself
     */
    "POST /v1/business/{businessId}/collection-accounts/{id}/transfers": {
      input: {
        /**
         * The id of the collection account
         */
        id: string;
      } & TransferRequest;
      answer: CreateTransferAnswer;
    };
    /**
     * Lists the transfers from a collection account
     */
    "GET /v1/business/{businessId}/collection-accounts/{id}/transfers": {
      input: {
        /**
         * The id of the collection account
         */
        id: string;
        /**
         * The page, from 1
         */
        page?: number;
        /**
         * The number of results on a page
         */
        limit?: number;
        /**
         * Which results come first: with `oldest` the list pages by number, with `newest` by `cursor`
         */
        order?: "oldest" | "newest";
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
      };
      answer: ListTransfersAnswer;
    };
    /**
     * Moves money between two wallets of a business: its own and those of its end users
     */
    "POST /v1/business/{businessId}/transfers": {
      input: WalletTransferRequest;
      answer: CreateWalletTransferAnswer;
    };
    /**
     * Lists the transfers between wallets of a business, newest first
     */
    "GET /v1/business/{businessId}/transfers": {
      input: {
        /**
         * Only transfers out of this wallet or into it
         */
        walletId?: string;
        /**
         * Only transfers made then or later
         */
        from?: string;
        /**
         * Only transfers made before
         */
        to?: string;
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
        /**
         * The number of results on a page
         */
        limit?: number;
      };
      answer: ListWalletTransfersAnswer;
    };
    /**
     * Shows a transfer between wallets
     */
    "GET /v1/business/{businessId}/transfers/{id}": {
      input: {
        /**
         * The id of the transfer
         */
        id: string;
      };
      answer: GetWalletTransferAnswer;
    };
    /**
     * Lists the wallets of the caller with their balances
     */
    "GET /v1/ext/wallets": {
      input: {};
      answer: ListOwnWalletsAnswer;
    };
    /**
     * Makes a signed head of the ledger
     */
    "GET /v1/business/{businessId}/ledger-head": {
      input: {};
      answer: GetLedgerHeadAnswer;
    };
    /**
     * Credits a wallet from outside
     */
    "POST /v1/business/{businessId}/wallets/{walletId}/fund": {
      input: {
        /**
         * The id of the wallet
         */
        walletId: string;
      } & FundWalletRequest;
      answer: FundWalletAnswer;
    };
    /**
     * Lists the linked accounts of a business in a currency, in full
     */
    "GET /v1/business/{businessId}/linked-accounts/{currency}": {
      input: {
        /**
         * The currency, in any case
         */
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        /**
         * Only accounts of this type
         */
        accountType?: "bank" | "card" | "international_bank" | "prepaid_card";
        /**
         * Another name of accountType
         */
        optionType?: "bank" | "card" | "international_bank" | "prepaid_card";
        /**
         * Only accounts with this text in the counterparty's email, in any case
         */
        email?: string;
        /**
         * Only accounts with an account or card number that ends in these digits
         */
        last4?: string;
        /**
         * Only accounts with this text in the bank's name, in any case
         */
        bank?: string;
        /**
         * Only accounts of the end user with this externalIdentifier
         */
        externalId?: string;
        /**
         * The page, from 1
         */
        page?: number;
        /**
         * The field that sorts the list
         */
        sortBy?:
          "createdAt" | "updatedAt" | "counterPartyName" | "counterPartyEmail" | "nickName" | "optionType" | "currency";
        /**
         * The direction of sorting, in any case
         */
        sortDirection?: "ASC" | "DESC";
        /**
         * Only accounts with this text in the counterparty's name, in any case
         */
        search?: string;
        /**
         * Only accounts of this end user, or of the business itself
         */
        entityId?: string;
        /**
         * The number of results on a page
         */
        limit?: number;
        /**
         * Which results come first: with `oldest` the list pages by number, with `newest` by `cursor`
         */
        order?: "oldest" | "newest";
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
      };
      answer: ListLinkedAccountsAnswer;
    };
    /**
     * Links a bank account, a card or a prepaid card to a wallet, as a payout destination
     */
    "POST /v1/business/{businessId}/linked-accounts/{currency}": {
      input: {
        /**
         * The currency, in any case
         */
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
      } & LinkedAccountRequest;
      answer: CreateLinkedAccountAnswer;
    };
    /**
     * Lists linked accounts in a currency, with masked numbers
     */
    "GET /v1/ext/linked-accounts/{currency}": {
      input: {
        /**
         * The currency, in any case
         */
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        /**
         * Only accounts of this type
         */
        accountType?: "bank" | "card" | "international_bank" | "prepaid_card";
        /**
         * Another name of accountType
         */
        optionType?: "bank" | "card" | "international_bank" | "prepaid_card";
        /**
         * Only accounts with this text in the counterparty's email, in any case
         */
        email?: string;
        /**
         * Only accounts with an account or card number that ends in these digits
         */
        last4?: string;
        /**
         * Only accounts with this text in the bank's name, in any case
         */
        bank?: string;
        /**
         * Only accounts of the end user with this externalIdentifier
         */
        externalId?: string;
        /**
         * The page, from 1
         */
        page?: number;
        /**
         * The field that sorts the list
         */
        sortBy?:
          "createdAt" | "updatedAt" | "counterPartyName" | "counterPartyEmail" | "nickName" | "optionType" | "currency";
        /**
         * The direction of sorting, in any case
         */
        sortDirection?: "ASC" | "DESC";
        /**
         * The number of results on a page
         */
        limit?: number;
      };
      answer: ListExternalLinkedAccountsAnswer;
    };
    /**
     * Unlinks an account
     */
    "DELETE /v1/business/{businessId}/linked-accounts/{currency}/{linkedAccountId}": {
      input: {
        /**
         * The currency, in any case
         */
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        /**
         * The id of the linked account
         */
        linkedAccountId: string;
      };
      answer: DeleteLinkedAccountAnswer;
    };
    /**
     * Changes the nickname of a linked account
     */
    "PATCH /v1/business/{businessId}/linked-accounts/{currency}/{linkedAccountId}": {
      input: {
        /**
         * The currency, in any case
         */
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        /**
         * The id of the linked account
         */
        linkedAccountId: string;
      } & UpdateLinkedAccountRequest;
      answer: UpdateLinkedAccountAnswer;
    };
    /**
     * Links an international bank account
     */
    "POST /v1/ext/application-token/{token}/linked-accounts/{currency}/link/international_bank/{step}": {
      input: {
        /**
         * An application token of type PAYOUT or ACCOUNT; it is not spent
         */
        token: string;
        /**
         * The currency of the token, in any case
         */
        currency: string;
        /**
         * The step of linking; there is one
         */
        step: "1";
      } & LinkInternationalAccountRequest;
      answer: LinkInternationalAccountAnswer;
    };
    /**
     * Creates an application token for an end user
     */
    "POST /v1/business/{businessId}/application-tokens": {
      input: ApplicationTokenRequest;
      answer: CreateApplicationTokenAnswer;
    };
    /**
     * Lists the application tokens of a business
     */
    "GET /v1/business/{businessId}/application-tokens": {
      input: {
        /**
         * The page, from 1
         */
        page?: number;
        /**
         * The number of results on a page
         */
        limit?: number;
        /**
         * Which results come first: with `oldest` the list pages by number, with `newest` by `cursor`
         */
        order?: "oldest" | "newest";
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
      };
      answer: ListApplicationTokensAnswer;
    };
    /**
     * Withdraws from a wallet to a linked account
     */
    "POST /v1/ext/linked-accounts/{currency}/{linkedAccountId}/withdrawal": {
      input: {
        /**
         * The currency: USD
         */
        currency: "USD";
        /**
         * The id of the linked account
         */
        linkedAccountId: string;
      } & WithdrawalRequest;
      answer: CreateWithdrawalAnswer;
    };
    /**
     * Pays any linked account of a business, its own or of its end users
     */
    "POST /v1/business/{businessId}/payouts": {
      input: PayoutRequest;
      answer: CreatePayoutAnswer;
    };
    /**
     * Lists the withdrawals that the subject of the token has made, newest first
     */
    "GET /v1/ext/withdrawals": {
      input: {
        /**
         * Only withdrawals in this status
         */
        status?: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
        /**
         * Only withdrawals to this linked account
         */
        linkedAccountId?: string;
        /**
         * A repeat with the same key and body gets the first answer again, for at least 24 hours
         */
        idempotencyKey?: string;
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
        /**
         * The number of results on a page
         */
        limit?: number;
      };
      answer: ListWithdrawalsAnswer;
    };
    /**
     * Shows the limits of what the caller can pay out, those of its business too, with what is left of each
     */
    "GET /v1/ext/withdrawal-limits": {
      input: {};
      answer: ListWithdrawalLimitsAnswer;
    };
    /**
     * Shows a withdrawal to the end user or business that made it, or to the end user's business
     */
    "GET /v1/ext/withdrawals/{id}": {
      input: {
        /**
         * The id of the transaction
         */
        id: string;
      };
      answer: GetWithdrawalAnswer;
    };
    /**
     * Shows the limits that the business itself has set
     */
    "GET /v1/business/{businessId}/limits": {
      input: {};
      answer: GetLimitsAnswer;
    };
    /**
     * Sets limits of what is paid out, in place of the earlier ones
     */
    "PUT /v1/business/{businessId}/limits": {
      input: SetLimitsRequest;
      answer: SetLimitsAnswer;
    };
    /**
     * Lists the transactions of a business, newest first
     */
    "GET /v1/business/{businessId}/transactions": {
      input: {
        /**
         * Only transactions in this status
         */
        status?: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
        /**
         * Only transactions of this end user, or of the business itself
         */
        entityId?: string;
        /**
         * Only transactions of this flow
         */
        flow?: "FUNDING" | "WITHDRAWAL" | "PAYMENT" | "PAYOUT" | "COLLECTION" | "REFUND" | "TRANSFER" | "ADJUSTMENT";
        /**
         * Only transactions that wait for an operator's decision, or only the others
         */
        needsAttention?: boolean;
        /**
         * Only payouts to this linked account
         */
        linkedAccountId?: string;
        /**
         * Only transactions with this amount or more, fees included
         */
        amountFrom?: string;
        /**
         * Only transactions with this amount or less, fees included
         */
        amountTo?: string;
        /**
         * Only transactions with exactly this reference
         */
        reference?: string;
        /**
         * Only transactions created then or later
         */
        from?: string;
        /**
         * Only transactions created before
         */
        to?: string;
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
        /**
         * The number of results on a page
         */
        limit?: number;
        /**
         * Only payouts to a recipient with this text in the name, in any case
         */
        search?: string;
        /**
         * Only transactions with this text in the email address of the recipient or of the entity, in any case
         */
        email?: string;
        /**
         * Only accounts with an account or card number that ends in these digits
         */
        last4?: string;
        /**
         * Only transactions of the end user with this externalIdentifier
         */
        externalId?: string;
      };
      answer: ListTransactionsAnswer;
    };
    /**
     * Shows a transaction of the business
     */
    "GET /v1/transactions/{id}": {
      input: {
        /**
         * The id of the transaction
         */
        id: string;
      };
      answer: GetTransactionAnswer;
    };
    /**
     * Shows the history of a transaction
     */
    "GET /v1/transactions/{id}/timeline": {
      input: {
        /**
         * The id of the transaction
         */
        id: string;
      };
      answer: GetTransactionTimelineAnswer;
    };
    /**
     * Cancels a payout that is still pending
     */
    "POST /v1/transactions/{id}/cancel": {
      input: {
        /**
         * The id of the transaction
         */
        id: string;
      };
      answer: CancelTransactionAnswer;
    };
    /**
     * Shows the body of a payout's webhook for its current state
     */
    "GET /v1/transactions/{transactionId}/webhook-payload": {
      input: {
        /**
         * The id of the transaction
         */
        transactionId: string;
      };
      answer: GetWebhookPayloadAnswer;
    };
    /**
     * Shows the statistics of a business by day
     */
    "GET /v1/business/{businessId}/statistics": {
      input: {
        /**
         * Only what was created then or later; by default 30 days before `to`
         */
        from?: string;
        /**
         * Only what was created before, at most 92 days after `from`; by default the end of today, in UTC
         */
        to?: string;
        /**
         * Only this currency
         */
        currency?: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
      };
      answer: GetStatisticsAnswer;
    };
    /**
     * Reports the money of a business in a period, with every movement
     */
    "GET /v1/business/{businessId}/reports/balance": {
      input: {
        /**
         * The currency
         */
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        /**
         * The start of the period, inclusive
         */
        from: string;
        /**
         * The end of the period, exclusive
         */
        to: string;
        /**
         * Only this wallet or collection account, which may be an end user's
         */
        walletId?: string;
        /**
         * The form of the answer
         */
        format?: "json" | "csv";
      };
      answer: GetBalanceReportAnswer;
    };
    /**
     * Shows the sums of the money of a business and of its end users by currency, all at one moment
     */
    "GET /v1/business/{businessId}/balances": {
      input: {};
      answer: ListBalancesAnswer;
    };
    /**
     * Creates a payment link
     */
    "POST /v1/ext/collections/payment-link": {
      input: PaymentLinkRequest;
      answer: CreatePaymentLinkAnswer;
    };
    /**
     * Lists the payment links of a business, each in short
     */
    "GET /v1/business/{businessId}/payment-links": {
      input: {
        /**
         * Only links with this text in their name, orderId or externalId, in any case
         */
        search?: string;
        /**
         * The page, from 1
         */
        page?: number;
        /**
         * The number of results on a page
         */
        limit?: number;
        /**
         * Which results come first: with `oldest` the list pages by number, with `newest` by `cursor`
         */
        order?: "oldest" | "newest";
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
      };
      answer: ListPaymentLinksAnswer;
    };
    /**
     * Shows a payment link
     */
    "GET /v1/business/{businessId}/payment-links/{id}": {
      input: {
        /**
         * The id of the payment link
         */
        id: string;
      };
      answer: GetPaymentLinkAnswer;
    };
    /**
     * Disables a payment link
     */
    "POST /v1/business/{businessId}/payment-links/{id}/disable": {
      input: {
        /**
         * The id of the payment link
         */
        id: string;
      };
      answer: DisablePaymentLinkAnswer;
    };
    /**
     * Shows a payment link to a customer, in any status
     */
    "GET /v1/checkout/{token}": {
      input: {
        /**
         * The secret in the URL of the payment link
         */
        token: string;
      };
      answer: GetCheckoutAnswer;
    };
    /**
     * Charges a customer once
     */
    "POST /v1/checkout/{token}/payments": {
      input: {
        /**
         * The secret in the URL of the payment link
         */
        token: string;
      } & CheckoutPaymentRequest;
      answer: CreateCheckoutPaymentAnswer;
    };
    /**
     * Shows a payment to a customer
     */
    "GET /v1/checkout/{token}/payments/{id}": {
      input: {
        /**
         * The secret in the URL of the payment link
         */
        token: string;
        /**
         * The id of the payment
         */
        id: string;
      };
      answer: GetCheckoutPaymentAnswer;
    };
    /**
     * Tells the outcome of a payment that its customer had to confirm with the card's issuer
     */
    "POST /v1/checkout/{token}/payments/{id}/continue": {
      input: {
        /**
         * The secret in the URL of the payment link
         */
        token: string;
        /**
         * The id of the payment
         */
        id: string;
      };
      answer: ContinueCheckoutPaymentAnswer;
    };
    /**
     * Tells what a request to pay or to set up has made, by its Idempotency-Key
     */
    "GET /v1/checkout/{token}/attempts/{key}": {
      input: {
        /**
         * The secret in the URL of the payment link
         */
        token: string;
        /**
         * The Idempotency-Key of the request, which cannot be guessed
         */
        key: string;
      };
      answer: GetCheckoutAttemptAnswer;
    };
    /**
     * Saves a customer's card and starts the subscription
     */
    "POST /v1/checkout/{token}/setup": {
      input: {
        /**
         * The secret in the URL of the payment link
         */
        token: string;
      } & CheckoutSetupRequest;
      answer: CreateCheckoutSetupAnswer;
    };
    /**
     * Stores a card and returns its token
     */
    "POST /v1/sandbox/card-tokens": {
      input: CardTokenRequest;
      answer: CreateCardTokenAnswer;
    };
    /**
     * Takes a webhook of an acquirer, whose module checks its signature
     */
    "POST /v1/acquirers/{acquirer}/notifications": {
      input: {
        /**
         * The acquirer's name
         */
        acquirer: string;
      };
      answer: NotifyOfAcquirerAnswer;
    };
    /**
     * Lists the payments of a business
     */
    "GET /v1/business/{businessId}/payments": {
      input: {
        /**
         * Only payments of this payment link
         */
        paymentLinkId?: string;
        /**
         * Only payments of this subscription
         */
        subscriptionId?: string;
        /**
         * Only payments in this status
         */
        status?: "PENDING" | "SUCCEEDED" | "FAILED";
        /**
         * Only payments created then or later
         */
        from?: string;
        /**
         * Only payments created before
         */
        to?: string;
        /**
         * The page, from 1
         */
        page?: number;
        /**
         * The number of results on a page
         */
        limit?: number;
        /**
         * Which results come first: with `oldest` the list pages by number, with `newest` by `cursor`
         */
        order?: "oldest" | "newest";
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
      };
      answer: ListPaymentsAnswer;
    };
    /**
     * Shows a payment
     */
    "GET /v1/business/{businessId}/payments/{id}": {
      input: {
        /**
         * The id of the payment
         */
        id: string;
      };
      answer: GetPaymentAnswer;
    };
    /**
     * Refunds a payment, in full or in part
     */
    "POST /v1/business/{businessId}/payments/{id}/refunds": {
      input: {
        /**
         * The id of the payment
         */
        id: string;
      } & RefundPaymentRequest;
      answer: RefundPaymentAnswer;
    };
    /**
     * Lists the refunds of a payment
     */
    "GET /v1/business/{businessId}/payments/{id}/refunds": {
      input: {
        /**
         * The id of the payment
         */
        id: string;
        /**
         * The page, from 1
         */
        page?: number;
        /**
         * The number of results on a page
         */
        limit?: number;
        /**
         * Which results come first: with `oldest` the list pages by number, with `newest` by `cursor`
         */
        order?: "oldest" | "newest";
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
      };
      answer: ListRefundsAnswer;
    };
    /**
     * Lists the subscriptions of a business
     */
    "GET /v1/business/{businessId}/subscriptions": {
      input: {
        /**
         * Only subscriptions of this payment link
         */
        paymentLinkId?: string;
        /**
         * Only subscriptions in this status
         */
        status?: "trialing" | "active" | "past_due" | "cancelled";
        /**
         * The page, from 1
         */
        page?: number;
        /**
         * The number of results on a page
         */
        limit?: number;
        /**
         * Which results come first: with `oldest` the list pages by number, with `newest` by `cursor`
         */
        order?: "oldest" | "newest";
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
      };
      answer: ListSubscriptionsAnswer;
    };
    /**
     * Shows a subscription
     */
    "GET /v1/business/{businessId}/subscriptions/{id}": {
      input: {
        /**
         * The id of the subscription
         */
        id: string;
      };
      answer: GetSubscriptionAnswer;
    };
    /**
     * Lists the invoices of a subscription
     */
    "GET /v1/business/{businessId}/subscriptions/{id}/invoices": {
      input: {
        /**
         * The id of the subscription
         */
        id: string;
        /**
         * The page, from 1
         */
        page?: number;
        /**
         * The number of results on a page
         */
        limit?: number;
        /**
         * Which results come first: with `oldest` the list pages by number, with `newest` by `cursor`
         */
        order?: "oldest" | "newest";
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
      };
      answer: ListInvoicesAnswer;
    };
    /**
     * Shows an invoice of a subscription
     */
    "GET /v1/business/{businessId}/subscriptions/{id}/invoices/{invoiceId}": {
      input: {
        /**
         * The id of the subscription
         */
        id: string;
        /**
         * The id of the invoice
         */
        invoiceId: string;
      };
      answer: GetInvoiceAnswer;
    };
    /**
     * Shows the next invoice of a subscription, computed from the current data
     */
    "GET /v1/business/{businessId}/subscriptions/{id}/preview": {
      input: {
        /**
         * The id of the subscription
         */
        id: string;
      };
      answer: PreviewInvoiceAnswer;
    };
    /**
     * Records usage of a subscription that is billed by usage
     */
    "POST /v1/business/{businessId}/subscriptions/{id}/usage": {
      input: {
        /**
         * The id of the subscription
         */
        id: string;
      } & RecordUsageRequest;
      answer: RecordUsageAnswer;
    };
    /**
     * Lists the usage of a subscription, newest first
     */
    "GET /v1/business/{businessId}/subscriptions/{id}/usage": {
      input: {
        /**
         * The id of the subscription
         */
        id: string;
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
        /**
         * The number of results on a page
         */
        limit?: number;
      };
      answer: ListUsageAnswer;
    };
    /**
     * Sets the number of seats of a subscription that is billed by seats
     */
    "POST /v1/business/{businessId}/subscriptions/{id}/seats": {
      input: {
        /**
         * The id of the subscription
         */
        id: string;
      } & SetSeatsRequest;
      answer: SetSeatsAnswer;
    };
    /**
     * Cancels a subscription, now or with the end of its period
     */
    "POST /v1/business/{businessId}/subscriptions/{id}/cancel": {
      input: {
        /**
         * The id of the subscription
         */
        id: string;
      } & CancelSubscriptionRequest;
      answer: CancelSubscriptionAnswer;
    };
    /**
     * Makes a link with which the customer saves another card
     */
    "POST /v1/business/{businessId}/subscriptions/{id}/payment-method-link": {
      input: {
        /**
         * The id of the subscription
         */
        id: string;
      };
      answer: CreatePaymentMethodLinkAnswer;
    };
    /**
     * Sets the clock of a business's billing
     */
    "POST /v1/business/{businessId}/test-clock": {
      input: SetTestClockRequest;
      answer: SetTestClockAnswer;
    };
    /**
     * Registers a webhook endpoint
     */
    "POST /v1/business/{businessId}/webhooks": {
      input: WebhookRequest;
      answer: CreateWebhookAnswer;
    };
    /**
     * Lists the webhook endpoints of a business, including those of its payment links
     */
    "GET /v1/business/{businessId}/webhooks": {
      input: {
        /**
         * The page, from 1
         */
        page?: number;
        /**
         * The number of results on a page
         */
        limit?: number;
        /**
         * Which results come first: with `oldest` the list pages by number, with `newest` by `cursor`
         */
        order?: "oldest" | "newest";
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
      };
      answer: ListWebhooksAnswer;
    };
    /**
     * Shows a webhook endpoint
     */
    "GET /v1/business/{businessId}/webhooks/{id}": {
      input: {
        /**
         * The id of the webhook endpoint
         */
        id: string;
      };
      answer: GetWebhookAnswer;
    };
    /**
     * Changes a webhook endpoint
     */
    "PATCH /v1/business/{businessId}/webhooks/{id}": {
      input: {
        /**
         * The id of the webhook endpoint
         */
        id: string;
      } & UpdateWebhookRequest;
      answer: UpdateWebhookAnswer;
    };
    /**
     * Deletes a webhook endpoint
     */
    "DELETE /v1/business/{businessId}/webhooks/{id}": {
      input: {
        /**
         * The id of the webhook endpoint
         */
        id: string;
      };
      answer: DeleteWebhookAnswer;
    };
    /**
     * Gives a webhook endpoint another secret
     */
    "POST /v1/business/{businessId}/webhooks/{id}/rotate-secret": {
      input: {
        /**
         * The id of the webhook endpoint
         */
        id: string;
      };
      answer: RotateWebhookSecretAnswer;
    };
    /**
     * Sends a test event to a webhook endpoint
     */
    "POST /v1/business/{businessId}/webhooks/{id}/test": {
      input: {
        /**
         * The id of the webhook endpoint
         */
        id: string;
      };
      answer: TestWebhookAnswer;
    };
    /**
     * Sends deliveries of a webhook endpoint again
     */
    "POST /v1/business/{businessId}/webhooks/{id}/replay": {
      input: {
        /**
         * The id of the webhook endpoint
         */
        id: string;
      } & ReplayDeliveriesRequest;
      answer: ReplayDeliveriesAnswer;
    };
    /**
     * Lists the events of a business, oldest first, with or without endpoints that get them
     */
    "GET /v1/business/{businessId}/events": {
      input: {
        /**
         * Only events of that time or later
         */
        since?: string;
        /**
         * Only events of this type
         */
        eventType?:
          | "WITHDRAWAL"
          | "COLLECTION"
          | "NOTIFICATION"
          | "REFUND"
          | "SUBSCRIPTION"
          | "INVOICE"
          | "FUNDING"
          | "ADJUSTMENT"
          | "TRANSFER"
          | "BALANCE"
          | "ENDPOINT"
          | "TEST"
          | "LEDGER";
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
        /**
         * The number of results on a page
         */
        limit?: number;
      };
      answer: ListEventsAnswer;
    };
    /**
     * Shows an event
     */
    "GET /v1/business/{businessId}/events/{eventId}": {
      input: {
        /**
         * The id of the event
         */
        eventId: string;
      };
      answer: GetEventAnswer;
    };
    /**
     * Lists the deliveries to a webhook endpoint, newest first
     */
    "GET /v1/business/{businessId}/webhooks/{id}/deliveries": {
      input: {
        /**
         * The id of the webhook endpoint
         */
        id: string;
        /**
         * Only deliveries in this status
         */
        status?: "PENDING" | "DELIVERED" | "DEAD_LETTER";
        /**
         * Only deliveries of events of this type
         */
        eventType?:
          | "WITHDRAWAL"
          | "COLLECTION"
          | "NOTIFICATION"
          | "REFUND"
          | "SUBSCRIPTION"
          | "INVOICE"
          | "FUNDING"
          | "ADJUSTMENT"
          | "TRANSFER"
          | "BALANCE"
          | "ENDPOINT"
          | "TEST"
          | "LEDGER";
        /**
         * Only deliveries of events of this transaction
         */
        transactionId?: string;
        /**
         * Only deliveries created then or later
         */
        since?: string;
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
        /**
         * The number of results on a page
         */
        limit?: number;
      };
      answer: ListDeliveriesAnswer;
    };
    /**
     * Shows a delivery with every stored attempt
     */
    "GET /v1/business/{businessId}/webhooks/{id}/deliveries/{deliveryId}": {
      input: {
        /**
         * The id of the webhook endpoint
         */
        id: string;
        /**
         * The id of the delivery
         */
        deliveryId: string;
      };
      answer: GetDeliveryAnswer;
    };
    /**
     * Sends a delivery again, in any status
     */
    "POST /v1/business/{businessId}/webhooks/{id}/deliveries/{deliveryId}/replay": {
      input: {
        /**
         * The id of the webhook endpoint
         */
        id: string;
        /**
         * The id of the delivery
         */
        deliveryId: string;
      };
      answer: ReplayDeliveryAnswer;
    };
    /**
     * Lists what needs attention, of all businesses
     */
    "GET /v1/admin/attention": {
      input: {
        /**
         * Only things of this kind
         */
        kind?: "payout" | "payment" | "refund" | "subscription" | "webhook" | "delivery";
        /**
         * Why they are in the list: flagged for a decision; not flagged, but with an unknown outcome; or with a next step that has been due for more than five minutes
         */
        state?: "flagged" | "unknown" | "overdue";
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
        /**
         * The number of results on a page
         */
        limit?: number;
      };
      answer: ListAttentionAnswer;
    };
    /**
     * Lists the transactions of a business, newest first
     */
    "GET /v1/admin/businesses/{businessId}/transactions": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
        /**
         * Only transactions in this status
         */
        status?: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
        /**
         * Only transactions of this end user, or of the business itself
         */
        entityId?: string;
        /**
         * Only transactions of this flow
         */
        flow?: "FUNDING" | "WITHDRAWAL" | "PAYMENT" | "PAYOUT" | "COLLECTION" | "REFUND" | "TRANSFER" | "ADJUSTMENT";
        /**
         * Only transactions that wait for an operator's decision, or only the others
         */
        needsAttention?: boolean;
        /**
         * Only payouts to this linked account
         */
        linkedAccountId?: string;
        /**
         * Only transactions with this amount or more, fees included
         */
        amountFrom?: string;
        /**
         * Only transactions with this amount or less, fees included
         */
        amountTo?: string;
        /**
         * Only transactions with exactly this reference
         */
        reference?: string;
        /**
         * Only transactions created then or later
         */
        from?: string;
        /**
         * Only transactions created before
         */
        to?: string;
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
        /**
         * The number of results on a page
         */
        limit?: number;
        /**
         * Only payouts to a recipient with this text in the name, in any case
         */
        search?: string;
        /**
         * Only transactions with this text in the email address of the recipient or of the entity, in any case
         */
        email?: string;
        /**
         * Only accounts with an account or card number that ends in these digits
         */
        last4?: string;
        /**
         * Only transactions of the end user with this externalIdentifier
         */
        externalId?: string;
      };
      answer: ListTransactionsAsAdminAnswer;
    };
    /**
     * Shows a transaction of a business
     */
    "GET /v1/admin/businesses/{businessId}/transactions/{id}": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
        /**
         * The id of the transaction
         */
        id: string;
      };
      answer: GetTransactionAsAdminAnswer;
    };
    /**
     * Shows the history of a transaction of a business
     */
    "GET /v1/admin/businesses/{businessId}/transactions/{id}/timeline": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
        /**
         * The id of the transaction
         */
        id: string;
      };
      answer: GetTransactionTimelineAsAdminAnswer;
    };
    /**
     * Cancels a payout that is still pending
     */
    "POST /v1/admin/businesses/{businessId}/transactions/{id}/cancel": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
        /**
         * The id of the transaction
         */
        id: string;
      } & CancelTransactionAsAdminRequest;
      answer: CancelTransactionAsAdminAnswer;
    };
    /**
     * Makes the next step of a payout, a payment or a refund due now
     */
    "POST /v1/admin/transactions/{id}/retry": {
      input: {
        /**
         * The id of the transaction
         */
        id: string;
      } & RetryTransactionRequest;
      answer: RetryTransactionAnswer;
    };
    /**
     * Lists the payouts of all businesses that the screening holds for a review, oldest first
     */
    "GET /v1/admin/reviews": {
      input: {
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
        /**
         * The number of results on a page
         */
        limit?: number;
      };
      answer: ListReviewsAnswer;
    };
    /**
     * Decides about a payout that the screening holds
     */
    "POST /v1/admin/transactions/{id}/review": {
      input: {
        /**
         * The id of the transaction
         */
        id: string;
      } & ReviewTransactionRequest;
      answer: ReviewTransactionAnswer;
    };
    /**
     * Ends a payout, a payment or a refund that needs attention
     */
    "POST /v1/admin/transactions/{id}/resolve": {
      input: {
        /**
         * The id of the transaction
         */
        id: string;
      } & ResolveTransactionRequest;
      answer: ResolveTransactionAnswer;
    };
    /**
     * Shows the limits that operators have set for a business
     */
    "GET /v1/admin/businesses/{businessId}/limits": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
      };
      answer: GetLimitsAsAdminAnswer;
    };
    /**
     * Sets limits of what is paid out, in place of the earlier ones
     */
    "PUT /v1/admin/businesses/{businessId}/limits": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
      } & SetLimitsAsAdminRequest;
      answer: SetLimitsAsAdminAnswer;
    };
    /**
     * Shows all limits of what a business or an end user can pay out, with what is left of each
     */
    "GET /v1/admin/businesses/{businessId}/withdrawal-limits": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
        /**
         * The end user; the business itself if left out
         */
        entityId?: string;
      };
      answer: ListWithdrawalLimitsAsAdminAnswer;
    };
    /**
     * Shows what a business may do
     */
    "GET /v1/admin/businesses/{businessId}/controls": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
      };
      answer: GetControlsAnswer;
    };
    /**
     * Says what a business may do
     */
    "PUT /v1/admin/businesses/{businessId}/controls": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
      } & SetControlsRequest;
      answer: SetControlsAnswer;
    };
    /**
     * Freezes a wallet, or lifts the freeze
     */
    "PUT /v1/admin/businesses/{businessId}/wallets/{walletId}/freeze": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
        /**
         * The id of the wallet
         */
        walletId: string;
      } & FreezeWalletRequest;
      answer: FreezeWalletAnswer;
    };
    /**
     * Freezes an end user, or lifts the freeze
     */
    "PUT /v1/admin/businesses/{businessId}/entities/{entityId}/freeze": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
        /**
         * The id of the end user
         */
        entityId: string;
      } & FreezeEntityRequest;
      answer: FreezeEntityAnswer;
    };
    /**
     * Credits a wallet from outside
     */
    "POST /v1/admin/businesses/{businessId}/wallets/{walletId}/fundings": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
        /**
         * The id of the wallet
         */
        walletId: string;
      } & FundWalletAsAdminRequest;
      answer: FundWalletAsAdminAnswer;
    };
    /**
     * Corrects the balance of a wallet
     */
    "POST /v1/admin/businesses/{businessId}/wallets/{walletId}/adjustments": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
        /**
         * The id of the wallet
         */
        walletId: string;
      } & AdjustWalletAsAdminRequest;
      answer: AdjustWalletAsAdminAnswer;
    };
    /**
     * Releases the subscriptions that are held after a restore, of one business or of all
     */
    "POST /v1/admin/billing/release": {
      input: ReleaseBillingRequest;
      answer: ReleaseBillingAnswer;
    };
    /**
     * Lists the webhook endpoints of a business, including those of its payment links
     */
    "GET /v1/admin/businesses/{businessId}/webhooks": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
        /**
         * The page, from 1
         */
        page?: number;
        /**
         * The number of results on a page
         */
        limit?: number;
        /**
         * Which results come first: with `oldest` the list pages by number, with `newest` by `cursor`
         */
        order?: "oldest" | "newest";
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
      };
      answer: ListWebhooksAsAdminAnswer;
    };
    /**
     * Shows a webhook endpoint
     */
    "GET /v1/admin/businesses/{businessId}/webhooks/{id}": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
        /**
         * The id of the webhook endpoint
         */
        id: string;
      };
      answer: GetWebhookAsAdminAnswer;
    };
    /**
     * Lists the deliveries to a webhook endpoint, newest first
     */
    "GET /v1/admin/businesses/{businessId}/webhooks/{id}/deliveries": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
        /**
         * The id of the webhook endpoint
         */
        id: string;
        /**
         * Only deliveries in this status
         */
        status?: "PENDING" | "DELIVERED" | "DEAD_LETTER";
        /**
         * Only deliveries of events of this type
         */
        eventType?:
          | "WITHDRAWAL"
          | "COLLECTION"
          | "NOTIFICATION"
          | "REFUND"
          | "SUBSCRIPTION"
          | "INVOICE"
          | "FUNDING"
          | "ADJUSTMENT"
          | "TRANSFER"
          | "BALANCE"
          | "ENDPOINT"
          | "TEST"
          | "LEDGER";
        /**
         * Only deliveries of events of this transaction
         */
        transactionId?: string;
        /**
         * Only deliveries created then or later
         */
        since?: string;
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
        /**
         * The number of results on a page
         */
        limit?: number;
      };
      answer: ListDeliveriesAsAdminAnswer;
    };
    /**
     * Shows a delivery with every stored attempt
     */
    "GET /v1/admin/businesses/{businessId}/webhooks/{id}/deliveries/{deliveryId}": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
        /**
         * The id of the webhook endpoint
         */
        id: string;
        /**
         * The id of the delivery
         */
        deliveryId: string;
      };
      answer: GetDeliveryAsAdminAnswer;
    };
    /**
     * Shows an event
     */
    "GET /v1/admin/businesses/{businessId}/events/{eventId}": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
        /**
         * The id of the event
         */
        eventId: string;
      };
      answer: GetEventAsAdminAnswer;
    };
    /**
     * Enables a webhook endpoint
     */
    "POST /v1/admin/businesses/{businessId}/webhooks/{id}/enable": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
        /**
         * The id of the webhook endpoint
         */
        id: string;
      } & EnableWebhookAsAdminRequest;
      answer: EnableWebhookAsAdminAnswer;
    };
    /**
     * Sends deliveries of a webhook endpoint again
     */
    "POST /v1/admin/businesses/{businessId}/webhooks/{id}/replay": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
        /**
         * The id of the webhook endpoint
         */
        id: string;
      } & ReplayDeliveriesAsAdminRequest;
      answer: ReplayDeliveriesAsAdminAnswer;
    };
    /**
     * Sends a delivery again, in any status
     */
    "POST /v1/admin/businesses/{businessId}/webhooks/{id}/deliveries/{deliveryId}/replay": {
      input: {
        /**
         * The id of the business
         */
        businessId: string;
        /**
         * The id of the webhook endpoint
         */
        id: string;
        /**
         * The id of the delivery
         */
        deliveryId: string;
      } & ReplayDeliveryAsAdminRequest;
      answer: ReplayDeliveryAsAdminAnswer;
    };
    /**
     * Lists the changes that operators have made, and their readings of whole account numbers, newest first
     */
    "GET /v1/admin/audit-log": {
      input: {
        /**
         * Only changes with this business in their path
         */
        businessId?: string;
        /**
         * Only changes of the thing with this id
         */
        subjectId?: string;
        /**
         * Only changes by the operator with this id
         */
        by?: string;
        /**
         * The nextCursor of the page before; left out for the first page
         */
        cursor?: string;
        /**
         * The number of results on a page
         */
        limit?: number;
      };
      answer: ListAuditLogAnswer;
    };
    /**
     * Lists the configured rails and acquirers with their answers of the last hour
     */
    "GET /v1/admin/partners": {
      input: {};
      answer: ListPartnersAnswer;
    };
    /**
     * Shows where the money is now, by currency, and whether all of it sums to zero
     */
    "GET /v1/admin/books": {
      input: {};
      answer: GetBooksAnswer;
    };
    /**
     * Shows the statistics of all businesses by day, as those of one business
     */
    "GET /v1/admin/statistics": {
      input: {
        /**
         * Only what was created then or later; by default 30 days before `to`
         */
        from?: string;
        /**
         * Only what was created before, at most 92 days after `from`; by default the end of today, in UTC
         */
        to?: string;
        /**
         * Only this currency
         */
        currency?: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
      };
      answer: GetStatisticsOfAllAnswer;
    };
    /**
     * Finds things of all businesses by an id, an email or a reference, newest first
     */
    "GET /v1/admin/find": {
      input: {
        /**
         * The whole id, email (in any case) or reference
         */
        q: string;
      };
      answer: FindAnswer;
    };
    /**
     * Finds a business, an end user or a thing of theirs by its id, over all businesses
     */
    "GET /v1/admin/find/{id}": {
      input: {
        /**
         * The id
         */
        id: string;
      };
      answer: FindByIdAnswer;
    };
    /**
     * Shows the last recorded verification of the books
     */
    "GET /v1/admin/verification": {
      input: {};
      answer: GetVerificationAnswer;
    };
    /**
     * Makes a signed head of the ledger
     */
    "GET /v1/admin/ledger-head": {
      input: {};
      answer: GetWholeLedgerHeadAnswer;
    };
  };
  errorCode:
    | "amount_not_the_tokens"
    | "api_client_not_found"
    | "application_token_invalid"
    | "application_token_not_found"
    | "attempt_not_found"
    | "balance_limit_exceeded"
    | "body_too_large"
    | "business_frozen"
    | "business_lookup_failed"
    | "business_not_found"
    | "collection_account_not_found"
    | "collections_paused"
    | "delivery_not_found"
    | "duplicate_account"
    | "duplicate_external_id"
    | "entity_frozen"
    | "entity_not_found"
    | "erasure_refused"
    | "erasure_running"
    | "event_not_found"
    | "idempotency_key_in_use"
    | "idempotency_key_reused"
    | "insufficient_funds"
    | "internal_error"
    | "invoice_limit_exceeded"
    | "invoice_not_found"
    | "limit_exceeded"
    | "linked_account_not_found"
    | "linked_account_not_yours"
    | "no_collection_account"
    | "no_next_invoice"
    | "not_a_withdrawal"
    | "not_billed_by_seats"
    | "not_billed_by_usage"
    | "not_configured"
    | "not_found"
    | "not_refundable"
    | "payment_link_busy"
    | "payment_link_not_found"
    | "payment_link_not_payable"
    | "payment_link_used_recently"
    | "payment_not_found"
    | "payment_outcome_unknown"
    | "payout_not_cancellable"
    | "payouts_paused"
    | "rate_limited"
    | "reference_reused"
    | "search_too_broad"
    | "service_unavailable"
    | "setup_outcome_unknown"
    | "subscription_cancelled"
    | "subscription_not_found"
    | "too_many_seat_changes"
    | "transaction_not_found"
    | "transaction_not_in_review"
    | "transaction_not_resolvable"
    | "transaction_not_retryable"
    | "transfer_not_found"
    | "unauthorized"
    | "unsupported_media_type"
    | "usage_not_accepted"
    | "validation_failed"
    | "wallet_disabled"
    | "wallet_frozen"
    | "wallet_not_found"
    | "webhook_disabled"
    | "webhook_not_found"
    | "webhook_replay_running"
    | "withdrawal_outcome_unknown";
  event:
    | WithdrawalEvent
    | CollectionEvent
    | NotificationEvent
    | RefundEvent
    | SubscriptionEvent
    | InvoiceEvent
    | FundingEvent
    | AdjustmentEvent
    | WalletTransferEvent
    | BalanceEvent
    | EndpointEvent
    | TestEvent
    | LedgerEvent;
}
/**
 * The body of createBusiness
 */
export interface BusinessRequest {
  /**
   * The name of the business
   */
  name: string;
  /**
   * Where the business is reached
   */
  email: string;
}
/**
 * The answer of createBusiness
 */
export interface CreateBusinessAnswer {
  /**
   * Always true
   */
  success: true;
  data: BusinessWithClient;
}
/**
 * A new business with its first API client
 */
export interface BusinessWithClient {
  /**
   * The businessId
   */
  id: string;
  /**
   * The name of the business
   */
  name: string;
  /**
   * Where the business is reached
   */
  email: string;
  /**
   * The client_id of its first API client
   */
  clientId: string;
  /**
   * The client_secret; shown only once
   */
  clientSecret: string;
  /**
   * When it was created
   */
  createdAt: string;
}
/**
 * The answer of listBusinesses
 */
export interface ListBusinessesAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: Business[];
  meta: ListMeta;
}
/**
 * A business
 */
export interface Business {
  /**
   * The businessId
   */
  id: string;
  /**
   * The name of the business
   */
  name: string;
  /**
   * Where the business is reached
   */
  email: string;
  /**
   * When it was created
   */
  createdAt: string;
}
/**
 * Where the page is in its list
 */
export interface PageMeta {
  /**
   * The page
   */
  page: number;
  /**
   * The greatest number of results on a page
   */
  pageSize: number;
  /**
   * The number of pages
   */
  pageCount: number;
  /**
   * The number of results on all pages
   */
  total: number;
}
/**
 * How to get the next page
 */
export interface CursorMeta {
  /**
   * The cursor of the next page; null on the last page
   */
  nextCursor: string | null;
}
/**
 * The answer of getBusinessAsAdmin
 */
export interface GetBusinessAsAdminAnswer {
  /**
   * Always true
   */
  success: true;
  data: Business;
}
/**
 * The answer of listEntitiesAsAdmin
 */
export interface ListEntitiesAsAdminAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: Entity[];
  meta: ListMeta;
}
/**
 * An end user, or the business itself
 */
export interface Entity {
  /**
   * The entityId
   */
  id: string;
  /**
   * Where the end user is reached
   */
  email: string;
  /**
   * The id that the end user has in your system
   */
  externalIdentifier: string | null;
  /**
   * An end user, or the business itself
   */
  entityType: "USER" | "BUSINESS";
  /**
   * Whether an operator has frozen it, so that nothing is paid out to it
   */
  frozen?: boolean;
  /**
   * When it was created
   */
  createdAt: string;
  /**
   * When its personal data was erased; else left out
   */
  erasedAt?: string;
}
/**
 * The answer of getEntityAsAdmin
 */
export interface GetEntityAsAdminAnswer {
  /**
   * Always true
   */
  success: true;
  data: Entity;
}
/**
 * The answer of listWalletsAsAdmin
 */
export interface ListWalletsAsAdminAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: Wallet[];
  meta: ListMeta;
}
/**
 * A wallet
 */
export interface Wallet {
  /**
   * The id of the wallet
   */
  id: string;
  /**
   * The business that it belongs to
   */
  businessId: string;
  /**
   * Its owner: an end user, or the business itself
   */
  entityId: string;
  currency: Currency;
  /**
   * The type of the wallet
   */
  type: "SPEND";
  /**
   * The balance. A decimal string with two places
   */
  balance: string;
  /**
   * Whether it is disabled, so that it cannot be debited
   */
  disabled: boolean;
  /**
   * Whether an operator has frozen it, so that nothing is paid out of it
   */
  frozen?: boolean;
  /**
   * The balance below which you are told by an event; null if you are not. A decimal string with two places
   */
  lowBalanceAt?: string | null;
  /**
   * When it was created
   */
  createdAt: string;
}
/**
 * The body of createApiClientAsAdmin
 */
export interface ApiClientRequest {
  /**
   * Distinguishes it from the business's other clients
   */
  name?: string;
  /**
   * Allowed scopes of its tokens; external.apis, which implies all, by default
   *
   * @maxItems 9
   */
  scopes?: (
    | "external.apis"
    | "wallets"
    | "transfers"
    | "payouts"
    | "linked-accounts"
    | "payment-links"
    | "refunds"
    | "subscriptions"
    | "webhooks"
  )[];
  /**
   * The IPv4 and IPv6 ranges (CIDR) from which the client and its tokens, its end users' too, may be used; an empty list allows any address
   *
   * @maxItems 50
   */
  allowedAddresses?: string[];
}
/**
 * The answer of createApiClientAsAdmin
 */
export interface CreateApiClientAsAdminAnswer {
  /**
   * Always true
   */
  success: true;
  data: ApiClientWithSecret;
}
/**
 * The credentials of a server
 */
export interface ApiClientWithSecret {
  /**
   * The client_id
   */
  id: string;
  /**
   * Distinguishes it from the business's other clients
   */
  name: string | null;
  /**
   * Allowed scopes of its tokens
   *
   * @maxItems 9
   */
  scopes: (
    | "external.apis"
    | "wallets"
    | "transfers"
    | "payouts"
    | "linked-accounts"
    | "payment-links"
    | "refunds"
    | "subscriptions"
    | "webhooks"
  )[];
  /**
   * The IPv4 and IPv6 ranges (CIDR) from which the client and its tokens, its end users' too, may be used; an empty list allows any address
   *
   * @maxItems 50
   */
  allowedAddresses?: string[];
  /**
   * A disabled client gets no tokens, and its earlier tokens are refused
   */
  disabled: boolean;
  /**
   * When it was created
   */
  createdAt: string;
  /**
   * Time of the last rotation of its secret
   */
  rotatedAt: string | null;
  /**
   * The client_secret; shown only once
   */
  clientSecret: string;
}
/**
 * The answer of getBusiness
 */
export interface GetBusinessAnswer {
  /**
   * Always true
   */
  success: true;
  data: Business;
}
/**
 * The body of createEntity
 */
export interface EntityRequest {
  /**
   * Where the end user is reached
   */
  email: string;
  /**
   * The id that the end user has in your system
   */
  externalIdentifier?: string;
}
/**
 * The answer of createEntity
 */
export interface CreateEntityAnswer {
  /**
   * Always true
   */
  success: true;
  data: Entity;
}
/**
 * The answer of listEntities
 */
export interface ListEntitiesAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: Entity[];
  meta: ListMeta;
}
/**
 * The answer of getEntity
 */
export interface GetEntityAnswer {
  /**
   * Always true
   */
  success: true;
  data: Entity;
}
/**
 * The answer of exportEntity
 */
export interface ExportEntityAnswer {
  /**
   * Always true
   */
  success: true;
  data: ExportEntityAnswerData;
}
/**
 * The result
 */
export interface ExportEntityAnswerData {
  entity: Entity;
  /**
   * Its wallets
   *
   * @maxItems 1000
   */
  wallets: Wallet[];
  /**
   * Unlinked ones too
   *
   * @maxItems 1000
   */
  linkedAccounts: LinkedAccount[];
  /**
   * Newest first, with the payouts of the business to the end user
   *
   * @maxItems 1000
   */
  withdrawals: Transaction[];
  /**
   * Paid with this email, newest first
   *
   * @maxItems 100
   */
  payments: Payment[];
  /**
   * Subscribed with this email, newest first
   *
   * @maxItems 100
   */
  subscriptions: ExportedSubscription[];
  /**
   * Created with the end user's token
   *
   * @maxItems 100
   */
  paymentLinks: PaymentLink[];
  /**
   * The end users that have the email, if they are several and `sharedEmail` is not given: what was paid with it may be any of theirs, and is left out
   *
   * @maxItems 1000
   */
  emailSharedBy?: string[];
  /**
   * False if there is more than the lists hold: the ordinary lists have the rest
   */
  complete: boolean;
}
/**
 * A linked account in full: optionType is bank
 */
export interface BankLinkedAccount {
  /**
   * The linkedAccountId of withdrawals
   */
  id: string;
  currency: Currency;
  /**
   * The type of the account
   */
  optionType: "bank";
  /**
   * Name of the holder
   */
  counterPartyName: string;
  /**
   * Email address of the holder
   */
  counterPartyEmail: string;
  /**
   * Email address that is shown to the public instead
   */
  counterPublicPartyEmail: string | null;
  /**
   * When it was created
   */
  createdAt: string;
  /**
   * Your name for the account
   */
  nickName: string | null;
  /**
   * When it last changed
   */
  updatedAt: string;
  /**
   * The account in short
   */
  account: BankLinkedAccountAccount | null;
  /**
   * The holder and the numbers of the account
   */
  recipientData: BankLinkedAccountRecipientData | null;
  wallet: LinkedAccountWallet;
  entity: LinkedAccountEntity;
  /**
   * The application token with which it was linked
   */
  application: LinkedAccountApplication | null;
}
/**
 * The account in short
 */
export interface BankLinkedAccountAccount {
  /**
   * Display name of the account
   */
  label: string | null;
  /**
   * The last four digits of the account or card number
   */
  lastFourDigits: string;
  /**
   * The routing number
   */
  routing: string;
  /**
   * Name of the bank
   */
  bankName: string;
  /**
   * The kind of bank account
   */
  accountType: string | null;
  /**
   * The network that the routing number belongs to
   */
  routingType: string;
}
/**
 * The holder and the numbers of the account
 */
export interface BankLinkedAccountRecipientData {
  /**
   * The id of the linked account
   */
  id: string;
  /**
   * The type of the account
   */
  type: "bank" | "card" | "international_bank" | "prepaid_card";
  /**
   * The same for the same account within a business
   */
  instrumentId: string;
  /**
   * Your name for the account; empty if unset
   */
  nickName: string;
  /**
   * First name of the holder
   */
  firstName: string;
  /**
   * Last name of the holder
   */
  lastName: string;
  /**
   * Name of the holder
   */
  name: string;
  /**
   * Email address of the holder
   */
  email: string;
  /**
   * Name of the bank
   */
  bankName: string;
  /**
   * The account number; the external view shows its last four
   */
  accountNumber: string;
  /**
   * The routing number; the external view shows its last four
   */
  routingNumber: string;
  /**
   * The network that the routing number belongs to
   */
  routingType: string;
  /**
   * Street and number of the recipient
   */
  recipientAddress: string;
  /**
   * City of the recipient
   */
  recipientCity: string;
  /**
   * State or region of the recipient
   */
  recipientState: string;
  /**
   * Postal code of the recipient
   */
  recipientPostalCode: string;
}
/**
 * The wallet that pays out to it
 */
export interface LinkedAccountWallet {
  /**
   * Its id
   */
  id: string;
  /**
   * The current balance. A decimal string with two places
   */
  balance: string;
  /**
   * Whether the wallet is disabled, so that it cannot be debited
   */
  disabled: boolean;
}
/**
 * The owner of the account
 */
export interface LinkedAccountEntity {
  /**
   * The entityId
   */
  id: string;
  /**
   * Where the end user is reached
   */
  email: string;
  /**
   * The id that the end user has in your system
   */
  externalIdentifier: string | null;
  /**
   * An end user, or the business itself
   */
  entityType: "USER" | "BUSINESS";
}
/**
 * The application token with which it was linked
 */
export interface LinkedAccountApplication {
  /**
   * Its id
   */
  id: string;
  /**
   * The token, masked to its last four
   */
  token: string;
  /**
   * The type of the token
   */
  tokenType: string;
  /**
   * When it expires
   */
  expiredAt: string;
  /**
   * Whether it can be used
   */
  valid: boolean;
}
/**
 * A linked account in full: optionType is international_bank
 */
export interface InternationalBankLinkedAccount {
  /**
   * The linkedAccountId of withdrawals
   */
  id: string;
  currency: Currency;
  /**
   * The type of the account
   */
  optionType: "international_bank";
  /**
   * Name of the holder
   */
  counterPartyName: string;
  /**
   * Email address of the holder
   */
  counterPartyEmail: string;
  /**
   * Email address that is shown to the public instead
   */
  counterPublicPartyEmail: string | null;
  /**
   * When it was created
   */
  createdAt: string;
  /**
   * Your name for the account
   */
  nickName: string | null;
  /**
   * When it last changed
   */
  updatedAt: string;
  /**
   * The account in short
   */
  account: InternationalBankLinkedAccountAccount | null;
  /**
   * The holder and the numbers of the account
   */
  recipientData: InternationalBankLinkedAccountRecipientData | null;
  wallet: LinkedAccountWallet;
  entity: LinkedAccountEntity;
  /**
   * The application token with which it was linked
   */
  application: LinkedAccountApplication | null;
}
/**
 * The account in short
 */
export interface InternationalBankLinkedAccountAccount {
  /**
   * Display name of the account
   */
  label: string | null;
  /**
   * The last four digits of the account or card number
   */
  lastFourDigits: string;
  /**
   * Name of the bank
   */
  bankName: string;
  /**
   * The BIC of the bank
   */
  swiftOrBic: string;
  /**
   * The country of the account
   */
  country: string;
  /**
   * The routing number, where the country has them
   */
  routingNumber: string | null;
}
/**
 * The holder and the numbers of the account
 */
export interface InternationalBankLinkedAccountRecipientData {
  /**
   * The id of the linked account
   */
  id: string;
  /**
   * The type of the account
   */
  type: "bank" | "card" | "international_bank" | "prepaid_card";
  /**
   * Whether the holder is a person or a business
   */
  recipientType: "personal" | "business";
  /**
   * First name of a person
   */
  firstName: string | null;
  /**
   * Last name of a person
   */
  lastName: string | null;
  /**
   * Name of the holder
   */
  name: string;
  /**
   * Email address of the holder
   */
  email: string;
  /**
   * The account number; the external view shows its last four
   */
  accountNumber: string;
  /**
   * The BIC of the bank
   */
  swiftOrBic: string;
  /**
   * Name of the bank
   */
  bankName: string;
  /**
   * Street and number of the recipient
   */
  recipientAddress: string;
  /**
   * City of the recipient
   */
  recipientCity: string;
  /**
   * State or region of the recipient
   */
  recipientState: string;
  /**
   * Postal code of the recipient
   */
  recipientPostalCode: string;
  /**
   * The country of the recipient, by ISO 3166-1 alpha-2
   */
  recipientCountry: string;
  /**
   * Your name for the account; empty if unset
   */
  nickName: string;
  /**
   * The name of the vault that holds the numbers
   */
  provider: string;
}
/**
 * A linked account in full: optionType is card
 */
export interface CardLinkedAccount {
  /**
   * The linkedAccountId of withdrawals
   */
  id: string;
  currency: Currency;
  /**
   * The type of the account
   */
  optionType: "card";
  /**
   * Name of the holder
   */
  counterPartyName: string;
  /**
   * Email address of the holder
   */
  counterPartyEmail: string;
  /**
   * Email address that is shown to the public instead
   */
  counterPublicPartyEmail: string | null;
  /**
   * When it was created
   */
  createdAt: string;
  /**
   * Your name for the account
   */
  nickName: string | null;
  /**
   * When it last changed
   */
  updatedAt: string;
  /**
   * The account in short
   */
  account: CardLinkedAccountAccount | null;
  /**
   * The holder and the numbers of the account
   */
  recipientData: CardLinkedAccountRecipientData | null;
  wallet: LinkedAccountWallet;
  entity: LinkedAccountEntity;
  /**
   * The application token with which it was linked
   */
  application: LinkedAccountApplication | null;
}
/**
 * The account in short
 */
export interface CardLinkedAccountAccount {
  /**
   * Display name of the account
   */
  label: string | null;
  /**
   * The last four digits of the account or card number
   */
  lastFourDigits: string;
  /**
   * The brand of the card
   */
  cardBrand: string;
  /**
   * The kind of card
   */
  cardType: string;
}
/**
 * The holder and the numbers of the account
 */
export interface CardLinkedAccountRecipientData {
  /**
   * The id of the linked account
   */
  id: string;
  /**
   * The type of the account
   */
  type: "bank" | "card" | "international_bank" | "prepaid_card";
  /**
   * Name of the cardholder
   */
  name: string;
  /**
   * Email address of the holder
   */
  email: string;
  /**
   * The name of the vault that holds the numbers
   */
  provider: string;
  /**
   * The same for the same owner within a business
   */
  identityId: string;
  /**
   * The token of the card in its vault
   */
  encryptedCardNumber: string;
  /**
   * The month in which the card expires
   */
  cardExpirationDate: string;
}
/**
 * A linked account in full: optionType is prepaid_card
 */
export interface PrepaidCardLinkedAccount {
  /**
   * The linkedAccountId of withdrawals
   */
  id: string;
  currency: Currency;
  /**
   * The type of the account
   */
  optionType: "prepaid_card";
  /**
   * Name of the holder
   */
  counterPartyName: string;
  /**
   * Email address of the holder
   */
  counterPartyEmail: string;
  /**
   * Email address that is shown to the public instead
   */
  counterPublicPartyEmail: string | null;
  /**
   * When it was created
   */
  createdAt: string;
  /**
   * Your name for the account
   */
  nickName: string | null;
  /**
   * When it last changed
   */
  updatedAt: string;
  /**
   * The account in short
   */
  account: PrepaidCardLinkedAccountAccount | null;
  /**
   * The holder and the numbers of the account
   */
  recipientData: PrepaidCardLinkedAccountRecipientData | null;
  wallet: LinkedAccountWallet;
  entity: LinkedAccountEntity;
  /**
   * The application token with which it was linked
   */
  application: LinkedAccountApplication | null;
}
/**
 * The account in short
 */
export interface PrepaidCardLinkedAccountAccount {
  /**
   * Display name of the account
   */
  label: string | null;
  /**
   * The last four digits of the account or card number
   */
  lastFourDigits: string;
  /**
   * The brand of the card
   */
  cardBrand: string;
  /**
   * The kind of card
   */
  cardType: string;
}
/**
 * The holder and the numbers of the account
 */
export interface PrepaidCardLinkedAccountRecipientData {
  /**
   * The id of the linked account
   */
  id: string;
  /**
   * The type of the account
   */
  type: "bank" | "card" | "international_bank" | "prepaid_card";
  /**
   * Name of the cardholder
   */
  name: string;
  /**
   * Email address of the holder
   */
  email: string;
  /**
   * The name of the vault that holds the numbers
   */
  provider: string;
  /**
   * The same for the same owner within a business
   */
  identityId: string;
  /**
   * The token of the card in its vault
   */
  encryptedCardNumber: string;
  /**
   * The month in which the card expires
   */
  cardExpirationDate: string;
}
/**
 * A transaction
 */
export interface Transaction {
  /**
   * The id of the transaction
   */
  id: string;
  /**
   * The kind of the transaction
   */
  flow: "FUNDING" | "WITHDRAWAL" | "PAYMENT" | "PAYOUT" | "COLLECTION" | "REFUND" | "TRANSFER" | "ADJUSTMENT";
  /**
   * The status of the transaction
   */
  status: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
  /**
   * What the wallet is debited or credited with, fees included. A decimal string with two places
   */
  amount: string;
  /**
   * The fees. A decimal string with two places
   */
  fees: string;
  currency: Currency;
  /**
   * How the money travels; null unless it is a payout
   */
  method: string | null;
  /**
   * The end user or business whose transaction it is
   */
  entityId: string;
  /**
   * The wallet or collection account that is debited or credited
   */
  walletId: string;
  /**
   * The linked account that is paid; null unless it is a payout
   */
  linkedAccountId: string | null;
  /**
   * The reason or reference of the request
   */
  reason: string | null;
  /**
   * Why it failed
   */
  failureReason: string | null;
  /**
   * Why it failed, for programs; null unless it has failed
   */
  failureCode?:
    | (
        | "account_not_found"
        | "account_closed"
        | "duplicate"
        | "compliance"
        | "card_declined"
        | "returned_by_bank"
        | "cancelled"
        | "processing_failed"
      )
    | null;
  /**
   * What the recipient's bank says about the account; left out if it says nothing
   */
  notice?: string;
  /**
   * Whether an operator has to decide about it
   */
  needsAttention: boolean;
  /**
   * Whether an adjustment credits or debits the wallet; left out of all other flows
   */
  direction?: "CREDIT" | "DEBIT";
  /**
   * Your id of the payout, unique among the payouts of the business
   */
  reference?: string | null;
  /**
   * Of a payment what its link and the customer have said, of a payout your own texts; left out if a list would be too long
   */
  metadata?: TransactionMetadata | null;
  /**
   * Who is paid; null unless it is a payout, and null once the person is erased
   */
  recipient?: TransactionRecipient | null;
  /**
   * The entity whose transaction it is; null once the person is erased
   */
  entity?: TransactionEntity | null;
  /**
   * When it was created
   */
  createdAt: string;
  /**
   * When it last changed
   */
  updatedAt: string;
}
/**
 * What the payment link and the customer have said; left out if a list would be too long
 */
export interface PaymentMetadata {
  /**
   * The itemDeliveryAddress of the payment link
   */
  itemDeliveryAddress: string;
  /**
   * The customData of the payment link
   */
  customData: {
    [k: string]: string | undefined;
  };
  /**
   * What the customer has filled in, by the names of the fields
   */
  fields: {
    [k: string]: string | undefined;
  };
}
/**
 * Your own texts about the payout, by names of your choice
 */
export interface PayoutMetadata {
  [k: string]: string | undefined;
}
/**
 * Who is paid; null unless it is a payout, and null once the person is erased
 */
export interface TransactionRecipient {
  /**
   * The name of the account's holder
   */
  name: string;
  /**
   * The email address of the account's holder
   */
  email: string;
  /**
   * The last four characters of the account or card number
   */
  lastFour: string;
  /**
   * The name of the bank; null for a card
   */
  bankName: string | null;
}
/**
 * The entity whose transaction it is; null once the person is erased
 */
export interface TransactionEntity {
  /**
   * The entityId
   */
  id: string;
  /**
   * Where the end user is reached
   */
  email: string;
  /**
   * The id that the end user has in your system
   */
  externalIdentifier: string | null;
}
/**
 * A payment of a customer
 */
export interface Payment {
  /**
   * The id of the payment
   */
  id: string;
  /**
   * The payment link that was paid
   */
  paymentLinkId: string;
  /**
   * The subscription that was renewed
   */
  subscriptionId: string | null;
  /**
   * The invoice that was paid
   */
  invoiceId: string | null;
  /**
   * The collection account that is credited
   */
  collectionAccountId: string;
  /**
   * PENDING: the outcome is not known yet
   */
  status: "PENDING" | "SUCCEEDED" | "FAILED";
  /**
   * The amount that was charged. A decimal string with two places
   */
  amount: string;
  /**
   * The fee. A decimal string with two places
   */
  fees: string;
  /**
   * The amount that the collection account is credited with. A decimal string with two places
   */
  net: string;
  /**
   * The amount that was refunded so far. A decimal string with two places
   */
  refunded: string;
  currency: Currency;
  /**
   * The card that pays
   */
  card: Card | null;
  customer: Customer;
  metadata: PaymentMetadata;
  /**
   * The orderId of the payment link
   */
  orderId: string | null;
  /**
   * The externalId of the payment link
   */
  externalId: string | null;
  /**
   * Why the payment failed
   */
  reason: string | null;
  /**
   * Whether an operator has to decide about it
   */
  needsAttention: boolean;
  /**
   * When it was created
   */
  createdAt: string;
  /**
   * When it last changed
   */
  updatedAt: string;
}
/**
 * The card that pays
 */
export interface Card {
  /**
   * The brand of the card
   */
  brand: string;
  /**
   * The last four digits of the card number
   */
  last4: string;
}
/**
 * The person who pays
 */
export interface Customer {
  /**
   * Email address of the customer
   */
  email: string;
  /**
   * First name of the customer
   */
  firstName: string;
  /**
   * Last name of the customer
   */
  lastName: string;
  /**
   * Phone number of the customer. Other forms are read too, such as +1/555/0100 x5, and kept in this one
   */
  phone: string;
}
/**
 * A subscription, with the metadata of its payments
 */
export interface ExportedSubscription {
  /**
   * The id of the subscription
   */
  id: string;
  /**
   * The status of the subscription
   */
  status: "trialing" | "active" | "past_due" | "cancelled";
  /**
   * The payment link that it was made with
   */
  paymentLinkId: string;
  /**
   * The collection account that is credited
   */
  collectionAccountId: string;
  /**
   * The name of the payment link
   */
  name: string;
  /**
   * How it is charged
   */
  type: "subscription" | "consumption" | "seating";
  interval: BillingInterval;
  currency: Currency;
  /**
   * Your id of the product
   */
  productId: string | null;
  /**
   * The price of a period; null unless the type is subscription. A decimal string with two places
   */
  amount: string | null;
  /**
   * The prices of usage
   */
  consumptionDetails: ConsumptionDetails | null;
  /**
   * The prices of seats
   */
  seatDetails: SeatDetails | null;
  /**
   * Start of its first period; until then it is a trial
   */
  startDate: string;
  /**
   * The period that runs; null during the trial, and once it is cancelled
   */
  currentPeriod: ExportedSubscriptionCurrentPeriod | null;
  /**
   * When the next invoice is issued, by the clock of the business
   */
  nextInvoiceAt: string | null;
  /**
   * The invoice that is not paid yet
   */
  openInvoiceId: string | null;
  /**
   * The number of seats; null unless it is billed by seats
   */
  seats: number | null;
  customer: Customer;
  card: Card;
  /**
   * The orderId of the payment link
   */
  orderId: string | null;
  /**
   * The externalId of the payment link
   */
  externalId: string | null;
  /**
   * The end of the period with which it will be cancelled
   */
  cancelAt: string | null;
  /**
   * When it was cancelled, by the clock of the business
   */
  cancelledAt: string | null;
  /**
   * Why it was cancelled
   */
  cancelReason: ("requested" | "unpaid") | null;
  /**
   * Since when its invoices are held after a restore, until they are released; else null
   */
  heldSince?: string | null;
  /**
   * Whether an operator has to decide about it
   */
  needsAttention: boolean;
  /**
   * When it was created, by the clock of the business
   */
  createdAt: string;
  metadata: PaymentMetadata;
}
/**
 * The length of a period
 */
export interface BillingInterval {
  /**
   * The unit of the interval
   */
  type: "day" | "week" | "month" | "year";
  /**
   * How many units a period lasts
   */
  count: number;
}
/**
 * The prices of usage
 */
export interface ConsumptionDetails {
  /**
   * What is counted
   */
  unit: string;
  /**
   * The price of one, with up to six decimals
   */
  costPerUnit: number;
  /**
   * The units of a period that cost nothing
   */
  minimumUnits?: number;
  /**
   * The fixed fee of a period; required beside minimumUnits
   */
  baseFee?: number;
}
/**
 * The prices of seats
 */
export interface SeatDetails {
  /**
   * The fixed fee of a period
   */
  baseFee: number;
  /**
   * The price of one, with up to six decimals
   */
  costPerSeat: number;
  /**
   * When a change of seats is billed: in proportion with the next invoice, from the next period, or immediately
   */
  newSeatBillingType: "prorate" | "next_cycle" | "immediate";
}
/**
 * The period that runs; null during the trial, and once it is cancelled
 */
export interface ExportedSubscriptionCurrentPeriod {
  /**
   * When the period begins, by the clock of the business
   */
  periodStart: string;
  /**
   * When the period ends, by the clock of the business
   */
  periodEnd: string;
}
/**
 * A payment link, with the fields of its request
 */
export interface PaymentLink {
  /**
   * The id of the payment link
   */
  id: string;
  /**
   * Whether it can be paid; USED: it could be paid once, and was
   */
  status: "ACTIVE" | "USED" | "EXPIRED" | "DISABLED";
  /**
   * The URL of the checkout; null if its encryption key is no longer configured
   */
  url: string | null;
  application: PaymentLinkApplication;
  /**
   * The number of payments that succeeded, counted up to 10000
   */
  payments: number;
  /**
   * When it was created
   */
  createdAt: string;
  currency: Currency;
  /**
   * The title of the page; `page` if left out
   */
  name?: string;
  /**
   * The amount that is charged: required and at least 0.5 for one-time links and subscriptions, otherwise stored only
   */
  amount?: number;
  /**
   * The readable part of the checkout URL: a slug; `page` if left out
   */
  customUrlPath?: string;
  /**
   * Where the customer goes after paying; the operator may have set a default
   */
  redirectTo?: string;
  /**
   * When the link expires: in the future, one year from now if left out
   */
  expiredAt?: string;
  /**
   * The kind of link; `generic` if left out
   */
  checkoutType?: "generic" | "ecommerce" | "recurring";
  recurringCharge?: RecurringCharge;
  /**
   * Whether the link can be paid any number of times, or once; true if left out
   */
  isOpenLink?: boolean;
  /**
   * Whether the customer pays the fee on top; true if left out
   */
  customerPays?: boolean;
  /**
   * Your id of the order
   */
  orderId?: string;
  /**
   * What else to ask the customer for, beside email, names and phone number
   *
   * @maxItems 20
   */
  dataCollections?: string[];
  /**
   * The names of further fields that the customer may fill
   *
   * @maxItems 20
   */
  customFields?: string[];
  /**
   * The ways to pay. The checkout takes only `card`: a link that names others alone cannot be paid; ["card"] if left out
   *
   * @maxItems 20
   */
  acceptedPaymentOptions?: string[];
  /**
   * Whether a NOTIFICATION event after a payment names the business, which is paid; false if left out
   */
  notifyPayee?: boolean;
  agent?: Agent;
  brandingConfig?: BrandingConfig;
  advancedConfig?: PaymentLinkAdvancedConfig;
  /**
   * Your own texts, which come back with payments
   */
  customData?: {
    [k: string]: string | undefined;
  };
  /**
   * Where the items go
   */
  itemDeliveryAddress: string;
  /**
   * What the customer pays for; amount is what is charged
   *
   * @minItems 1
   * @maxItems 200
   */
  cartItems: CartItem[];
  /**
   * Another id of yours
   */
  externalId?: string;
  /**
   * The acceptedPaymentOptions that the checkout does not take
   *
   * @maxItems 20
   */
  unsupportedPaymentOptions?: string[];
}
/**
 * The token of the link
 */
export interface PaymentLinkApplication {
  /**
   * The id of the payment link
   */
  id: string;
  /**
   * The secret in the URL of the link; null if its encryption key is no longer configured
   */
  token: string | null;
  /**
   * The type of the token
   */
  tokenType: "PAYMENT_LINK";
  /**
   * When the link expires
   */
  expiredAt: string;
  /**
   * Whether the link can be paid: not once it is used, expired or disabled
   */
  valid: boolean;
}
/**
 * A fixed amount for each period
 */
export interface SubscriptionCharge {
  /**
   * How the subscription is charged
   */
  type: "subscription";
  /**
   * When billing starts and the trial ends; today (UTC) or later, before expiredAt
   */
  startDate: string;
  interval: BillingInterval;
  /**
   * Your id of the product
   */
  productId?: string;
}
/**
 * A price for each unit that was used in a period
 */
export interface ConsumptionCharge {
  /**
   * How the subscription is charged
   */
  type: "consumption";
  /**
   * When billing starts and the trial ends; today (UTC) or later, before expiredAt
   */
  startDate: string;
  interval: BillingInterval;
  /**
   * Your id of the product
   */
  productId?: string;
  consumptionDetails: ConsumptionDetails;
}
/**
 * A price for each seat in a period
 */
export interface SeatingCharge {
  /**
   * How the subscription is charged
   */
  type: "seating";
  /**
   * When billing starts and the trial ends; today (UTC) or later, before expiredAt
   */
  startDate: string;
  interval: BillingInterval;
  /**
   * Your id of the product
   */
  productId?: string;
  seatDetails: SeatDetails;
}
/**
 * A person that a NOTIFICATION event after a payment names; none of the texts is required
 */
export interface Agent {
  /**
   * The role of the person
   */
  type?: string;
  /**
   * Where the person is reached
   */
  email?: string;
  /**
   * The name of the person
   */
  name?: string;
  [k: string]: unknown;
}
/**
 * The look of the page, and how customers reach you
 */
export interface BrandingConfig {
  /**
   * The image at the top of the page
   */
  logo?: string;
  /**
   * The colour of buttons
   */
  primaryColor?: string;
  /**
   * The colour of the page
   */
  backgroundColor?: string;
  /**
   * Where customers reach you, on the page and on receipts
   */
  supportEmail?: string;
  /**
   * Your terms of sale, on the page and on receipts
   */
  termsUrl?: string;
}
/**
 * An endpoint that gets the events of this link
 */
export interface PaymentLinkAdvancedConfig {
  /**
   * The address of your website
   */
  websiteUrl: string;
  /**
   * The path at that address which gets the events of this link
   */
  webhookPath: string;
}
/**
 * An item, for the customer to read
 */
export interface CartItem {
  /**
   * The name of the item
   */
  name: string;
  /**
   * What the item is
   */
  description: string;
  /**
   * How many
   */
  qty?: number;
  /**
   * The price of one, in the currency of the item
   */
  price?: number;
  currency?: Currency;
  /**
   * Your id of the product
   */
  productId?: string;
  /**
   * An image of the item
   */
  imageUrl?: string;
}
/**
 * The body of eraseEntity
 */
export interface EraseEntityRequest {
  /**
   * Whether what was paid with the email is meant, if other end users have the same email
   */
  sharedEmail?: "include" | "exclude";
}
/**
 * The answer of eraseEntity
 */
export interface EraseEntityAnswer {
  /**
   * Always true
   */
  success: true;
  data: EraseEntityAnswerData;
}
/**
 * The result
 */
export interface EraseEntityAnswerData {
  /**
   * The end user
   */
  id: string;
  /**
   * When the erasure began
   */
  erasedAt: string;
  erased: EraseEntityAnswerDataErased;
  /**
   * The data that stays, each with the time until which it stays and the reason
   *
   * @maxItems 20
   */
  kept: KeptData[];
}
/**
 * How much was erased
 */
export interface EraseEntityAnswerDataErased {
  /**
   * Linked accounts, unlinked ones too, that are from now on without personal data
   */
  linkedAccounts: number;
  /**
   * Payouts that are from now on without personal data
   */
  payouts: number;
  /**
   * Payments that are from now on without personal data
   */
  payments: number;
  /**
   * Subscriptions that are from now on without personal data
   */
  subscriptions: number;
  /**
   * Links of its own that are from now on without personal data
   */
  paymentLinks: number;
}
/**
 * Data that an erasure leaves
 */
export interface KeptData {
  /**
   * What is kept
   */
  what: string;
  /**
   * Until when
   */
  until: string;
  /**
   * Why it is kept
   */
  why: string;
}
/**
 * The body of exportCustomer
 */
export interface ExportCustomerRequest {
  /**
   * As given at checkout, in any case
   */
  email: string;
  /**
   * Says that all is meant, if several end users have the email
   */
  sharedEmail?: "include";
}
/**
 * The answer of exportCustomer
 */
export interface ExportCustomerAnswer {
  /**
   * Always true
   */
  success: true;
  data: ExportCustomerAnswerData;
}
/**
 * The result
 */
export interface ExportCustomerAnswerData {
  /**
   * Paid with this email, newest first
   *
   * @maxItems 100
   */
  payments: Payment[];
  /**
   * Subscribed with this email, newest first
   *
   * @maxItems 100
   */
  subscriptions: ExportedSubscription[];
  /**
   * The end users that have the email, if they are several and `sharedEmail` is not given: what was paid with it may be any of theirs, and is left out
   *
   * @maxItems 1000
   */
  emailSharedBy?: string[];
  /**
   * False if there is more than the lists hold: the ordinary lists have the rest
   */
  complete: boolean;
}
/**
 * The body of eraseCustomer
 */
export interface EraseCustomerRequest {
  /**
   * As given at checkout, in any case
   */
  email: string;
  /**
   * Says that all is meant, if several end users have the email
   */
  sharedEmail?: "include";
}
/**
 * The answer of eraseCustomer
 */
export interface EraseCustomerAnswer {
  /**
   * Always true
   */
  success: true;
  data: EraseCustomerAnswerData;
}
/**
 * The result
 */
export interface EraseCustomerAnswerData {
  /**
   * When the erasure began
   */
  erasedAt: string;
  erased: EraseCustomerAnswerDataErased;
  /**
   * The data that stays, each with the time until which it stays and the reason
   *
   * @maxItems 20
   */
  kept: KeptData[];
}
/**
 * How much was erased
 */
export interface EraseCustomerAnswerDataErased {
  /**
   * Payments that are from now on without personal data
   */
  payments: number;
  /**
   * Subscriptions that are from now on without personal data
   */
  subscriptions: number;
}
/**
 * The answer of createApiClient
 */
export interface CreateApiClientAnswer {
  /**
   * Always true
   */
  success: true;
  data: ApiClientWithSecret;
}
/**
 * The answer of listApiClients
 */
export interface ListApiClientsAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: RegisteredApiClient[];
  meta: ListMeta;
}
/**
 * The credentials of a server, without the secret
 */
export interface RegisteredApiClient {
  /**
   * The client_id
   */
  id: string;
  /**
   * Distinguishes it from the business's other clients
   */
  name: string | null;
  /**
   * Allowed scopes of its tokens
   *
   * @maxItems 9
   */
  scopes: (
    | "external.apis"
    | "wallets"
    | "transfers"
    | "payouts"
    | "linked-accounts"
    | "payment-links"
    | "refunds"
    | "subscriptions"
    | "webhooks"
  )[];
  /**
   * The IPv4 and IPv6 ranges (CIDR) from which the client and its tokens, its end users' too, may be used; an empty list allows any address
   *
   * @maxItems 50
   */
  allowedAddresses?: string[];
  /**
   * A disabled client gets no tokens, and its earlier tokens are refused
   */
  disabled: boolean;
  /**
   * When it was created
   */
  createdAt: string;
  /**
   * Time of the last rotation of its secret
   */
  rotatedAt: string | null;
}
/**
 * The answer of getApiClient
 */
export interface GetApiClientAnswer {
  /**
   * Always true
   */
  success: true;
  data: RegisteredApiClient;
}
/**
 * The body of updateApiClient
 */
export interface UpdateApiClientRequest {
  /**
   * Whether it is to get no tokens
   */
  disabled?: boolean;
  /**
   * The IPv4 and IPv6 ranges (CIDR) from which the client and its tokens, its end users' too, may be used; an empty list allows any address
   *
   * @maxItems 50
   */
  allowedAddresses?: string[];
}
/**
 * The answer of updateApiClient
 */
export interface UpdateApiClientAnswer {
  /**
   * Always true
   */
  success: true;
  data: RegisteredApiClient;
}
/**
 * The answer of rotateApiClientSecret
 */
export interface RotateApiClientSecretAnswer {
  /**
   * Always true
   */
  success: true;
  data: ApiClientWithSecret;
}
/**
 * The body of createWallet
 */
export interface WalletRequest {
  /**
   * Its owner: an end user, or the business itself
   */
  entityId: string;
  currency: Currency;
}
/**
 * The answer of createWallet
 */
export interface CreateWalletAnswer {
  /**
   * Always true
   */
  success: true;
  data: Wallet;
}
/**
 * The answer of listWallets
 */
export interface ListWalletsAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: Wallet[];
  meta: ListMeta;
}
/**
 * The answer of getWallet
 */
export interface GetWalletAnswer {
  /**
   * Always true
   */
  success: true;
  data: Wallet;
}
/**
 * The body of updateWallet
 */
export interface UpdateWalletRequest {
  /**
   * Whether it is to be disabled
   */
  disabled?: boolean;
  /**
   * The balance below which you are told, once each time the balance falls below it; null to be told no more
   */
  lowBalanceAt?: string | null;
}
/**
 * The answer of updateWallet
 */
export interface UpdateWalletAnswer {
  /**
   * Always true
   */
  success: true;
  data: Wallet;
}
/**
 * The answer of listWalletEntries
 */
export interface ListWalletEntriesAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: StatementEntry[];
  meta: CursorMeta;
}
/**
 * An entry of the statement of a wallet
 */
export interface StatementEntry {
  /**
   * The id of the entry
   */
  id: string;
  /**
   * The transaction that it belongs to
   */
  transactionId: string;
  /**
   * What was posted, such as payout, payout-reversal, TRANSFER or ADJUSTMENT
   */
  kind: string;
  /**
   * Whether the wallet was debited or credited
   */
  entry: "DEBIT" | "CREDIT";
  /**
   * The amount. A decimal string with two places
   */
  amount: string;
  /**
   * The balance after it. A decimal string with two places
   */
  balance: string;
  /**
   * The partition and the number of its block. A head of the ledger with this number or a higher one in the partition includes the entry
   */
  block?: string;
  /**
   * When it was created
   */
  createdAt: string;
}
/**
 * The body of createCollectionAccount
 */
export interface CollectionAccountRequest {
  currency: Currency;
}
/**
 * The answer of createCollectionAccount
 */
export interface CreateCollectionAccountAnswer {
  /**
   * Always true
   */
  success: true;
  data: CollectionAccount;
}
/**
 * What customers have paid in a currency
 */
export interface CollectionAccount {
  /**
   * The id of the collection account
   */
  id: string;
  currency: Currency;
  /**
   * The balance. A decimal string with two places
   */
  balance: string;
}
/**
 * The answer of listCollectionAccounts
 */
export interface ListCollectionAccountsAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: CollectionAccount[];
  meta: ListMeta;
}
/**
 * The answer of listCollectionAccountEntries
 */
export interface ListCollectionAccountEntriesAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: StatementEntry[];
  meta: CursorMeta;
}
/**
 * The body of createTransfer
 */
export interface TransferRequest {
  /**
   * The wallet of the business that is credited
   */
  walletId: string;
  /**
   * The amount to transfer
   */
  amount: number;
  /**
   * Your id of the transfer. The same reference transfers once
   */
  reference: string;
}
/**
 * The answer of createTransfer
 */
export interface CreateTransferAnswer {
  /**
   * Always true
   */
  success: true;
  data: Transfer;
}
/**
 * A transfer of collected money to a wallet
 */
export interface Transfer {
  /**
   * The id of the transfer
   */
  id: string;
  /**
   * The status of the transfer
   */
  status: "PENDING" | "SUCCESS" | "FAILED";
  /**
   * The collection account that is debited
   */
  collectionAccountId: string;
  /**
   * The wallet that is credited
   */
  walletId: string;
  /**
   * The amount. A decimal string with two places
   */
  amount: string;
  currency: Currency;
  /**
   * The reference of the request
   */
  reference: string;
  /**
   * When it was created
   */
  createdAt: string;
}
/**
 * The answer of listTransfers
 */
export interface ListTransfersAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: Transfer[];
  meta: ListMeta;
}
/**
 * The body of createWalletTransfer
 */
export interface WalletTransferRequest {
  /**
   * The wallet that is debited
   */
  fromWalletId: string;
  /**
   * The wallet that is credited, in the same currency
   */
  toWalletId: string;
  /**
   * The amount to move
   */
  amount: number;
  /**
   * Your id of the transfer, unique among the transfers of the business
   */
  reference: string;
  /**
   * What it is for
   */
  description?: string;
}
/**
 * The answer of createWalletTransfer
 */
export interface CreateWalletTransferAnswer {
  /**
   * Always true
   */
  success: true;
  data: WalletTransfer;
}
/**
 * A transfer between two wallets of a business
 */
export interface WalletTransfer {
  /**
   * The id of the transfer
   */
  id: string;
  /**
   * The status of the transfer. It is PENDING only until the money has arrived, and FAILED only if the credited wallet could not hold it: then it is back
   */
  status: "PENDING" | "SUCCEEDED" | "FAILED";
  /**
   * The wallet that is debited
   */
  fromWalletId: string;
  /**
   * The wallet that is credited
   */
  toWalletId: string;
  /**
   * The amount. A decimal string with two places
   */
  amount: string;
  currency: Currency;
  /**
   * The reference of the request
   */
  reference: string;
  /**
   * The description of the request
   */
  description: string | null;
  /**
   * When it was created
   */
  createdAt: string;
}
/**
 * The answer of listWalletTransfers
 */
export interface ListWalletTransfersAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: WalletTransfer[];
  meta: CursorMeta;
}
/**
 * The answer of getWalletTransfer
 */
export interface GetWalletTransferAnswer {
  /**
   * Always true
   */
  success: true;
  data: WalletTransfer;
}
/**
 * The answer of listOwnWallets
 */
export interface ListOwnWalletsAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The result
   *
   * @maxItems 5
   */
  data: OwnWallet[];
}
/**
 * A wallet as its owner sees it
 */
export interface OwnWallet {
  /**
   * The id of the wallet
   */
  id: string;
  currency: Currency;
  /**
   * The balance. A decimal string with two places
   */
  balance: string;
  /**
   * Whether it is disabled, so that it cannot be debited
   */
  disabled: boolean;
  /**
   * Whether an operator has frozen it, so that nothing is paid out of it
   */
  frozen?: boolean;
}
/**
 * The answer of getLedgerHead
 */
export interface GetLedgerHeadAnswer {
  /**
   * Always true
   */
  success: true;
  data: LedgerHead;
}
/**
 * What the ledger holds at one moment, signed
 */
export interface LedgerHead {
  /**
   * The signed head, a JWS in its compact form (RFC 7515)
   */
  head: string;
  claims: LedgerHeadClaims;
}
/**
 * What a head of the ledger says
 */
export interface LedgerHeadClaims {
  /**
   * The business; left out for the whole ledger
   */
  sub?: string;
  /**
   * When it was made, in seconds since 1970
   */
  iat: number;
  /**
   * The last block of each partition, from partition 0
   *
   * @maxItems 10000
   */
  journal: LedgerBlock[];
  sums: LedgerHeadClaimsSums;
  /**
   * The number of the business's accounts with money
   */
  accounts?: number;
  /**
   * SHA-256 in base64url over the lines `<id> <currency> <balance>` of the business's accounts with money, in the order of their ids
   */
  digest?: string;
}
/**
 * The last block of a partition
 */
export interface LedgerBlock {
  /**
   * The number of the last block
   */
  n: number;
  /**
   * The hash of the block; empty before the first block
   */
  hash: string;
}
/**
 * The sums of the wallets and of the collection accounts
 */
export interface LedgerHeadClaimsSums {
  SPEND: SumsByCurrency;
  COLLECTION: SumsByCurrency;
}
/**
 * The sums by currency; a currency without money is left out
 */
export interface SumsByCurrency {
  /**
   * The sum. A decimal string with two places
   */
  USD?: string;
  /**
   * The sum. A decimal string with two places
   */
  NGN?: string;
  /**
   * The sum. A decimal string with two places
   */
  CAD?: string;
  /**
   * The sum. A decimal string with two places
   */
  GBP?: string;
  /**
   * The sum. A decimal string with two places
   */
  EUR?: string;
}
/**
 * The body of fundWallet
 */
export interface FundWalletRequest {
  /**
   * The amount to credit
   */
  amount: number;
  /**
   * Your id of the funding. The same reference credits once
   */
  reference: string;
}
/**
 * The answer of fundWallet
 */
export interface FundWalletAnswer {
  /**
   * Always true
   */
  success: true;
  data: Transaction;
}
/**
 * The answer of listLinkedAccounts
 */
export interface ListLinkedAccountsAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: LinkedAccount[];
  meta: ListMeta;
}
/**
 * The body of createLinkedAccount: optionType is bank
 */
export interface BankLinkedAccountRequest {
  /**
   * The type of the account
   */
  optionType: "bank";
  /**
   * The wallet that will pay out to it
   */
  walletId: string;
  /**
   * Display name of the account
   */
  label?: string;
  /**
   * Your name for the account
   */
  nickName?: string;
  data: BankLinkedAccountRequestData;
}
/**
 * The account and its holder
 */
export interface BankLinkedAccountRequestData {
  /**
   * First name of the holder
   */
  firstName: string;
  /**
   * Last name of the holder
   */
  lastName: string;
  /**
   * Name of the holder; first and last name if left out
   */
  name?: string;
  /**
   * Email address of the holder
   */
  email: string;
  /**
   * Shown to the public instead of email
   */
  publicEmail?: string;
  /**
   * Name of the bank
   */
  bankName: string;
  /**
   * The account number, of 4 to 17 digits
   */
  accountNumber: string;
  /**
   * The ABA routing number, whose checksum is verified
   */
  routingNumber: string;
  /**
   * The kind of bank account
   */
  accountType: "CHECKING" | "SAVINGS";
  /**
   * Street and number of the recipient
   */
  recipientAddress: string;
  /**
   * City of the recipient
   */
  recipientCity: string;
  /**
   * State or region of the recipient
   */
  recipientState: string;
  /**
   * Postal code of the recipient
   */
  recipientPostalCode: string;
}
/**
 * The body of createLinkedAccount: optionType is card
 */
export interface CardLinkedAccountRequest {
  /**
   * The type of the account
   */
  optionType: "card";
  /**
   * The wallet that will pay out to it
   */
  walletId: string;
  /**
   * Display name of the account
   */
  label?: string;
  /**
   * Your name for the account
   */
  nickName?: string;
  data: CardLinkedAccountRequestData;
}
/**
 * The account and its holder
 */
export interface CardLinkedAccountRequestData {
  /**
   * The cardholder's name
   */
  name: string;
  /**
   * Email address of the holder
   */
  email: string;
  /**
   * Shown to the public instead of email
   */
  publicEmail?: string;
  /**
   * The vault's token; card numbers are refused
   */
  encryptedCardNumber: string;
  /**
   * The last four digits of the card number
   */
  lastFourDigits: string;
  /**
   * The brand of the card, in any case
   */
  cardBrand: string;
  /**
   * The month in which the card expires, as MM/YY or MM/YYYY
   */
  cardExpirationDate: string;
  /**
   * The kind of card
   */
  cardType: "credit" | "debit";
}
/**
 * The body of createLinkedAccount: optionType is prepaid_card
 */
export interface PrepaidCardLinkedAccountRequest {
  /**
   * The type of the account
   */
  optionType: "prepaid_card";
  /**
   * The wallet that will pay out to it
   */
  walletId: string;
  /**
   * Display name of the account
   */
  label?: string;
  /**
   * Your name for the account
   */
  nickName?: string;
  data: PrepaidCardLinkedAccountRequestData;
}
/**
 * The account and its holder
 */
export interface PrepaidCardLinkedAccountRequestData {
  /**
   * The cardholder's name
   */
  name: string;
  /**
   * Email address of the holder
   */
  email: string;
  /**
   * Shown to the public instead of email
   */
  publicEmail?: string;
  /**
   * The vault's token; card numbers are refused
   */
  encryptedCardNumber: string;
  /**
   * The last four digits of the card number
   */
  lastFourDigits: string;
  /**
   * The brand of the card, in any case
   */
  cardBrand: string;
  /**
   * The month in which the card expires, as MM/YY or MM/YYYY
   */
  cardExpirationDate: string;
  /**
   * The kind of card; `prepaid` if left out
   */
  cardType?: "prepaid" | "credit" | "debit";
}
/**
 * The answer of createLinkedAccount
 */
export interface CreateLinkedAccountAnswer {
  /**
   * Always true
   */
  success: true;
  data: LinkedAccountSummary;
}
/**
 * A linked account in short
 */
export interface LinkedAccountSummary {
  /**
   * The linkedAccountId of withdrawals
   */
  id: string;
  currency: Currency;
  /**
   * The type of the account
   */
  optionType: "bank" | "card" | "international_bank" | "prepaid_card";
  /**
   * The wallet that pays out to it
   */
  walletId: string;
  /**
   * Name of the holder
   */
  counterPartyName: string;
  /**
   * Email address of the holder
   */
  counterPartyEmail: string;
  /**
   * Your name for the account
   */
  nickName: string | null;
  /**
   * The last four digits of the account or card number
   */
  lastFourDigits: string;
  /**
   * When it was created
   */
  createdAt: string;
  /**
   * When it last changed
   */
  updatedAt: string;
}
/**
 * The answer of listExternalLinkedAccounts
 */
export interface ListExternalLinkedAccountsAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: ExternalLinkedAccount[];
  meta: PageMeta;
}
/**
 * A linked account with masked numbers: optionType is bank
 */
export interface BankExternalLinkedAccount {
  /**
   * The linkedAccountId of withdrawals
   */
  id: string;
  currency: Currency;
  /**
   * The type of the account
   */
  optionType: "bank";
  /**
   * Name of the holder
   */
  counterPartyName: string;
  /**
   * Email address of the holder
   */
  counterPartyEmail: string;
  /**
   * Email address that is shown to the public instead
   */
  counterPublicPartyEmail: string | null;
  /**
   * When it was created
   */
  createdAt: string;
  /**
   * Your name for the account; empty if unset
   */
  nickName: string;
  /**
   * The account in short
   */
  account: BankExternalLinkedAccountAccount | null;
  /**
   * The holder and the numbers of the account, masked
   */
  recipientData: BankExternalLinkedAccountRecipientData | null;
}
/**
 * The account in short
 */
export interface BankExternalLinkedAccountAccount {
  /**
   * The routing number, masked to its last four digits
   */
  routing?: string;
  /**
   * Name of the bank
   */
  bankName?: string;
  /**
   * The kind of bank account
   */
  accountType?: string | null;
  /**
   * The network that the routing number belongs to
   */
  routingType?: string;
}
/**
 * The holder and the numbers of the account, masked
 */
export interface BankExternalLinkedAccountRecipientData {
  /**
   * The id of the linked account
   */
  id: string;
  /**
   * The type of the account
   */
  type: "bank" | "card" | "international_bank" | "prepaid_card";
  /**
   * The same for the same account within a business
   */
  instrumentId: string;
  /**
   * Your name for the account; empty if unset
   */
  nickName: string;
  /**
   * First name of the holder
   */
  firstName: string;
  /**
   * Last name of the holder
   */
  lastName: string;
  /**
   * Name of the holder
   */
  name: string;
  /**
   * Email address of the holder
   */
  email: string;
  /**
   * Name of the bank
   */
  bankName: string;
  /**
   * The account number; the external view shows its last four
   */
  accountNumber: string;
  /**
   * The routing number; the external view shows its last four
   */
  routingNumber: string;
  /**
   * The network that the routing number belongs to
   */
  routingType: string;
  /**
   * Street and number of the recipient
   */
  recipientAddress: string;
  /**
   * City of the recipient
   */
  recipientCity: string;
  /**
   * State or region of the recipient
   */
  recipientState: string;
  /**
   * Postal code of the recipient
   */
  recipientPostalCode: string;
}
/**
 * A linked account with masked numbers: optionType is international_bank
 */
export interface InternationalBankExternalLinkedAccount {
  /**
   * The linkedAccountId of withdrawals
   */
  id: string;
  currency: Currency;
  /**
   * The type of the account
   */
  optionType: "international_bank";
  /**
   * Name of the holder
   */
  counterPartyName: string;
  /**
   * Email address of the holder
   */
  counterPartyEmail: string;
  /**
   * Email address that is shown to the public instead
   */
  counterPublicPartyEmail: string | null;
  /**
   * When it was created
   */
  createdAt: string;
  /**
   * Your name for the account; empty if unset
   */
  nickName: string;
  /**
   * The account in short
   */
  account: InternationalBankExternalLinkedAccountAccount | null;
  /**
   * The holder and the numbers of the account, masked
   */
  recipientData: InternationalBankExternalLinkedAccountRecipientData | null;
}
/**
 * The account in short
 */
export interface InternationalBankExternalLinkedAccountAccount {
  /**
   * The routing number, masked to its last four digits
   */
  routing?: string;
  /**
   * Name of the bank
   */
  bankName?: string;
  /**
   * The kind of bank account
   */
  accountType?: string | null;
  /**
   * The network that the routing number belongs to
   */
  routingType?: string;
}
/**
 * The holder and the numbers of the account, masked
 */
export interface InternationalBankExternalLinkedAccountRecipientData {
  /**
   * The id of the linked account
   */
  id: string;
  /**
   * The type of the account
   */
  type: "bank" | "card" | "international_bank" | "prepaid_card";
  /**
   * Whether the holder is a person or a business
   */
  recipientType: "personal" | "business";
  /**
   * First name of a person
   */
  firstName: string | null;
  /**
   * Last name of a person
   */
  lastName: string | null;
  /**
   * Name of the holder
   */
  name: string;
  /**
   * Email address of the holder
   */
  email: string;
  /**
   * The account number; the external view shows its last four
   */
  accountNumber: string;
  /**
   * The BIC of the bank
   */
  swiftOrBic: string;
  /**
   * Name of the bank
   */
  bankName: string;
  /**
   * Street and number of the recipient
   */
  recipientAddress: string;
  /**
   * City of the recipient
   */
  recipientCity: string;
  /**
   * State or region of the recipient
   */
  recipientState: string;
  /**
   * Postal code of the recipient
   */
  recipientPostalCode: string;
  /**
   * The country of the recipient, by ISO 3166-1 alpha-2
   */
  recipientCountry: string;
  /**
   * Your name for the account; empty if unset
   */
  nickName: string;
}
/**
 * A linked account with masked numbers: optionType is card
 */
export interface CardExternalLinkedAccount {
  /**
   * The linkedAccountId of withdrawals
   */
  id: string;
  currency: Currency;
  /**
   * The type of the account
   */
  optionType: "card";
  /**
   * Name of the holder
   */
  counterPartyName: string;
  /**
   * Email address of the holder
   */
  counterPartyEmail: string;
  /**
   * Email address that is shown to the public instead
   */
  counterPublicPartyEmail: string | null;
  /**
   * When it was created
   */
  createdAt: string;
  /**
   * Your name for the account; empty if unset
   */
  nickName: string;
  /**
   * The account in short
   */
  account: CardExternalLinkedAccountAccount | null;
  /**
   * The holder and the numbers of the account, masked
   */
  recipientData: CardExternalLinkedAccountRecipientData | null;
}
/**
 * The account in short
 */
export interface CardExternalLinkedAccountAccount {
  /**
   * The routing number, masked to its last four digits
   */
  routing?: string;
  /**
   * Name of the bank
   */
  bankName?: string;
  /**
   * The kind of bank account
   */
  accountType?: string | null;
  /**
   * The network that the routing number belongs to
   */
  routingType?: string;
}
/**
 * The holder and the numbers of the account, masked
 */
export interface CardExternalLinkedAccountRecipientData {
  /**
   * The id of the linked account
   */
  id: string;
  /**
   * The type of the account
   */
  type: "bank" | "card" | "international_bank" | "prepaid_card";
  /**
   * Name of the cardholder
   */
  name: string;
  /**
   * Email address of the holder
   */
  email: string;
}
/**
 * A linked account with masked numbers: optionType is prepaid_card
 */
export interface PrepaidCardExternalLinkedAccount {
  /**
   * The linkedAccountId of withdrawals
   */
  id: string;
  currency: Currency;
  /**
   * The type of the account
   */
  optionType: "prepaid_card";
  /**
   * Name of the holder
   */
  counterPartyName: string;
  /**
   * Email address of the holder
   */
  counterPartyEmail: string;
  /**
   * Email address that is shown to the public instead
   */
  counterPublicPartyEmail: string | null;
  /**
   * When it was created
   */
  createdAt: string;
  /**
   * Your name for the account; empty if unset
   */
  nickName: string;
  /**
   * The account in short
   */
  account: PrepaidCardExternalLinkedAccountAccount | null;
  /**
   * The holder and the numbers of the account, masked
   */
  recipientData: PrepaidCardExternalLinkedAccountRecipientData | null;
}
/**
 * The account in short
 */
export interface PrepaidCardExternalLinkedAccountAccount {
  /**
   * The routing number, masked to its last four digits
   */
  routing?: string;
  /**
   * Name of the bank
   */
  bankName?: string;
  /**
   * The kind of bank account
   */
  accountType?: string | null;
  /**
   * The network that the routing number belongs to
   */
  routingType?: string;
}
/**
 * The holder and the numbers of the account, masked
 */
export interface PrepaidCardExternalLinkedAccountRecipientData {
  /**
   * The id of the linked account
   */
  id: string;
  /**
   * The type of the account
   */
  type: "bank" | "card" | "international_bank" | "prepaid_card";
  /**
   * Name of the cardholder
   */
  name: string;
  /**
   * Email address of the holder
   */
  email: string;
}
/**
 * The answer of deleteLinkedAccount
 */
export interface DeleteLinkedAccountAnswer {
  /**
   * Always true
   */
  success: true;
  data: DeleteLinkedAccountAnswerData;
}
/**
 * The result
 */
export interface DeleteLinkedAccountAnswerData {
  /**
   * The id of the unlinked account
   */
  id: string;
}
/**
 * The body of updateLinkedAccount
 */
export interface UpdateLinkedAccountRequest {
  /**
   * Your name for the account
   */
  nickName: string;
}
/**
 * The answer of updateLinkedAccount
 */
export interface UpdateLinkedAccountAnswer {
  /**
   * Always true
   */
  success: true;
  data: LinkedAccountSummary;
}
/**
 * The body of linkInternationalAccount
 */
export interface LinkInternationalAccountRequest {
  /**
   * Display name of the linked account
   */
  label: string;
  data: Recipient;
}
/**
 * The account and its holder, a person or a business: recipientType is personal
 */
export interface PersonalRecipient {
  /**
   * Which fields there are
   */
  recipientType: "personal";
  /**
   * First name of the person
   */
  firstName: string;
  /**
   * Last name of the person
   */
  lastName: string;
  /**
   * Email address of the recipient
   */
  email: string;
  /**
   * The account number: an IBAN if the bank's country has IBANs. Spaces and lower case are accepted, and so are hyphens
   */
  accountNumber: string;
  /**
   * The BIC of the bank; its country is the IBAN's. Spaces and lower case are accepted
   */
  swiftOrBic: string;
  /**
   * Name of the bank
   */
  bankName: string;
  /**
   * Street and number of the recipient
   */
  recipientAddress: string;
  /**
   * City of the recipient
   */
  recipientCity: string;
  /**
   * State or region of the recipient
   */
  recipientState: string;
  /**
   * The country in which the recipient lives, by ISO 3166-1 alpha-2. Spaces and lower case are accepted
   */
  recipientCountry: string;
  /**
   * Postal code of the recipient
   */
  recipientPostalCode: string;
  /**
   * Your name for the account; the label if left out
   */
  nickName?: string;
}
/**
 * The account and its holder, a person or a business: recipientType is business
 */
export interface BusinessRecipient {
  /**
   * Which fields there are
   */
  recipientType: "business";
  /**
   * The business's name
   */
  name: string;
  /**
   * Email address of the recipient
   */
  email: string;
  /**
   * The account number: an IBAN if the bank's country has IBANs. Spaces and lower case are accepted, and so are hyphens
   */
  accountNumber: string;
  /**
   * The BIC of the bank; its country is the IBAN's. Spaces and lower case are accepted
   */
  swiftOrBic: string;
  /**
   * Name of the bank
   */
  bankName: string;
  /**
   * Street and number of the recipient
   */
  recipientAddress: string;
  /**
   * City of the recipient
   */
  recipientCity: string;
  /**
   * State or region of the recipient
   */
  recipientState: string;
  /**
   * The country in which the recipient lives, by ISO 3166-1 alpha-2. Spaces and lower case are accepted
   */
  recipientCountry: string;
  /**
   * Postal code of the recipient
   */
  recipientPostalCode: string;
  /**
   * Your name for the account; the label if left out
   */
  nickName?: string;
}
/**
 * The answer of linkInternationalAccount
 */
export interface LinkInternationalAccountAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The result, for people
   */
  message: string;
  data: LinkInternationalAccountAnswerData;
}
/**
 * The result
 */
export interface LinkInternationalAccountAnswerData {
  /**
   * The linkedAccountId of withdrawals
   */
  id: string;
}
/**
 * The body of createApplicationToken
 */
export interface ApplicationTokenRequest {
  /**
   * PAYOUT: the end user may withdraw once. ACCOUNT: the end user may link an account
   */
  tokenType: "PAYOUT" | "ACCOUNT";
  /**
   * The end user that may use the token
   */
  entityId: string;
  currency: Currency;
  /**
   * The required amount of the withdrawal
   */
  amount?: number;
  /**
   * The payout debits the business's own wallet, not the end user's
   */
  withdrawalSource?: "MERCHANT_WALLET";
  /**
   * The business's own wallet that is debited
   */
  walletId?: string;
  /**
   * When it expires: in the future, 24 hours from now if left out
   */
  expiredAt?: string;
}
/**
 * The answer of createApplicationToken
 */
export interface CreateApplicationTokenAnswer {
  /**
   * Always true
   */
  success: true;
  data: ApplicationToken;
}
/**
 * A token with which an end user pays out once, or links an account
 */
export interface ApplicationToken {
  /**
   * The id of the token
   */
  id: string;
  /**
   * The token itself on creation; later masked to its last four
   */
  token: string;
  /**
   * PAYOUT: the end user may withdraw once. ACCOUNT: the end user may link an account
   */
  tokenType: "PAYOUT" | "ACCOUNT";
  /**
   * The end user that may use the token
   */
  entityId: string;
  currency: Currency;
  /**
   * The required amount of the withdrawal, if there is one. A decimal string with two places
   */
  amount?: string;
  /**
   * The payout debits the business's own wallet, not the end user's
   */
  withdrawalSource?: "MERCHANT_WALLET";
  /**
   * Of `MERCHANT_WALLET` tokens only
   */
  walletId?: string;
  /**
   * When it expires
   */
  expiredAt: string;
  /**
   * Whether it can be used
   */
  valid: boolean;
}
/**
 * The answer of listApplicationTokens
 */
export interface ListApplicationTokensAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: ApplicationToken[];
  meta: ListMeta;
}
/**
 * The body of createWithdrawal
 */
export interface WithdrawalRequest {
  /**
   * The type of the debited wallet
   */
  walletType: "SPEND";
  /**
   * The amount to pay out, without fees
   */
  amount: number;
  /**
   * The reason or reference of the payout
   */
  reason: string;
  /**
   * The network of a payout to a bank account; ACH if left out. Cards ignore it
   */
  routingType?: "ACH" | "RTP" | "WIRE" | "BANK";
  /**
   * Your id of the payout, unique among the payouts of the business
   */
  reference?: string;
  metadata?: PayoutMetadata;
  /**
   * With "payout", in any case, the flow of the transaction is PAYMENT; otherwise it is PAYOUT
   */
  transactionType?: string;
}
/**
 * The answer of createWithdrawal
 */
export interface CreateWithdrawalAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The next steps, for people
   */
  message: string;
  data: WithdrawalResult;
}
/**
 * An accepted withdrawal
 */
export interface WithdrawalResult {
  /**
   * The id of the transaction
   */
  id: string;
  /**
   * The status of the payout; the final one comes later
   */
  status: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
  /**
   * The fee. A decimal string with two places
   */
  fees: string;
  /**
   * What the wallet is debited with: payout and fee. A decimal string with two places
   */
  amount: string;
}
/**
 * The body of createPayout
 */
export interface PayoutRequest {
  /**
   * The linked account that is paid, in USD
   */
  linkedAccountId: string;
  /**
   * The wallet of the business itself that is debited; the linked account's own if left out
   */
  walletId?: string;
  /**
   * The amount to pay out, without fees
   */
  amount: number;
  /**
   * The reason or reference of the payout
   */
  reason: string;
  /**
   * The network of a payout to a bank account; ACH if left out. Cards ignore it
   */
  routingType?: "ACH" | "RTP" | "WIRE" | "BANK";
  /**
   * Your id of the payout, unique among the payouts of the business
   */
  reference?: string;
  metadata?: PayoutMetadata;
}
/**
 * The answer of createPayout
 */
export interface CreatePayoutAnswer {
  /**
   * Always true
   */
  success: true;
  data: BusinessPayout;
}
/**
 * An accepted payout of the business
 */
export interface BusinessPayout {
  /**
   * The id of the transaction
   */
  id: string;
  /**
   * The status of the payout; the final one comes later
   */
  status: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
  /**
   * The fee. A decimal string with two places
   */
  fees: string;
  /**
   * What the wallet is debited with: payout and fee. A decimal string with two places
   */
  amount: string;
  /**
   * Your id of the payout, unique among the payouts of the business
   */
  reference: string | null;
}
/**
 * The answer of listWithdrawals
 */
export interface ListWithdrawalsAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: Withdrawal[];
  meta: CursorMeta;
}
/**
 * A withdrawal, as its own caller sees it
 */
export interface Withdrawal {
  /**
   * The id of the transaction
   */
  id: string;
  /**
   * The status of the payout
   */
  status: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
  /**
   * What the wallet was debited with: payout and fee. A decimal string with two places
   */
  amount: string;
  /**
   * The fee. A decimal string with two places
   */
  fees: string;
  currency: Currency;
  /**
   * How the money travels
   */
  method: "BANK_TRANSFER_ACH" | "BANK_TRANSFER_RTP" | "BANK_TRANSFER_WIRE" | "PUSH_TO_CARD";
  /**
   * The linked account that is paid
   */
  linkedAccountId: string;
  /**
   * The wallet that was debited
   */
  walletId: string;
  /**
   * The reason of the request
   */
  reason: string;
  /**
   * Why the payout failed
   */
  failureReason:
    | (
        | "Recipient account not found."
        | "Duplicate transaction detected."
        | "Transaction declined for compliance reasons."
        | "Payment could not be processed."
        | "Your payment could not be processed. Please try a different card."
        | "Payment was cancelled."
      )
    | null;
  /**
   * When it was created
   */
  createdAt: string;
  /**
   * When it last changed
   */
  updatedAt: string;
}
/**
 * The answer of listWithdrawalLimits
 */
export interface ListWithdrawalLimitsAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The result
   *
   * @maxItems 400
   */
  data: PayoutLimitLeft[];
}
/**
 * A limit, and what is left of it
 */
export interface PayoutLimitLeft {
  /**
   * Whether it holds for the business as a whole, or for each owner of a wallet alone
   */
  scope: "business" | "entity";
  /**
   * The method; null for all of them
   */
  method: ("ACH" | "RTP" | "WIRE" | "PUSH_TO_CARD") | null;
  currency: Currency;
  /**
   * Of each payout, or of all payouts of a day or a month in UTC
   */
  per: "payout" | "day" | "month";
  /**
   * What it allows: an amount without fees, or a number of payouts
   */
  max: unknown;
  /**
   * What is used of it
   */
  used: unknown;
  /**
   * When it begins anew; null for a limit of each payout
   */
  resetsAt: string | null;
  /**
   * What is left of it
   */
  left: unknown;
}
/**
 * The answer of getWithdrawal
 */
export interface GetWithdrawalAnswer {
  /**
   * Always true
   */
  success: true;
  data: Withdrawal;
}
/**
 * The answer of getLimits
 */
export interface GetLimitsAnswer {
  /**
   * Always true
   */
  success: true;
  data: PayoutLimits;
}
/**
 * Limits of what is paid out
 */
export interface PayoutLimits {
  /**
   * The limits; those of the other side hold too
   *
   * @maxItems 50
   */
  limits: PayoutLimit[];
}
/**
 * A limit of what is paid out
 */
export interface PayoutLimit {
  /**
   * Whether it holds for the business as a whole, or for each owner of a wallet alone
   */
  scope: "business" | "entity";
  /**
   * Only payouts by this method; by all methods if left out
   */
  method?: "ACH" | "RTP" | "WIRE" | "PUSH_TO_CARD";
  currency: Currency;
  /**
   * Of each payout, or of all payouts of a day or a month in UTC
   */
  per: "payout" | "day" | "month";
  /**
   * The greatest amount, without fees
   */
  amount?: string;
  /**
   * The greatest number of payouts
   */
  count?: number;
}
/**
 * The body of setLimits
 */
export interface SetLimitsRequest {
  /**
   * The limits; those of the other side hold too
   *
   * @maxItems 50
   */
  limits: PayoutLimit[];
}
/**
 * The answer of setLimits
 */
export interface SetLimitsAnswer {
  /**
   * Always true
   */
  success: true;
  data: PayoutLimits;
}
/**
 * The answer of listTransactions
 */
export interface ListTransactionsAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: Transaction[];
  meta: CursorMeta;
}
/**
 * The answer of getTransaction
 */
export interface GetTransactionAnswer {
  /**
   * Always true
   */
  success: true;
  data: Transaction;
}
/**
 * The answer of getTransactionTimeline
 */
export interface GetTransactionTimelineAnswer {
  /**
   * Always true
   */
  success: true;
  data: TransactionTimeline;
}
/**
 * What became of a transaction
 */
export interface TransactionTimeline {
  /**
   * The X-Request-Id of the request that made it, which log lines about it have too; null if no request made it
   */
  requestId?: string | null;
  /**
   * The statuses that it has entered, oldest first
   *
   * @maxItems 100
   */
  states: TransactionState[];
  /**
   * Its entries in the statement of the wallet; of a transfer, in those of both wallets
   *
   * @maxItems 500
   */
  entries: StatementEntry[];
  /**
   * The deliveries of its events
   *
   * @maxItems 1000
   */
  deliveries: TransactionDelivery[];
}
/**
 * A status that a transaction has entered
 */
export interface TransactionState {
  /**
   * The status
   */
  status: string;
  /**
   * When it was entered
   */
  at: string;
  /**
   * The operator who decided, and why
   */
  by?: string;
}
/**
 * A delivery, as the timeline of a transaction shows it
 */
export interface TransactionDelivery {
  /**
   * The id of the delivery
   */
  id: string;
  /**
   * The webhook endpoint that it is to
   */
  endpointId?: string;
  /**
   * The webhook-id of the event
   */
  eventId: string;
  /**
   * The type of the event
   */
  eventType:
    | "WITHDRAWAL"
    | "COLLECTION"
    | "NOTIFICATION"
    | "REFUND"
    | "SUBSCRIPTION"
    | "INVOICE"
    | "FUNDING"
    | "ADJUSTMENT"
    | "TRANSFER"
    | "BALANCE"
    | "ENDPOINT"
    | "TEST"
    | "LEDGER";
  /**
   * The transaction that the event is about
   */
  transactionId: string | null;
  /**
   * Whether it was delivered; a dead letter is not tried any more
   */
  status: "PENDING" | "DELIVERED" | "DEAD_LETTER";
  /**
   * Why it is not tried any more
   */
  deadLetterReason: ("exhausted" | "superseded" | "refused" | "disabled" | "deleted" | "expired") | null;
  /**
   * When it was created
   */
  createdAt: string;
  /**
   * When it is tried again
   */
  nextAttemptAt: string | null;
  /**
   * The last attempts. If a list would be too long, their responses are left out, then all except the last attempt
   *
   * @maxItems 10
   */
  attempts: DeliveryAttempt[];
  /**
   * The URL of the endpoint; null once it is deleted, left out if a list would be too long
   */
  endpointUrl?: string | null;
}
/**
 * An attempt to deliver an event
 */
export interface DeliveryAttempt {
  /**
   * When the attempt began
   */
  at: string;
  /**
   * The status of your answer; null without an answer
   */
  statusCode: number | null;
  /**
   * How long it took, in milliseconds
   */
  durationMs: number;
  /**
   * Why the attempt failed
   */
  error: string | null;
  /**
   * The kind of the failure; null after an answer with 2xx
   */
  errorClass: ("dns" | "address" | "connection" | "tls" | "timeout" | "protocol" | "status" | "secret") | null;
  /**
   * The beginning of the answer's body, as text
   */
  response: string | null;
}
/**
 * The answer of cancelTransaction
 */
export interface CancelTransactionAnswer {
  /**
   * Always true
   */
  success: true;
  data: Transaction;
}
/**
 * The answer of getWebhookPayload
 */
export interface GetWebhookPayloadAnswer {
  /**
   * Always true
   */
  success: true;
  data: WithdrawalEvent;
}
/**
 * A payout has entered a status
 */
export interface WithdrawalEvent {
  /**
   * The type of the event
   */
  eventType: "WITHDRAWAL";
  /**
   * The status of the payout
   */
  status: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
  payload: WithdrawalPayload;
}
/**
 * The payout
 */
export interface WithdrawalPayload {
  /**
   * What has happened, for people
   */
  description: string;
  /**
   * How the money travels
   */
  method: "BANK_TRANSFER_ACH" | "BANK_TRANSFER_RTP" | "BANK_TRANSFER_WIRE" | "PUSH_TO_CARD";
  /**
   * The id of the payout
   */
  transactionId: string;
  /**
   * The wallet that was debited
   */
  walletId: string;
  /**
   * The end user or business whose wallet was debited
   */
  entityId: string;
  /**
   * An end user, or the business itself
   */
  entityType: "USER" | "BUSINESS";
  /**
   * The reason of the request
   */
  summary: string;
  /**
   * The side of the wallet that the payout is on
   */
  entry: "DEBIT" | "CREDIT";
  /**
   * The amount that is paid out, without fees, in major units
   */
  amount: number;
  currency: Currency;
  /**
   * When it happened, in milliseconds since 1970
   */
  timestamp: number;
  /**
   * The fee. A decimal string with two places
   */
  feeCharged: string;
  /**
   * Why the payout failed; otherwise empty
   */
  reason:
    | ""
    | "Recipient account not found."
    | "Duplicate transaction detected."
    | "Transaction declined for compliance reasons."
    | "Payment could not be processed."
    | "Your payment could not be processed. Please try a different card."
    | "Payment was cancelled.";
}
/**
 * The answer of getStatistics
 */
export interface GetStatisticsAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The result
   *
   * @maxItems 279
   */
  data: DayStatistics[];
}
/**
 * What was created on a day, and what has become of it
 */
export interface DayStatistics {
  /**
   * The day on which they were created, in UTC
   */
  day: string;
  /**
   * What is counted
   */
  flow: "payouts" | "collections" | "refunds";
  currency: Currency;
  /**
   * How many have succeeded by now
   */
  succeeded: number;
  /**
   * How many have failed by now
   */
  failed: number;
  /**
   * How many have not ended yet
   */
  open: number;
  /**
   * The sum of the amounts of those that have succeeded. A decimal string with two places
   */
  amount: string;
  /**
   * The sum of their fees; of refunds, the fees that were given back. A decimal string with two places
   */
  fees: string;
  /**
   * The time from the acceptance of a payout to its success; null without one, and for others
   */
  secondsToSettle: DayStatisticsSecondsToSettle | null;
}
/**
 * The time from the acceptance of a payout to its success; null without one, and for others
 */
export interface DayStatisticsSecondsToSettle {
  /**
   * The median
   */
  median: number;
  /**
   * The 95th percentile
   */
  p95: number;
}
/**
 * The answer of getBalanceReport
 */
export interface GetBalanceReportAnswer {
  /**
   * Always true
   */
  success: true;
  data: BalanceReport;
}
/**
 * The money of a period. The opening balance plus the sum of net is the closing balance
 */
export interface BalanceReport {
  /**
   * The balance before the first movement. A decimal string with two places
   */
  opening: string;
  /**
   * The balance after the last movement. A decimal string with two places
   */
  closing: string;
  /**
   * The movements, oldest first
   *
   * @maxItems 1000000000
   */
  rows: BalanceRow[];
}
/**
 * A movement of money
 */
export interface BalanceRow {
  /**
   * When it was posted
   */
  createdAt: string;
  /**
   * What moved. A payout that fails comes back as PAYOUT_REVERSAL, a refund that is refused as a REFUND above zero
   */
  kind: "PAYOUT" | "PAYOUT_REVERSAL" | "PAYMENT" | "REFUND" | "FUNDING" | "TRANSFER" | "ADJUSTMENT" | "DISPUTE";
  /**
   * The transaction, refund or transfer that it belongs to
   */
  transactionId: string;
  /**
   * The amount without the fee, with the sign of net. A decimal string with two places
   */
  gross: string;
  /**
   * What payrail kept; below zero if it gave a fee back. A decimal string with two places
   */
  fee: string;
  /**
   * What the account changed by: gross less fee; below zero if it was debited. A decimal string with two places
   */
  net: string;
  /**
   * The balance of the account after it. A decimal string with two places
   */
  balance: string;
  /**
   * Your own reference: that of the payout, the funding, the transfer or the refund, or the orderId of the payment's link; null without one
   */
  reference: string | null;
  /**
   * The wallet or collection account that it changed
   */
  accountId: string;
  /**
   * The person on the other side: the recipient of a payout, the customer of a payment or of a refund; null without one, and once the person is erased
   */
  party: string | null;
}
/**
 * The answer of listBalances
 */
export interface ListBalancesAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The currencies in which the business has an account
   *
   * @maxItems 5
   */
  data: Balances[];
}
/**
 * The money of a business in a currency
 */
export interface Balances {
  currency: Currency;
  /**
   * The balance of the business's own wallet. A decimal string with two places
   */
  own: string;
  /**
   * The balance of its collection account. A decimal string with two places
   */
  collection: string;
  /**
   * The sum of the wallets of its end users. A decimal string with two places
   */
  entities: string;
}
/**
 * The body of createPaymentLink: one_time
 */
export interface OneTimePaymentLinkRequest {
  currency: Currency;
  /**
   * The title of the page; `page` if left out
   */
  name?: string;
  /**
   * The amount that is charged
   */
  amount: number;
  /**
   * The readable part of the checkout URL: a slug; `page` if left out
   */
  customUrlPath?: string;
  /**
   * Where the customer goes after paying; the operator may have set a default
   */
  redirectTo?: string;
  /**
   * When the link expires: in the future, one year from now if left out
   */
  expiredAt?: string;
  /**
   * The look of the page; `generic` if left out
   */
  checkoutType?: "generic" | "ecommerce";
  /**
   * Whether the link can be paid any number of times, or once; true if left out
   */
  isOpenLink?: boolean;
  /**
   * Whether the customer pays the fee on top; true if left out
   */
  customerPays?: boolean;
  /**
   * Your id of the order
   */
  orderId?: string;
  /**
   * What else to ask the customer for, beside email, names and phone number
   *
   * @maxItems 20
   */
  dataCollections?: string[];
  /**
   * The names of further fields that the customer may fill
   *
   * @maxItems 20
   */
  customFields?: string[];
  /**
   * The ways to pay. The checkout takes only `card`: a link that names others alone cannot be paid; ["card"] if left out
   *
   * @maxItems 20
   */
  acceptedPaymentOptions?: string[];
  /**
   * Whether a NOTIFICATION event after a payment names the business, which is paid; false if left out
   */
  notifyPayee?: boolean;
  agent?: Agent;
  brandingConfig?: BrandingConfig;
  advancedConfig?: AdvancedConfig;
  /**
   * Your own texts, which come back with payments
   */
  customData?: {
    [k: string]: string | undefined;
  };
  /**
   * Where the items go
   */
  itemDeliveryAddress: string;
  /**
   * What the customer pays for; amount is what is charged
   *
   * @minItems 1
   * @maxItems 200
   */
  cartItems: CartItem[];
  /**
   * Another id of yours
   */
  externalId?: string;
}
/**
 * An endpoint that gets the events of this link
 */
export interface AdvancedConfig {
  /**
   * The address of your website
   */
  websiteUrl: string;
  /**
   * The path at that address which gets the events of this link
   */
  webhookPath: string;
  /**
   * Signs the deliveries: whsec_ and the base64 of 24 to 64 bytes
   */
  webhookSecret?: string;
}
/**
 * The body of createPaymentLink: subscription
 */
export interface SubscriptionPaymentLinkRequest {
  currency: Currency;
  /**
   * The title of the page; `page` if left out
   */
  name?: string;
  /**
   * The amount that is charged
   */
  amount: number;
  /**
   * The readable part of the checkout URL: a slug; `page` if left out
   */
  customUrlPath?: string;
  /**
   * Where the customer goes after paying; the operator may have set a default
   */
  redirectTo?: string;
  /**
   * When the link expires: in the future, one year from now if left out
   */
  expiredAt?: string;
  /**
   * A recurring link
   */
  checkoutType: "recurring";
  /**
   * Whether the link can be paid any number of times, or once; true if left out
   */
  isOpenLink?: boolean;
  /**
   * Whether the customer pays the fee on top; true if left out
   */
  customerPays?: boolean;
  /**
   * Your id of the order
   */
  orderId?: string;
  /**
   * What else to ask the customer for, beside email, names and phone number
   *
   * @maxItems 20
   */
  dataCollections?: string[];
  /**
   * The names of further fields that the customer may fill
   *
   * @maxItems 20
   */
  customFields?: string[];
  /**
   * The ways to pay. The checkout takes only `card`: a link that names others alone cannot be paid; ["card"] if left out
   *
   * @maxItems 20
   */
  acceptedPaymentOptions?: string[];
  /**
   * Whether a NOTIFICATION event after a payment names the business, which is paid; false if left out
   */
  notifyPayee?: boolean;
  agent?: Agent;
  brandingConfig?: BrandingConfig;
  advancedConfig?: AdvancedConfig;
  /**
   * Your own texts, which come back with payments
   */
  customData?: {
    [k: string]: string | undefined;
  };
  /**
   * Where the items go
   */
  itemDeliveryAddress: string;
  /**
   * What the customer pays for; amount is what is charged
   *
   * @minItems 1
   * @maxItems 200
   */
  cartItems: CartItem[];
  /**
   * Another id of yours
   */
  externalId?: string;
  recurringCharge: SubscriptionCharge;
}
/**
 * The body of createPaymentLink: consumption
 */
export interface ConsumptionPaymentLinkRequest {
  currency: Currency;
  /**
   * The title of the page; `page` if left out
   */
  name?: string;
  /**
   * The amount that is charged: required and at least 0.5 for one-time links and subscriptions, otherwise stored only
   */
  amount?: number;
  /**
   * The readable part of the checkout URL: a slug; `page` if left out
   */
  customUrlPath?: string;
  /**
   * Where the customer goes after paying; the operator may have set a default
   */
  redirectTo?: string;
  /**
   * When the link expires: in the future, one year from now if left out
   */
  expiredAt?: string;
  /**
   * A recurring link
   */
  checkoutType: "recurring";
  /**
   * Whether the link can be paid any number of times, or once; true if left out
   */
  isOpenLink?: boolean;
  /**
   * Whether the customer pays the fee on top; true if left out
   */
  customerPays?: boolean;
  /**
   * Your id of the order
   */
  orderId?: string;
  /**
   * What else to ask the customer for, beside email, names and phone number
   *
   * @maxItems 20
   */
  dataCollections?: string[];
  /**
   * The names of further fields that the customer may fill
   *
   * @maxItems 20
   */
  customFields?: string[];
  /**
   * The ways to pay. The checkout takes only `card`: a link that names others alone cannot be paid; ["card"] if left out
   *
   * @maxItems 20
   */
  acceptedPaymentOptions?: string[];
  /**
   * Whether a NOTIFICATION event after a payment names the business, which is paid; false if left out
   */
  notifyPayee?: boolean;
  agent?: Agent;
  brandingConfig?: BrandingConfig;
  advancedConfig?: AdvancedConfig;
  /**
   * Your own texts, which come back with payments
   */
  customData?: {
    [k: string]: string | undefined;
  };
  /**
   * Where the items go
   */
  itemDeliveryAddress: string;
  /**
   * What the customer pays for; amount is what is charged
   *
   * @minItems 1
   * @maxItems 200
   */
  cartItems: CartItem[];
  /**
   * Another id of yours
   */
  externalId?: string;
  recurringCharge: ConsumptionCharge;
}
/**
 * The body of createPaymentLink: seating
 */
export interface SeatingPaymentLinkRequest {
  currency: Currency;
  /**
   * The title of the page; `page` if left out
   */
  name?: string;
  /**
   * The amount that is charged: required and at least 0.5 for one-time links and subscriptions, otherwise stored only
   */
  amount?: number;
  /**
   * The readable part of the checkout URL: a slug; `page` if left out
   */
  customUrlPath?: string;
  /**
   * Where the customer goes after paying; the operator may have set a default
   */
  redirectTo?: string;
  /**
   * When the link expires: in the future, one year from now if left out
   */
  expiredAt?: string;
  /**
   * A recurring link
   */
  checkoutType: "recurring";
  /**
   * Whether the link can be paid any number of times, or once; true if left out
   */
  isOpenLink?: boolean;
  /**
   * Whether the customer pays the fee on top; true if left out
   */
  customerPays?: boolean;
  /**
   * Your id of the order
   */
  orderId?: string;
  /**
   * What else to ask the customer for, beside email, names and phone number
   *
   * @maxItems 20
   */
  dataCollections?: string[];
  /**
   * The names of further fields that the customer may fill
   *
   * @maxItems 20
   */
  customFields?: string[];
  /**
   * The ways to pay. The checkout takes only `card`: a link that names others alone cannot be paid; ["card"] if left out
   *
   * @maxItems 20
   */
  acceptedPaymentOptions?: string[];
  /**
   * Whether a NOTIFICATION event after a payment names the business, which is paid; false if left out
   */
  notifyPayee?: boolean;
  agent?: Agent;
  brandingConfig?: BrandingConfig;
  advancedConfig?: AdvancedConfig;
  /**
   * Your own texts, which come back with payments
   */
  customData?: {
    [k: string]: string | undefined;
  };
  /**
   * Where the items go
   */
  itemDeliveryAddress: string;
  /**
   * What the customer pays for; amount is what is charged
   *
   * @minItems 1
   * @maxItems 200
   */
  cartItems: CartItem[];
  /**
   * Another id of yours
   */
  externalId?: string;
  recurringCharge: SeatingCharge;
}
/**
 * The answer of createPaymentLink
 */
export interface CreatePaymentLinkAnswer {
  /**
   * Always true
   */
  success: true;
  data: CreatedPaymentLink;
}
/**
 * A new payment link
 */
export interface CreatedPaymentLink {
  /**
   * The URL of the checkout, to share with customers
   */
  url: string;
  application: CreatedPaymentLinkApplication;
  /**
   * The acceptedPaymentOptions that the checkout does not take
   *
   * @maxItems 20
   */
  unsupportedPaymentOptions?: string[];
}
/**
 * The token of the link
 */
export interface CreatedPaymentLinkApplication {
  /**
   * The id of the payment link
   */
  id: string;
  /**
   * The secret in the URL of the link
   */
  token: string;
  /**
   * The type of the token
   */
  tokenType: "PAYMENT_LINK";
  /**
   * When the link expires
   */
  expiredAt: string;
  /**
   * Whether the link can be paid: not once it is used, expired or disabled
   */
  valid: boolean;
}
/**
 * The answer of listPaymentLinks
 */
export interface ListPaymentLinksAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: ListedPaymentLink[];
  meta: ListMeta;
}
/**
 * A payment link, as lists show it
 */
export interface ListedPaymentLink {
  /**
   * The id of the payment link
   */
  id: string;
  /**
   * Whether it can be paid; USED: it could be paid once, and was
   */
  status: "ACTIVE" | "USED" | "EXPIRED" | "DISABLED";
  /**
   * The URL of the checkout; null if its encryption key is no longer configured
   */
  url: string | null;
  application: ListedPaymentLinkApplication;
  /**
   * The number of payments that succeeded, counted up to 10000
   */
  payments: number;
  /**
   * When it was created
   */
  createdAt: string;
  currency: Currency;
  /**
   * The title of the page; `page` if left out
   */
  name?: string;
  /**
   * The amount that is charged: required and at least 0.5 for one-time links and subscriptions, otherwise stored only
   */
  amount?: number;
  /**
   * The readable part of the checkout URL: a slug; `page` if left out
   */
  customUrlPath?: string;
  /**
   * When the link expires: in the future, one year from now if left out
   */
  expiredAt?: string;
  /**
   * The kind of link; `generic` if left out
   */
  checkoutType?: "generic" | "ecommerce" | "recurring";
  recurringCharge?: RecurringCharge;
  /**
   * Whether the link can be paid any number of times, or once; true if left out
   */
  isOpenLink?: boolean;
  /**
   * Whether the customer pays the fee on top; true if left out
   */
  customerPays?: boolean;
  /**
   * Your id of the order
   */
  orderId?: string;
  /**
   * Whether a NOTIFICATION event after a payment names the business, which is paid; false if left out
   */
  notifyPayee?: boolean;
  /**
   * Another id of yours
   */
  externalId?: string;
}
/**
 * The token of the link
 */
export interface ListedPaymentLinkApplication {
  /**
   * The id of the payment link
   */
  id: string;
  /**
   * The secret in the URL of the link; null if its encryption key is no longer configured
   */
  token: string | null;
  /**
   * The type of the token
   */
  tokenType: "PAYMENT_LINK";
  /**
   * When the link expires
   */
  expiredAt: string;
  /**
   * Whether the link can be paid: not once it is used, expired or disabled
   */
  valid: boolean;
}
/**
 * The answer of getPaymentLink
 */
export interface GetPaymentLinkAnswer {
  /**
   * Always true
   */
  success: true;
  data: PaymentLink;
}
/**
 * The answer of disablePaymentLink
 */
export interface DisablePaymentLinkAnswer {
  /**
   * Always true
   */
  success: true;
  data: PaymentLink;
}
/**
 * The answer of getCheckout
 */
export interface GetCheckoutAnswer {
  /**
   * Always true
   */
  success: true;
  data: Checkout;
}
/**
 * What the customer sees of a payment link
 */
export interface Checkout {
  /**
   * The title of the page
   */
  name: string;
  /**
   * The business that is paid
   */
  businessName: string;
  /**
   * Whether the link can be paid; PAUSED while payments to the business are paused
   */
  status: "ACTIVE" | "USED" | "EXPIRED" | "DISABLED" | "PAUSED";
  /**
   * The kind of link
   */
  checkoutType: string;
  currency: Currency;
  /**
   * The price. A decimal string with two places
   */
  amount: string;
  /**
   * The fee that the customer pays on top. A decimal string with two places
   */
  fees: string;
  /**
   * What the customer pays. A decimal string with two places
   */
  total: string;
  /**
   * What the customer pays for
   *
   * @maxItems 200
   */
  items: CheckoutItem[];
  /**
   * What the customer fills in; the first four are the fields of `customer`
   *
   * @maxItems 44
   */
  fields: CheckoutField[];
  /**
   * What the customer does here: pay, or save a card for a subscription
   */
  purpose: "pay" | "subscribe" | "change_method";
  /**
   * How and when the customer is charged
   */
  recurring: RecurringCharge | null;
  /**
   * Whether the customer pays the fee on top of prices
   */
  feesOnTop: boolean;
  /**
   * Charged immediately: the total of a payment, or the amount due when a payment method is saved
   */
  dueNow: string;
  /**
   * When the coming subscription is first charged, at the soonest
   */
  firstChargeAt: string | null;
  /**
   * The first charge of the coming subscription; null without one
   */
  firstCharge?: CheckoutFirstCharge | null;
  branding: CheckoutBranding;
  /**
   * Where the customer goes after paying
   */
  redirectTo: string | null;
  /**
   * Whether any number of payments or subscriptions may be made with it
   */
  isOpenLink?: boolean;
  /**
   * The ways to pay; if there is none, the link cannot be paid
   *
   * @maxItems 1
   */
  paymentOptions?: "card"[];
  /**
   * Whether cards are test cards, from `POST /v1/sandbox/card-tokens`
   */
  takesTestCards?: boolean;
  /**
   * The vault of the card processor; null in the sandbox, and if no card is taken
   */
  vault: CheckoutVault | null;
}
/**
 * An item that the customer pays for
 */
export interface CheckoutItem {
  /**
   * The name of the item
   */
  name: string;
  /**
   * What the item is
   */
  description: string;
  /**
   * How many
   */
  qty?: number;
  /**
   * The price of one. A decimal string with two places
   */
  price?: string;
  /**
   * The price of all of them; absent if the items do not add up to the amount. A decimal string with two places
   */
  total?: string;
  /**
   * An image of the item
   */
  imageUrl?: string;
}
/**
 * A field that the customer fills in
 */
export interface CheckoutField {
  /**
   * The name of the field
   */
  name: string;
  /**
   * Whether it must be filled
   */
  required: boolean;
}
/**
 * The first charge of the coming subscription; null without one
 */
export interface CheckoutFirstCharge {
  /**
   * The sum, the fee on top included; without any usage. A decimal string with two places
   */
  amount: string;
  /**
   * The fee in it that the customer pays. A decimal string with two places
   */
  fees: string;
  /**
   * When the subscription is charged after it
   */
  nextAt: string;
}
/**
 * The look of the page, and how customers reach the business
 */
export interface CheckoutBranding {
  /**
   * The image at the top of the page
   */
  logo: string | null;
  /**
   * The colour of buttons
   */
  primaryColor: string | null;
  /**
   * The colour of the page
   */
  backgroundColor: string | null;
  /**
   * Where customers reach the business
   */
  supportEmail?: string | null;
  /**
   * The terms of sale
   */
  termsUrl?: string | null;
}
/**
 * The vault of the card processor; null in the sandbox, and if no card is taken
 */
export interface CheckoutVault {
  /**
   * The page that takes the card, for a frame
   */
  fieldUrl: string;
  /**
   * Whether it wants the postcode of the card's bill with its question
   */
  wantsPostcode?: boolean;
}
/**
 * The body of createCheckoutPayment
 */
export interface CheckoutPaymentRequest {
  customer: Customer;
  /**
   * The further fields of the link, by their names
   */
  fields?: {
    [k: string]: string | undefined;
  };
  /**
   * For an open link, and a client that cannot keep its Idempotency-Key: refuse the request while an earlier one with `once`, of the same e-mail address, has no outcome, and for ten minutes after its success; false if left out
   */
  once?: boolean;
  paymentMethod: PaymentMethod;
}
/**
 * How the customer pays
 */
export interface PaymentMethod {
  /**
   * A card
   */
  type: "card";
  /**
   * The token of the card in its vault
   */
  token: string;
}
/**
 * The answer of createCheckoutPayment
 */
export interface CreateCheckoutPaymentAnswer {
  /**
   * Always true
   */
  success: true;
  data: CheckoutPayment;
}
/**
 * A payment, as the customer sees it
 */
export interface CheckoutPayment {
  /**
   * The id of the payment
   */
  id: string;
  /**
   * PENDING: the outcome is not known yet
   */
  status: "PENDING" | "SUCCEEDED" | "FAILED";
  /**
   * Why the payment failed
   */
  reason?: string;
  /**
   * With PENDING: the card's issuer asks the customer to confirm the payment (3-D Secure), until then
   */
  confirmUntil?: string;
  /**
   * With confirmUntil: what the vault's field carries out, in its message payrail.confirm
   */
  action?: string;
  receipt?: CheckoutPaymentReceipt;
  /**
   * Where the customer goes after paying
   */
  redirectTo: string | null;
}
/**
 * With SUCCEEDED: the facts of a receipt
 */
export interface CheckoutPaymentReceipt {
  /**
   * The sum that the card was charged. A decimal string with two places
   */
  amount: string;
  /**
   * The part of it that was paid back, or is being paid back. A decimal string with two places
   */
  refunded: string;
  card: CheckoutPaymentReceiptCard;
  /**
   * When it succeeded
   */
  paidAt: string;
}
/**
 * The card that was charged
 */
export interface CheckoutPaymentReceiptCard {
  /**
   * The brand of the card
   */
  brand: string;
  /**
   * The last four digits of its number
   */
  last4: string;
}
/**
 * The answer of getCheckoutPayment
 */
export interface GetCheckoutPaymentAnswer {
  /**
   * Always true
   */
  success: true;
  data: CheckoutPayment;
}
/**
 * The answer of continueCheckoutPayment
 */
export interface ContinueCheckoutPaymentAnswer {
  /**
   * Always true
   */
  success: true;
  data: CheckoutPayment;
}
/**
 * The answer of getCheckoutAttempt
 */
export interface GetCheckoutAttemptAnswer {
  /**
   * Always true
   */
  success: true;
  data: CheckoutAttempt;
}
/**
 * The payment, or the set-up, that the request has made
 */
export interface CheckoutAttempt {
  payment?: CheckoutPayment;
  setup?: CheckoutSetup;
}
/**
 * The subscription of the saved card
 */
export interface CheckoutSetup {
  /**
   * The id of the subscription
   */
  subscriptionId: string;
  /**
   * The status of the subscription
   */
  status: "trialing" | "active" | "past_due" | "cancelled";
  /**
   * The page where its customer sees and cancels the subscription: a secret of this customer. Left out after another card is saved
   */
  manageUrl?: string;
}
/**
 * The body of createCheckoutSetup
 */
export interface CheckoutSetupRequest {
  customer?: Customer;
  /**
   * The further fields of the link, by their names
   */
  fields?: {
    [k: string]: string | undefined;
  };
  /**
   * For an open link, and a client that cannot keep its Idempotency-Key: refuse the request while an earlier one with `once`, of the same e-mail address, has no outcome, and for ten minutes after its success; false if left out
   */
  once?: boolean;
  paymentMethod: PaymentMethod;
}
/**
 * The answer of createCheckoutSetup
 */
export interface CreateCheckoutSetupAnswer {
  /**
   * Always true
   */
  success: true;
  data: CheckoutSetup;
}
/**
 * The body of createCardToken
 */
export interface CardTokenRequest {
  /**
   * The card number, of 12 to 19 digits
   */
  number: string;
  /**
   * The month in which the card expires
   */
  expMonth: number;
  /**
   * The year in which the card expires
   */
  expYear: number;
  /**
   * The security code
   */
  cvc: string;
}
/**
 * The answer of createCardToken
 */
export interface CreateCardTokenAnswer {
  /**
   * Always true
   */
  success: true;
  data: CardToken;
}
/**
 * A stored card
 */
export interface CardToken {
  /**
   * The token, for paymentMethod.token
   */
  token: string;
  /**
   * The brand of the card
   */
  brand: string;
  /**
   * The last four digits of the card number
   */
  last4: string;
}
/**
 * The answer of notifyOfAcquirer
 */
export interface NotifyOfAcquirerAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The result
   */
  data: {};
}
/**
 * The answer of listPayments
 */
export interface ListPaymentsAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: ListedPayment[];
  meta: ListMeta;
}
/**
 * A payment, as lists show it
 */
export interface ListedPayment {
  /**
   * The id of the payment
   */
  id: string;
  /**
   * The payment link that was paid
   */
  paymentLinkId: string;
  /**
   * The subscription that was renewed
   */
  subscriptionId: string | null;
  /**
   * The invoice that was paid
   */
  invoiceId: string | null;
  /**
   * The collection account that is credited
   */
  collectionAccountId: string;
  /**
   * PENDING: the outcome is not known yet
   */
  status: "PENDING" | "SUCCEEDED" | "FAILED";
  /**
   * The amount that was charged. A decimal string with two places
   */
  amount: string;
  /**
   * The fee. A decimal string with two places
   */
  fees: string;
  /**
   * The amount that the collection account is credited with. A decimal string with two places
   */
  net: string;
  /**
   * The amount that was refunded so far. A decimal string with two places
   */
  refunded: string;
  currency: Currency;
  /**
   * The card that pays
   */
  card: Card | null;
  customer: Customer;
  metadata?: PaymentMetadata;
  /**
   * The orderId of the payment link
   */
  orderId: string | null;
  /**
   * The externalId of the payment link
   */
  externalId: string | null;
  /**
   * Why the payment failed
   */
  reason: string | null;
  /**
   * Whether an operator has to decide about it
   */
  needsAttention: boolean;
  /**
   * When it was created
   */
  createdAt: string;
  /**
   * When it last changed
   */
  updatedAt: string;
}
/**
 * The answer of getPayment
 */
export interface GetPaymentAnswer {
  /**
   * Always true
   */
  success: true;
  data: Payment;
}
/**
 * The body of refundPayment
 */
export interface RefundPaymentRequest {
  /**
   * The amount to refund; the rest of the payment if left out
   */
  amount?: number;
  /**
   * Your id of the refund. The same reference refunds once
   */
  reference: string;
}
/**
 * The answer of refundPayment
 */
export interface RefundPaymentAnswer {
  /**
   * Always true
   */
  success: true;
  data: Refund;
}
/**
 * A refund of a payment
 */
export interface Refund {
  /**
   * The id of the refund
   */
  id: string;
  /**
   * The payment that is refunded
   */
  paymentId: string;
  /**
   * PENDING: the outcome is not known yet
   */
  status: "PENDING" | "SUCCEEDED" | "FAILED";
  /**
   * The amount that the customer gets back. A decimal string with two places
   */
  amount: string;
  /**
   * The part of the fee that you get back. A decimal string with two places
   */
  feesReturned: string;
  currency: Currency;
  /**
   * The reference of the request
   */
  reference: string;
  /**
   * Why the refund failed
   */
  reason: string | null;
  /**
   * Whether an operator has to decide about it
   */
  needsAttention: boolean;
  /**
   * When it was created
   */
  createdAt: string;
}
/**
 * The answer of listRefunds
 */
export interface ListRefundsAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: Refund[];
  meta: ListMeta;
}
/**
 * The answer of listSubscriptions
 */
export interface ListSubscriptionsAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: Subscription[];
  meta: ListMeta;
}
/**
 * A subscription
 */
export interface Subscription {
  /**
   * The id of the subscription
   */
  id: string;
  /**
   * The status of the subscription
   */
  status: "trialing" | "active" | "past_due" | "cancelled";
  /**
   * The payment link that it was made with
   */
  paymentLinkId: string;
  /**
   * The collection account that is credited
   */
  collectionAccountId: string;
  /**
   * The name of the payment link
   */
  name: string;
  /**
   * How it is charged
   */
  type: "subscription" | "consumption" | "seating";
  interval: BillingInterval;
  currency: Currency;
  /**
   * Your id of the product
   */
  productId: string | null;
  /**
   * The price of a period; null unless the type is subscription. A decimal string with two places
   */
  amount: string | null;
  /**
   * The prices of usage
   */
  consumptionDetails: ConsumptionDetails | null;
  /**
   * The prices of seats
   */
  seatDetails: SeatDetails | null;
  /**
   * Start of its first period; until then it is a trial
   */
  startDate: string;
  /**
   * The period that runs; null during the trial, and once it is cancelled
   */
  currentPeriod: SubscriptionCurrentPeriod | null;
  /**
   * When the next invoice is issued, by the clock of the business
   */
  nextInvoiceAt: string | null;
  /**
   * The invoice that is not paid yet
   */
  openInvoiceId: string | null;
  /**
   * The number of seats; null unless it is billed by seats
   */
  seats: number | null;
  customer: Customer;
  card: Card;
  /**
   * The orderId of the payment link
   */
  orderId: string | null;
  /**
   * The externalId of the payment link
   */
  externalId: string | null;
  /**
   * The end of the period with which it will be cancelled
   */
  cancelAt: string | null;
  /**
   * When it was cancelled, by the clock of the business
   */
  cancelledAt: string | null;
  /**
   * Why it was cancelled
   */
  cancelReason: ("requested" | "unpaid") | null;
  /**
   * Since when its invoices are held after a restore, until they are released; else null
   */
  heldSince?: string | null;
  /**
   * Whether an operator has to decide about it
   */
  needsAttention: boolean;
  /**
   * When it was created, by the clock of the business
   */
  createdAt: string;
}
/**
 * The period that runs; null during the trial, and once it is cancelled
 */
export interface SubscriptionCurrentPeriod {
  /**
   * When the period begins, by the clock of the business
   */
  periodStart: string;
  /**
   * When the period ends, by the clock of the business
   */
  periodEnd: string;
}
/**
 * The answer of getSubscription
 */
export interface GetSubscriptionAnswer {
  /**
   * Always true
   */
  success: true;
  data: Subscription;
}
/**
 * The answer of listInvoices
 */
export interface ListInvoicesAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: ListedInvoice[];
  meta: ListMeta;
}
/**
 * An invoice, as lists show it
 */
export interface ListedInvoice {
  /**
   * The id of the invoice
   */
  id: string;
  /**
   * Counts the invoices of the business
   */
  number: number;
  /**
   * The subscription that is billed
   */
  subscriptionId: string;
  /**
   * When the period begins, by the clock of the business
   */
  periodStart: string;
  /**
   * When the period ends, by the clock of the business
   */
  periodEnd: string;
  /**
   * The sum of the lines, without the fee that the customer pays on top. A decimal string
   */
  total: string;
  currency: Currency;
  /**
   * The status of the invoice
   */
  status: "open" | "paid" | "failed" | "void";
  /**
   * What is charged; left out if a list would be too long
   *
   * @maxItems 2000
   */
  lines?: InvoiceLine[];
  /**
   * The sum that payrail charges: the total, and the fee if the customer pays it. If an operator accepts another sum that the acquirer captured, that sum. A decimal string with two places
   */
  charged: string;
  /**
   * The attempts to charge it, oldest first
   *
   * @maxItems 50
   */
  attempts: InvoiceAttempt[];
  /**
   * When the card is charged again
   */
  nextAttemptAt: string | null;
  /**
   * When it was issued, by the clock of the business
   */
  issuedAt: string;
  /**
   * When it was paid, by the clock of the business
   */
  paidAt: string | null;
}
/**
 * A line of an invoice
 */
export interface InvoiceLine {
  /**
   * How the amount was computed
   */
  description: string;
  /**
   * How many
   */
  quantity: number;
  /**
   * The price of one. A decimal string with two to six places
   */
  unitAmount: string;
  /**
   * The price of all. A decimal string with two places; negative for a credit
   */
  amount: string;
}
/**
 * An attempt to charge an invoice
 */
export interface InvoiceAttempt {
  /**
   * The attempt, which is a payment
   */
  paymentId: string;
  /**
   * PENDING: the outcome is not known yet
   */
  status: "PENDING" | "SUCCEEDED" | "FAILED";
  /**
   * When it happened, by the clock of the business
   */
  at: string;
  /**
   * Why it failed
   */
  reason: string | null;
}
/**
 * The answer of getInvoice
 */
export interface GetInvoiceAnswer {
  /**
   * Always true
   */
  success: true;
  data: Invoice;
}
/**
 * An invoice of a subscription
 */
export interface Invoice {
  /**
   * The id of the invoice
   */
  id: string;
  /**
   * Counts the invoices of the business
   */
  number: number;
  /**
   * The subscription that is billed
   */
  subscriptionId: string;
  /**
   * When the period begins, by the clock of the business
   */
  periodStart: string;
  /**
   * When the period ends, by the clock of the business
   */
  periodEnd: string;
  /**
   * The sum of the lines, without the fee that the customer pays on top. A decimal string
   */
  total: string;
  currency: Currency;
  /**
   * The status of the invoice
   */
  status: "open" | "paid" | "failed" | "void";
  /**
   * What is charged
   *
   * @maxItems 2000
   */
  lines: InvoiceLine[];
  /**
   * The sum that payrail charges: the total, and the fee if the customer pays it. If an operator accepts another sum that the acquirer captured, that sum. A decimal string with two places
   */
  charged: string;
  /**
   * The attempts to charge it, oldest first
   *
   * @maxItems 50
   */
  attempts: InvoiceAttempt[];
  /**
   * When the card is charged again
   */
  nextAttemptAt: string | null;
  /**
   * When it was issued, by the clock of the business
   */
  issuedAt: string;
  /**
   * When it was paid, by the clock of the business
   */
  paidAt: string | null;
}
/**
 * The answer of previewInvoice
 */
export interface PreviewInvoiceAnswer {
  /**
   * Always true
   */
  success: true;
  data: InvoicePreview;
}
/**
 * The next invoice, as it would be now
 */
export interface InvoicePreview {
  /**
   * When the period begins, by the clock of the business
   */
  periodStart: string;
  /**
   * When the period ends, by the clock of the business
   */
  periodEnd: string;
  /**
   * The sum of the lines, without the fee that the customer pays on top. A decimal string
   */
  total: string;
  currency: Currency;
  /**
   * The status of the invoice
   */
  status: "open" | "paid" | "failed" | "void";
  /**
   * What is charged
   *
   * @maxItems 2000
   */
  lines: InvoiceLine[];
  /**
   * Since when its invoices are held after a restore, until they are released; else null
   */
  heldSince?: string | null;
}
/**
 * The body of recordUsage
 */
export interface RecordUsageRequest {
  /**
   * How many units were used
   */
  units: number;
  /**
   * Your id of the usage. The same reference counts once
   */
  reference: string;
  /**
   * When it was used; now if left out
   */
  at?: string;
}
/**
 * The answer of recordUsage
 */
export interface RecordUsageAnswer {
  /**
   * Always true
   */
  success: true;
  data: Usage;
}
/**
 * Recorded usage
 */
export interface Usage {
  /**
   * The id of the usage
   */
  id: string;
  /**
   * The subscription that was used
   */
  subscriptionId: string;
  /**
   * The reference of the request
   */
  reference: string;
  /**
   * How many units were used
   */
  units: number;
  /**
   * When it happened, by the clock of the business
   */
  at: string;
  /**
   * When the period begins, by the clock of the business
   */
  periodStart: string;
  /**
   * When the period ends, by the clock of the business
   */
  periodEnd: string;
  /**
   * Whether it counts in a later period, because its own is already invoiced
   */
  late: boolean;
}
/**
 * The answer of listUsage
 */
export interface ListUsageAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: Usage[];
  meta: CursorMeta;
}
/**
 * The body of setSeats
 */
export interface SetSeatsRequest {
  /**
   * The new number of seats
   */
  seats: number;
  /**
   * When the seats were changed first, for a change that is repeated while billing is held after a restore
   */
  at?: string;
}
/**
 * The answer of setSeats
 */
export interface SetSeatsAnswer {
  /**
   * Always true
   */
  success: true;
  data: Subscription;
}
/**
 * The body of cancelSubscription
 */
export interface CancelSubscriptionRequest {
  /**
   * Whether it ends immediately, or with the period that is paid
   */
  at: "now" | "period_end";
  /**
   * When it was cancelled first, for a cancellation that is repeated while billing is held after a restore
   */
  askedAt?: string;
}
/**
 * The answer of cancelSubscription
 */
export interface CancelSubscriptionAnswer {
  /**
   * Always true
   */
  success: true;
  data: Subscription;
}
/**
 * The answer of createPaymentMethodLink
 */
export interface CreatePaymentMethodLinkAnswer {
  /**
   * Always true
   */
  success: true;
  data: PaymentMethodLink;
}
/**
 * A link with which the customer saves another card
 */
export interface PaymentMethodLink {
  /**
   * The id of the subscription
   */
  id: string;
  /**
   * The URL to send to the customer
   */
  url: string;
  /**
   * When it expires, 24 hours after it was made
   */
  expiredAt: string;
}
/**
 * The body of setTestClock
 */
export interface SetTestClockRequest {
  /**
   * The new moment, not before the clock's, at most ten years after it
   */
  now: string;
}
/**
 * The answer of setTestClock
 */
export interface SetTestClockAnswer {
  /**
   * Always true
   */
  success: true;
  data: TestClock;
}
/**
 * The clock of a business in the sandbox
 */
export interface TestClock {
  /**
   * The id of the business
   */
  id: string;
  /**
   * The moment at which the clock stands
   */
  now: string;
}
/**
 * The body of createWebhook
 */
export interface WebhookRequest {
  /**
   * The address of the endpoint; https outside development
   */
  url: string;
  /**
   * Your name for the endpoint
   */
  description?: string;
  /**
   * The types of events that it gets; if left out, all but LEDGER, and future ones too
   *
   * @minItems 1
   * @maxItems 13
   */
  eventTypes?: (
    | "WITHDRAWAL"
    | "COLLECTION"
    | "NOTIFICATION"
    | "REFUND"
    | "SUBSCRIPTION"
    | "INVOICE"
    | "FUNDING"
    | "ADJUSTMENT"
    | "TRANSFER"
    | "BALANCE"
    | "ENDPOINT"
    | "TEST"
    | "LEDGER"
  )[];
}
/**
 * The answer of createWebhook
 */
export interface CreateWebhookAnswer {
  /**
   * Always true
   */
  success: true;
  data: WebhookWithSecret;
}
/**
 * A webhook endpoint with its secret
 */
export interface WebhookWithSecret {
  /**
   * The id of the endpoint
   */
  id: string;
  /**
   * The address of the endpoint; https outside development
   */
  url: string;
  /**
   * Your name for the endpoint
   */
  description: string | null;
  /**
   * The types of events that it gets; if left out, all but LEDGER, and future ones too
   *
   * @minItems 1
   * @maxItems 13
   */
  eventTypes: (
    | "WITHDRAWAL"
    | "COLLECTION"
    | "NOTIFICATION"
    | "REFUND"
    | "SUBSCRIPTION"
    | "INVOICE"
    | "FUNDING"
    | "ADJUSTMENT"
    | "TRANSFER"
    | "BALANCE"
    | "ENDPOINT"
    | "TEST"
    | "LEDGER"
  )[];
  /**
   * Whether it gets no events
   */
  disabled: boolean;
  /**
   * Why payrail has disabled it
   */
  disabledReason: string | null;
  /**
   * When it was created
   */
  createdAt: string;
  health?: WebhookHealth;
  /**
   * The secret that signs the deliveries, shown only once
   */
  secret: string;
}
/**
 * Whether a webhook endpoint takes its deliveries
 */
export interface WebhookHealth {
  /**
   * When its failures began; null if its last attempt succeeded
   */
  failingSince: string | null;
  /**
   * When it last took a delivery that is still stored; null if there is none
   */
  lastSuccessAt: string | null;
  /**
   * The number of pending deliveries; 10000 also stands for more
   */
  waiting: number;
}
/**
 * The answer of listWebhooks
 */
export interface ListWebhooksAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: Webhook[];
  meta: ListMeta;
}
/**
 * A webhook endpoint
 */
export interface Webhook {
  /**
   * The id of the endpoint
   */
  id: string;
  /**
   * The address of the endpoint; https outside development
   */
  url: string;
  /**
   * Your name for the endpoint
   */
  description: string | null;
  /**
   * The types of events that it gets; if left out, all but LEDGER, and future ones too
   *
   * @minItems 1
   * @maxItems 13
   */
  eventTypes: (
    | "WITHDRAWAL"
    | "COLLECTION"
    | "NOTIFICATION"
    | "REFUND"
    | "SUBSCRIPTION"
    | "INVOICE"
    | "FUNDING"
    | "ADJUSTMENT"
    | "TRANSFER"
    | "BALANCE"
    | "ENDPOINT"
    | "TEST"
    | "LEDGER"
  )[];
  /**
   * Whether it gets no events
   */
  disabled: boolean;
  /**
   * Why payrail has disabled it
   */
  disabledReason: string | null;
  /**
   * When it was created
   */
  createdAt: string;
  health?: WebhookHealth;
}
/**
 * The answer of getWebhook
 */
export interface GetWebhookAnswer {
  /**
   * Always true
   */
  success: true;
  data: Webhook;
}
/**
 * The body of updateWebhook
 */
export interface UpdateWebhookRequest {
  /**
   * The address of the endpoint; https outside development
   */
  url?: string;
  /**
   * Your name for the endpoint
   */
  description?: string;
  /**
   * The types of events that it gets; if left out, all but LEDGER, and future ones too
   *
   * @minItems 1
   * @maxItems 13
   */
  eventTypes?: (
    | "WITHDRAWAL"
    | "COLLECTION"
    | "NOTIFICATION"
    | "REFUND"
    | "SUBSCRIPTION"
    | "INVOICE"
    | "FUNDING"
    | "ADJUSTMENT"
    | "TRANSFER"
    | "BALANCE"
    | "ENDPOINT"
    | "TEST"
    | "LEDGER"
  )[];
  /**
   * Whether it is to get no events
   */
  disabled?: boolean;
}
/**
 * The answer of updateWebhook
 */
export interface UpdateWebhookAnswer {
  /**
   * Always true
   */
  success: true;
  data: Webhook;
}
/**
 * The answer of deleteWebhook
 */
export interface DeleteWebhookAnswer {
  /**
   * Always true
   */
  success: true;
  data: DeleteWebhookAnswerData;
}
/**
 * The result
 */
export interface DeleteWebhookAnswerData {
  /**
   * The id of the deleted endpoint
   */
  id: string;
}
/**
 * The answer of rotateWebhookSecret
 */
export interface RotateWebhookSecretAnswer {
  /**
   * Always true
   */
  success: true;
  data: WebhookWithSecret;
}
/**
 * The answer of testWebhook
 */
export interface TestWebhookAnswer {
  /**
   * Always true
   */
  success: true;
  data: TestWebhookAnswerData;
}
/**
 * The result
 */
export interface TestWebhookAnswerData {
  /**
   * The webhook-id of the test event
   */
  id: string;
}
/**
 * The body of replayDeliveries
 */
export interface ReplayDeliveriesRequest {
  /**
   * Deliveries created then or later; in the past
   */
  since: string;
  /**
   * Only deliveries in this status; both if left out
   */
  status?: "DELIVERED" | "DEAD_LETTER";
}
/**
 * The answer of replayDeliveries
 */
export interface ReplayDeliveriesAnswer {
  /**
   * Always true
   */
  success: true;
  data: ReplayDeliveriesAnswerData;
}
/**
 * The result
 */
export interface ReplayDeliveriesAnswerData {
  /**
   * The id of the endpoint
   */
  id: string;
  /**
   * The number of deliveries that will be sent again
   */
  count: number;
}
/**
 * The answer of listEvents
 */
export interface ListEventsAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: Event[];
  meta: CursorMeta;
}
/**
 * As it is stored, with or without endpoints that get it
 */
export interface Event {
  /**
   * The `webhook-id` of its deliveries
   */
  id: string;
  /**
   * The type of the event
   */
  eventType:
    | "WITHDRAWAL"
    | "COLLECTION"
    | "NOTIFICATION"
    | "REFUND"
    | "SUBSCRIPTION"
    | "INVOICE"
    | "FUNDING"
    | "ADJUSTMENT"
    | "TRANSFER"
    | "BALANCE"
    | "ENDPOINT"
    | "TEST"
    | "LEDGER";
  /**
   * The transaction that the event is about
   */
  transactionId: string | null;
  /**
   * The time of the change
   */
  createdAt: string;
  /**
   * The text that endpoints receive and that signatures cover, byte for byte
   */
  body: string;
  /**
   * The endpoints that get it
   *
   * @maxItems 1000
   */
  endpointIds: string[];
}
/**
 * The answer of getEvent
 */
export interface GetEventAnswer {
  /**
   * Always true
   */
  success: true;
  data: Event;
}
/**
 * The answer of listDeliveries
 */
export interface ListDeliveriesAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: ListedDelivery[];
  meta: CursorMeta;
}
/**
 * A delivery, as lists show it
 */
export interface ListedDelivery {
  /**
   * The id of the delivery
   */
  id: string;
  /**
   * The webhook endpoint that it is to
   */
  endpointId?: string;
  /**
   * The webhook-id of the event
   */
  eventId: string;
  /**
   * The type of the event
   */
  eventType:
    | "WITHDRAWAL"
    | "COLLECTION"
    | "NOTIFICATION"
    | "REFUND"
    | "SUBSCRIPTION"
    | "INVOICE"
    | "FUNDING"
    | "ADJUSTMENT"
    | "TRANSFER"
    | "BALANCE"
    | "ENDPOINT"
    | "TEST"
    | "LEDGER";
  /**
   * The transaction that the event is about
   */
  transactionId: string | null;
  /**
   * Whether it was delivered; a dead letter is not tried any more
   */
  status: "PENDING" | "DELIVERED" | "DEAD_LETTER";
  /**
   * Why it is not tried any more
   */
  deadLetterReason: ("exhausted" | "superseded" | "refused" | "disabled" | "deleted" | "expired") | null;
  /**
   * When it was created
   */
  createdAt: string;
  /**
   * When it is tried again
   */
  nextAttemptAt: string | null;
  /**
   * The last attempts. If a list would be too long, their responses are left out, then all except the last attempt
   *
   * @maxItems 10
   */
  attempts: DeliveryAttempt[];
}
/**
 * The answer of getDelivery
 */
export interface GetDeliveryAnswer {
  /**
   * Always true
   */
  success: true;
  data: Delivery;
}
/**
 * The delivery of an event to an endpoint
 */
export interface Delivery {
  /**
   * The id of the delivery
   */
  id: string;
  /**
   * The webhook endpoint that it is to
   */
  endpointId?: string;
  /**
   * The webhook-id of the event
   */
  eventId: string;
  /**
   * The type of the event
   */
  eventType:
    | "WITHDRAWAL"
    | "COLLECTION"
    | "NOTIFICATION"
    | "REFUND"
    | "SUBSCRIPTION"
    | "INVOICE"
    | "FUNDING"
    | "ADJUSTMENT"
    | "TRANSFER"
    | "BALANCE"
    | "ENDPOINT"
    | "TEST"
    | "LEDGER";
  /**
   * The transaction that the event is about
   */
  transactionId: string | null;
  /**
   * Whether it was delivered; a dead letter is not tried any more
   */
  status: "PENDING" | "DELIVERED" | "DEAD_LETTER";
  /**
   * Why it is not tried any more
   */
  deadLetterReason: ("exhausted" | "superseded" | "refused" | "disabled" | "deleted" | "expired") | null;
  /**
   * When it was created
   */
  createdAt: string;
  /**
   * When it is tried again
   */
  nextAttemptAt: string | null;
  /**
   * The last attempts, oldest first
   *
   * @maxItems 100
   */
  attempts: DeliveryAttempt[];
}
/**
 * The answer of replayDelivery
 */
export interface ReplayDeliveryAnswer {
  /**
   * Always true
   */
  success: true;
  data: Delivery;
}
/**
 * The answer of listAttention
 */
export interface ListAttentionAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: AttentionItem[];
  meta: CursorMeta;
}
/**
 * Something that an operator looks at or decides
 */
export interface AttentionItem {
  /**
   * What it is
   */
  kind: "payout" | "payment" | "refund" | "subscription" | "webhook" | "delivery";
  /**
   * Its id
   */
  id: string;
  /**
   * The business that it belongs to
   */
  businessId: string;
  /**
   * The webhook of a delivery; other kinds have none
   */
  endpointId?: string;
  /**
   * The payment of a refund; other kinds have none
   */
  paymentId?: string;
  /**
   * Its status
   */
  status: string;
  /**
   * The amount. A decimal string with two places
   */
  amount: string | null;
  /**
   * The currency, by ISO 4217
   */
  currency: Currency | null;
  /**
   * Since when the outcome is unknown
   */
  unknownSince: string | null;
  /**
   * When its next step is due; null if it has none. Webhooks have none
   */
  nextStepAt?: string | null;
  /**
   * Why it is in the list
   */
  reason: string | null;
}
/**
 * The answer of listTransactionsAsAdmin
 */
export interface ListTransactionsAsAdminAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: Transaction[];
  meta: CursorMeta;
}
/**
 * The answer of getTransactionAsAdmin
 */
export interface GetTransactionAsAdminAnswer {
  /**
   * Always true
   */
  success: true;
  data: Transaction;
}
/**
 * The answer of getTransactionTimelineAsAdmin
 */
export interface GetTransactionTimelineAsAdminAnswer {
  /**
   * Always true
   */
  success: true;
  data: OperatorsTimeline;
}
/**
 * What became of a transaction, as an operator sees it
 */
export interface OperatorsTimeline {
  /**
   * Why you have to decide about it, as its bank or payrail says; left out if there is no problem
   */
  problem?: string;
  /**
   * The last decisions of the screening and of persons, oldest first; left out if there are none
   *
   * @maxItems 10
   */
  screening?: ScreeningVerdict[];
  /**
   * The X-Request-Id of the request that made it, which log lines about it have too; null if no request made it
   */
  requestId?: string | null;
  /**
   * The statuses that it has entered, oldest first
   *
   * @maxItems 100
   */
  states: TransactionState[];
  /**
   * Its entries in the statement of the wallet; of a transfer, in those of both wallets
   *
   * @maxItems 500
   */
  entries: StatementEntry[];
  /**
   * The deliveries of its events
   *
   * @maxItems 1000
   */
  deliveries: TransactionDelivery[];
}
/**
 * A decision whether a payout may leave
 */
export interface ScreeningVerdict {
  /**
   * When it was decided
   */
  at: string;
  /**
   * What was decided
   */
  decision: "ALLOW" | "REVIEW" | "DENY";
  /**
   * Why: the screening's reasons or its code, or the person's note
   *
   * @maxItems 10
   */
  reasons: string[];
  /**
   * The name of the screening, or the id of the person
   */
  by: string;
}
/**
 * The body of cancelTransactionAsAdmin
 */
export interface CancelTransactionAsAdminRequest {
  /**
   * Why, for the audit log
   */
  note: string;
}
/**
 * The answer of cancelTransactionAsAdmin
 */
export interface CancelTransactionAsAdminAnswer {
  /**
   * Always true
   */
  success: true;
  data: Transaction;
}
/**
 * The body of retryTransaction
 */
export interface RetryTransactionRequest {
  /**
   * Why, for the audit log
   */
  note: string;
}
/**
 * The answer of retryTransaction
 */
export interface RetryTransactionAnswer {
  /**
   * Always true
   */
  success: true;
  data: Transaction;
}
/**
 * The answer of listReviews
 */
export interface ListReviewsAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: Review[];
  meta: CursorMeta;
}
/**
 * A payout that waits for a review
 */
export interface Review {
  /**
   * The id of the transaction
   */
  id: string;
  /**
   * The business that it belongs to
   */
  businessId: string;
  /**
   * The end user or business whose wallet was debited
   */
  entityId: string;
  /**
   * The linked account that it pays
   */
  linkedAccountId: string;
  /**
   * Who is paid; null unless it is a payout, and null once the person is erased
   */
  recipient?: TransactionRecipient | null;
  /**
   * The entity whose transaction it is; null once the person is erased
   */
  entity?: TransactionEntity | null;
  /**
   * What the wallet was debited with: payout and fee. A decimal string with two places
   */
  amount: string;
  currency: Currency;
  /**
   * How the money travels
   */
  method: string | null;
  /**
   * Why: the screening's reasons or its code, or the person's note
   *
   * @maxItems 10
   */
  reasons: string[];
  /**
   * Since when it waits
   */
  since: string;
  /**
   * The last decisions of the screening and of persons, oldest first; left out if there are none
   *
   * @maxItems 10
   */
  history: ScreeningVerdict[];
}
/**
 * The body of reviewTransaction
 */
export interface ReviewTransactionRequest {
  /**
   * Whether it may leave
   */
  decision: "ALLOW" | "DENY";
  /**
   * Why, for its history
   */
  note: string;
}
/**
 * The answer of reviewTransaction
 */
export interface ReviewTransactionAnswer {
  /**
   * Always true
   */
  success: true;
  data: Transaction;
}
/**
 * The body of resolveTransaction
 */
export interface ResolveTransactionRequest {
  /**
   * How it has ended: SUCCESS: it was paid; FAILED: it was not paid, or after SUCCESS the money came back
   */
  outcome: "SUCCESS" | "FAILED";
  /**
   * How you know, for the timeline
   */
  note: string;
}
/**
 * The answer of resolveTransaction
 */
export interface ResolveTransactionAnswer {
  /**
   * Always true
   */
  success: true;
  data: Transaction;
}
/**
 * The answer of getLimitsAsAdmin
 */
export interface GetLimitsAsAdminAnswer {
  /**
   * Always true
   */
  success: true;
  data: PayoutLimits;
}
/**
 * The body of setLimitsAsAdmin
 */
export interface SetLimitsAsAdminRequest {
  /**
   * The limits; those of the other side hold too
   *
   * @maxItems 50
   */
  limits: PayoutLimit[];
  /**
   * Why, for the audit log
   */
  note: string;
}
/**
 * The answer of setLimitsAsAdmin
 */
export interface SetLimitsAsAdminAnswer {
  /**
   * Always true
   */
  success: true;
  data: PayoutLimits;
}
/**
 * The answer of listWithdrawalLimitsAsAdmin
 */
export interface ListWithdrawalLimitsAsAdminAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The result
   *
   * @maxItems 400
   */
  data: PayoutLimitLeft[];
}
/**
 * The answer of getControls
 */
export interface GetControlsAnswer {
  /**
   * Always true
   */
  success: true;
  data: Controls;
}
/**
 * What a business may do
 */
export interface Controls {
  /**
   * What the business may do: everything; no new payouts; no new payments of customers; or neither, and no change of anything
   */
  status: "ACTIVE" | "PAYOUTS_PAUSED" | "COLLECTIONS_PAUSED" | "FROZEN";
}
/**
 * The body of setControls
 */
export interface SetControlsRequest {
  /**
   * What the business may do: everything; no new payouts; no new payments of customers; or neither, and no change of anything
   */
  status: "ACTIVE" | "PAYOUTS_PAUSED" | "COLLECTIONS_PAUSED" | "FROZEN";
  /**
   * Why, for the audit log
   */
  note: string;
}
/**
 * The answer of setControls
 */
export interface SetControlsAnswer {
  /**
   * Always true
   */
  success: true;
  data: Controls;
}
/**
 * The body of freezeWallet
 */
export interface FreezeWalletRequest {
  /**
   * Whether nothing may be paid out of it
   */
  frozen: boolean;
  /**
   * Why, for the audit log
   */
  note: string;
}
/**
 * The answer of freezeWallet
 */
export interface FreezeWalletAnswer {
  /**
   * Always true
   */
  success: true;
  data: Freeze;
}
/**
 * A wallet or an end user
 */
export interface Freeze {
  /**
   * Of the wallet or the end user
   */
  id: string;
  /**
   * Whether nothing may be paid out of it
   */
  frozen: boolean;
}
/**
 * The body of freezeEntity
 */
export interface FreezeEntityRequest {
  /**
   * Whether nothing may be paid out of it
   */
  frozen: boolean;
  /**
   * Why, for the audit log
   */
  note: string;
}
/**
 * The answer of freezeEntity
 */
export interface FreezeEntityAnswer {
  /**
   * Always true
   */
  success: true;
  data: Freeze;
}
/**
 * The body of fundWalletAsAdmin
 */
export interface FundWalletAsAdminRequest {
  /**
   * The amount to credit
   */
  amount: number;
  /**
   * Your id of the funding. The same reference credits once
   */
  reference: string;
  /**
   * Why, for the audit log
   */
  note?: string;
}
/**
 * The answer of fundWalletAsAdmin
 */
export interface FundWalletAsAdminAnswer {
  /**
   * Always true
   */
  success: true;
  data: Transaction;
}
/**
 * The body of adjustWalletAsAdmin
 */
export interface AdjustWalletAsAdminRequest {
  /**
   * Whether the wallet is credited or debited
   */
  direction: "CREDIT" | "DEBIT";
  /**
   * The amount of the correction
   */
  amount: number;
  /**
   * Your id of the adjustment. The same reference corrects the wallet once
   */
  reference: string;
  /**
   * Why, for the audit log
   */
  note: string;
}
/**
 * The answer of adjustWalletAsAdmin
 */
export interface AdjustWalletAsAdminAnswer {
  /**
   * Always true
   */
  success: true;
  data: Transaction;
}
/**
 * The body of releaseBilling
 */
export interface ReleaseBillingRequest {
  /**
   * The business; all businesses if left out
   */
  businessId?: string;
  /**
   * Why, for the audit log
   */
  note: string;
}
/**
 * The answer of releaseBilling
 */
export interface ReleaseBillingAnswer {
  /**
   * Always true
   */
  success: true;
  data: ReleasedBilling;
}
/**
 * What was released
 */
export interface ReleasedBilling {
  /**
   * The subscriptions that were released
   */
  released: number;
  /**
   * The subscriptions that are still held, of all businesses
   */
  held: number;
}
/**
 * The answer of listWebhooksAsAdmin
 */
export interface ListWebhooksAsAdminAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: Webhook[];
  meta: ListMeta;
}
/**
 * The answer of getWebhookAsAdmin
 */
export interface GetWebhookAsAdminAnswer {
  /**
   * Always true
   */
  success: true;
  data: Webhook;
}
/**
 * The answer of listDeliveriesAsAdmin
 */
export interface ListDeliveriesAsAdminAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: ListedDelivery[];
  meta: CursorMeta;
}
/**
 * The answer of getDeliveryAsAdmin
 */
export interface GetDeliveryAsAdminAnswer {
  /**
   * Always true
   */
  success: true;
  data: Delivery;
}
/**
 * The answer of getEventAsAdmin
 */
export interface GetEventAsAdminAnswer {
  /**
   * Always true
   */
  success: true;
  data: Event;
}
/**
 * The body of enableWebhookAsAdmin
 */
export interface EnableWebhookAsAdminRequest {
  /**
   * Why, for the audit log
   */
  note: string;
}
/**
 * The answer of enableWebhookAsAdmin
 */
export interface EnableWebhookAsAdminAnswer {
  /**
   * Always true
   */
  success: true;
  data: Webhook;
}
/**
 * The body of replayDeliveriesAsAdmin
 */
export interface ReplayDeliveriesAsAdminRequest {
  /**
   * Deliveries created then or later; in the past
   */
  since: string;
  /**
   * Only deliveries in this status; both if left out
   */
  status?: "DELIVERED" | "DEAD_LETTER";
  /**
   * Why, for the audit log
   */
  note: string;
}
/**
 * The answer of replayDeliveriesAsAdmin
 */
export interface ReplayDeliveriesAsAdminAnswer {
  /**
   * Always true
   */
  success: true;
  data: ReplayDeliveriesAsAdminAnswerData;
}
/**
 * The result
 */
export interface ReplayDeliveriesAsAdminAnswerData {
  /**
   * The id of the endpoint
   */
  id: string;
  /**
   * The number of deliveries that will be sent again
   */
  count: number;
}
/**
 * The body of replayDeliveryAsAdmin
 */
export interface ReplayDeliveryAsAdminRequest {
  /**
   * Why, for the audit log
   */
  note: string;
}
/**
 * The answer of replayDeliveryAsAdmin
 */
export interface ReplayDeliveryAsAdminAnswer {
  /**
   * Always true
   */
  success: true;
  data: Delivery;
}
/**
 * The answer of listAuditLog
 */
export interface ListAuditLogAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The results
   *
   * @maxItems 100
   */
  data: AuditEntry[];
  meta: CursorMeta;
}
/**
 * A change that an operator made, or tried to make
 */
export interface AuditEntry {
  /**
   * The id of the entry
   */
  id: string;
  /**
   * When the change was asked for
   */
  at: string;
  /**
   * Who: the subject of the access token
   */
  by: string;
  /**
   * The change, by its name in the API
   */
  action: string;
  /**
   * The business, if the path names one, as it is there
   */
  businessId: string | null;
  /**
   * What was changed: the last id of the path, or the id of what was created
   */
  subjectId: string | null;
  /**
   * The parameters of the body, such as an outcome and a note
   */
  request: unknown;
  /**
   * From where: the network address
   */
  address: string;
  /**
   * The X-Request-Id, which the log lines have too
   */
  requestId: string;
  /**
   * The HTTP status of the answer; null while it is made, and if it was not recorded
   */
  status: number | null;
}
/**
 * The answer of listPartners
 */
export interface ListPartnersAnswer {
  /**
   * Always true
   */
  success: true;
  data: Partners;
}
/**
 * The rails and acquirers, as the running processes see them
 */
export interface Partners {
  processes: PartnersProcesses;
  /**
   * The rails and then the acquirers
   *
   * @maxItems 200
   */
  partners: Partner[];
}
/**
 * From how many processes this is; one that does not answer in time is left out
 */
export interface PartnersProcesses {
  /**
   * The processes that have answered about rails
   */
  rails: number;
  /**
   * The processes that have answered about acquirers
   */
  acquirers: number;
}
/**
 * A rail or an acquirer, and its answers
 */
export interface Partner {
  /**
   * Whether it pays out or charges cards
   */
  kind: "rail" | "acquirer";
  /**
   * Its own name
   */
  name: string;
  /**
   * The questions of the last hour
   */
  asked: number;
  /**
   * The questions that it answered
   */
  answered: number;
  /**
   * Those that it answered without an outcome, or in a wrong form
   */
  unknown: number;
  /**
   * Those that failed
   */
  errors: number;
  /**
   * Those without an answer in time
   */
  timeouts: number;
  /**
   * The mean time of an answer, in milliseconds; null without one
   */
  meanMs: number | null;
  /**
   * The longest time of an answer, in milliseconds; null without one
   */
  longestMs: number | null;
  /**
   * When it last answered; null if not known
   */
  lastAnsweredAt: string | null;
  /**
   * When it last did not, or not with an outcome; null if not known
   */
  lastUnansweredAt: string | null;
  /**
   * What waits for its answer now, by kind
   *
   * @maxItems 2
   */
  waiting: WaitingForPartner[];
  /**
   * What a person has to look at, as the partner's module says
   *
   * @maxItems 50
   */
  problems: string[];
}
/**
 * What waits for the answer of a partner, of one kind
 */
export interface WaitingForPartner {
  /**
   * What waits
   */
  kind: "payout" | "payment" | "refund";
  /**
   * How many were asked about without an answer, so that their outcome is unknown, at most 10000
   */
  count: number;
  /**
   * Since when the oldest of them waits
   */
  since: string | null;
}
/**
 * The answer of getBooks
 */
export interface GetBooksAnswer {
  /**
   * Always true
   */
  success: true;
  data: Books;
}
/**
 * The books at one moment
 */
export interface Books {
  /**
   * When it was read; all of it is of one moment
   */
  at: string;
  /**
   * Whether the total of every currency is zero
   */
  balanced: boolean;
  /**
   * The sums by currency; a currency without money is left out
   *
   * @maxItems 5
   */
  currencies: CurrencyBooks[];
  lag: BooksLag;
}
/**
 * Where the money of a currency is
 */
export interface CurrencyBooks {
  currency: Currency;
  /**
   * What end users and businesses have in wallets. A decimal string with two places
   */
  wallets: string;
  /**
   * What customers have paid and no wallet has yet. A decimal string with two places
   */
  collectionAccounts: string;
  /**
   * The fees that were charged, less those that were given back. A decimal string with two places
   */
  fees: string;
  /**
   * What has left one account and is not in the other yet. A decimal string with two places
   */
  transit: string;
  /**
   * The fundings of wallets, below zero. A decimal string with two places
   */
  outside: string;
  /**
   * What operators have corrected by adjustments, credits below zero; left out if it is nothing. A decimal string with two places
   */
  adjustments?: string;
  clearing: CurrencyBooksClearing;
  /**
   * The sum of all of them; 0.00 if the books are right. A decimal string with two places
   */
  total: string;
}
/**
 * What rails and acquirers have moved, by the method of payouts and the kind of collections; one without money is left out
 */
export interface CurrencyBooksClearing {
  /**
   * What went out, less what came back; below zero for what came in. A decimal string with two places
   */
  ACH?: string;
  /**
   * What went out, less what came back; below zero for what came in. A decimal string with two places
   */
  RTP?: string;
  /**
   * What went out, less what came back; below zero for what came in. A decimal string with two places
   */
  WIRE?: string;
  /**
   * What went out, less what came back; below zero for what came in. A decimal string with two places
   */
  PUSH_TO_CARD?: string;
  /**
   * What went out, less what came back; below zero for what came in. A decimal string with two places
   */
  CARD_COLLECTION?: string;
}
/**
 * How far the checkpoints of the balances are behind the journal
 */
export interface BooksLag {
  /**
   * The blocks that no checkpoint covers yet
   */
  blocks: number;
  /**
   * The age of the oldest of them
   */
  oldestSeconds: number | null;
}
/**
 * The answer of getStatisticsOfAll
 */
export interface GetStatisticsOfAllAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The result
   *
   * @maxItems 279
   */
  data: DayStatistics[];
}
/**
 * The answer of find
 */
export interface FindAnswer {
  /**
   * Always true
   */
  success: true;
  /**
   * The things, newest first
   *
   * @maxItems 100
   */
  data: Found[];
}
/**
 * A thing with an id, and the business that has it
 */
export interface Found {
  /**
   * The kind of the thing
   */
  kind:
    | "business"
    | "entity"
    | "api-client"
    | "linked-account"
    | "wallet"
    | "funding"
    | "adjustment"
    | "transfer"
    | "payout"
    | "payment-link"
    | "payment"
    | "refund"
    | "subscription"
    | "invoice"
    | "webhook"
    | "delivery"
    | "event";
  /**
   * Its id
   */
  id: string;
  /**
   * The business that it belongs to
   */
  businessId: string;
  /**
   * The webhook of a delivery; other kinds have none
   */
  endpointId?: string;
  /**
   * The payment of a refund; other kinds have none
   */
  paymentId?: string;
}
/**
 * The answer of findById
 */
export interface FindByIdAnswer {
  /**
   * Always true
   */
  success: true;
  data: Found;
}
/**
 * The answer of getVerification
 */
export interface GetVerificationAnswer {
  /**
   * Always true
   */
  success: true;
  data: Verification;
}
/**
 * A verification of the books
 */
export interface Verification {
  /**
   * When the verification began
   */
  startedAt: string | null;
  /**
   * When it ended; null if none was recorded
   */
  finishedAt: string | null;
  /**
   * Whether none has finished in the last 26 hours
   */
  overdue: boolean;
  /**
   * Whether no rule is violated
   */
  ok: boolean | null;
  /**
   * The version of payrail that verified
   */
  version: string | null;
  /**
   * The number of violations
   */
  violationCount: number | null;
  /**
   * The rules that were verified
   *
   * @maxItems 100
   */
  rules: VerifiedRule[];
  /**
   * The first violations of each rule
   *
   * @maxItems 1000
   */
  violations: Violation[];
}
/**
 * A rule that was verified
 */
export interface VerifiedRule {
  /**
   * The rule
   */
  rule: string;
  /**
   * The number of documents that were checked
   */
  checked: number;
  /**
   * The number of violations of the rule
   */
  violations: number;
}
/**
 * A violation of a rule
 */
export interface Violation {
  /**
   * The rule
   */
  rule: string;
  /**
   * The document that violates the rule, and how
   */
  detail: string;
}
/**
 * The answer of getWholeLedgerHead
 */
export interface GetWholeLedgerHeadAnswer {
  /**
   * Always true
   */
  success: true;
  data: LedgerHead;
}
/**
 * A payment through a payment link has ended
 */
export interface CollectionEvent {
  /**
   * The type of the event
   */
  eventType: "COLLECTION";
  /**
   * What has happened
   */
  status: "SUCCEEDED" | "FAILED";
  payload: CollectionPayload;
}
/**
 * What the event is about
 */
export interface CollectionPayload {
  /**
   * Events with the same id are delivered in order
   */
  transactionId: string;
  /**
   * The payment link that it belongs to
   */
  paymentLinkId: string;
  /**
   * The amount in major units, such as dollars
   */
  amount: number;
  currency: Currency;
  /**
   * When it happened, in milliseconds since 1970, by the real clock
   */
  timestamp: number;
  /**
   * Why it happened, for people; empty without a reason
   */
  reason: string;
  /**
   * The payment
   */
  paymentId: string;
  /**
   * The collection account that holds the money
   */
  collectionAccountId: string;
  /**
   * The fee. A decimal string with two places
   */
  fees: string;
  /**
   * The amount that the collection account is credited with. A decimal string with two places
   */
  net: string;
  customer: Customer;
  metadata: PaymentMetadata;
  /**
   * The orderId of the payment link
   */
  orderId: string | null;
  /**
   * The externalId of the payment link
   */
  externalId: string | null;
}
/**
 * A payment has succeeded, and its link asks that people are told
 */
export interface NotificationEvent {
  /**
   * The type of the event
   */
  eventType: "NOTIFICATION";
  /**
   * What has happened
   */
  status: "SUCCEEDED";
  payload: NotificationPayload;
}
/**
 * What the event is about
 */
export interface NotificationPayload {
  /**
   * Events with the same id are delivered in order
   */
  transactionId: string;
  /**
   * The payment link that it belongs to
   */
  paymentLinkId: string;
  /**
   * The amount in major units, such as dollars
   */
  amount: number;
  currency: Currency;
  /**
   * When it happened, in milliseconds since 1970, by the real clock
   */
  timestamp: number;
  /**
   * Why it happened, for people; empty without a reason
   */
  reason: string;
  /**
   * The payment
   */
  paymentId: string;
  /**
   * The people whom you should tell
   *
   * @maxItems 10
   */
  recipients: NotificationRecipient[];
}
/**
 * A person whom you should tell
 */
export interface NotificationRecipient {
  /**
   * The role of the recipient; the business is `payee`
   */
  type?: string;
  /**
   * Where the message should go
   */
  email?: string;
  /**
   * The name of the recipient
   */
  name?: string;
}
/**
 * A refund of a payment has ended
 */
export interface RefundEvent {
  /**
   * The type of the event
   */
  eventType: "REFUND";
  /**
   * What has happened
   */
  status: "SUCCEEDED" | "FAILED";
  payload: RefundPayload;
}
/**
 * What the event is about
 */
export interface RefundPayload {
  /**
   * Events with the same id are delivered in order
   */
  transactionId: string;
  /**
   * The payment link that it belongs to
   */
  paymentLinkId: string;
  /**
   * The amount in major units, such as dollars
   */
  amount: number;
  currency: Currency;
  /**
   * When it happened, in milliseconds since 1970, by the real clock
   */
  timestamp: number;
  /**
   * Why it happened, for people; empty without a reason
   */
  reason: string;
  /**
   * The refund
   */
  refundId: string;
  /**
   * The payment
   */
  paymentId: string;
  /**
   * The part of the fee that you get back. A decimal string with two places
   */
  feesReturned: string;
  /**
   * The reference of the request for the refund
   */
  reference: string;
}
/**
 * A subscription was created or cancelled, or a charge of it has failed
 */
export interface SubscriptionEvent {
  /**
   * The type of the event
   */
  eventType: "SUBSCRIPTION";
  /**
   * What has happened
   */
  status: "created" | "past_due" | "cancelled";
  payload: SubscriptionPayload;
}
/**
 * What the event is about
 */
export interface SubscriptionPayload {
  /**
   * Events with the same id are delivered in order
   */
  transactionId: string;
  /**
   * The payment link that it belongs to
   */
  paymentLinkId: string;
  /**
   * The amount in major units, such as dollars
   */
  amount: number;
  currency: Currency;
  /**
   * When it happened, in milliseconds since 1970, by the real clock
   */
  timestamp: number;
  /**
   * Why it happened, for people; empty without a reason
   */
  reason: string;
  /**
   * The subscription
   */
  subscriptionId: string;
  /**
   * The collection account that holds the money
   */
  collectionAccountId: string;
  /**
   * How the subscription is charged
   */
  type: "subscription" | "consumption" | "seating";
  /**
   * When its first period begins
   */
  startDate: string;
  /**
   * When it was cancelled
   */
  cancelledAt: string | null;
  /**
   * The orderId of the payment link
   */
  orderId: string | null;
  /**
   * The externalId of the payment link
   */
  externalId: string | null;
}
/**
 * An invoice of a subscription was paid, or an attempt to charge it has failed
 */
export interface InvoiceEvent {
  /**
   * The type of the event
   */
  eventType: "INVOICE";
  /**
   * What has happened
   */
  status: "paid" | "failed";
  payload: InvoicePayload;
}
/**
 * What the event is about
 */
export interface InvoicePayload {
  /**
   * Events with the same id are delivered in order
   */
  transactionId: string;
  /**
   * The payment link that it belongs to
   */
  paymentLinkId: string;
  /**
   * The amount in major units, such as dollars
   */
  amount: number;
  currency: Currency;
  /**
   * When it happened, in milliseconds since 1970, by the real clock
   */
  timestamp: number;
  /**
   * Why it happened, for people; empty without a reason
   */
  reason: string;
  /**
   * The invoice
   */
  invoiceId: string;
  /**
   * The attempt to charge it, which is a payment
   */
  paymentId: string | null;
  /**
   * The subscription
   */
  subscriptionId: string;
  /**
   * Counts the invoices of the business
   */
  number: number;
  /**
   * When the period of the invoice begins
   */
  periodStart: string;
  /**
   * When the period of the invoice ends
   */
  periodEnd: string;
  /**
   * What the card was charged. A decimal string with two places
   */
  charged: string;
  /**
   * When the card is charged again
   */
  nextAttemptAt: string | null;
}
/**
 * A wallet was credited from outside
 */
export interface FundingEvent {
  /**
   * The type of the event
   */
  eventType: "FUNDING";
  /**
   * What has happened
   */
  status: "SUCCEEDED";
  payload: FundingPayload;
}
/**
 * What the event is about
 */
export interface FundingPayload {
  /**
   * Events with the same id are delivered in order
   */
  transactionId: string;
  /**
   * The wallet
   */
  walletId: string;
  /**
   * Its owner: an end user, or the business itself
   */
  entityId: string;
  currency: Currency;
  /**
   * The balance of the wallet right after it. A decimal string with two places
   */
  balance: string;
  /**
   * When it happened, in milliseconds since 1970, by the real clock
   */
  timestamp: number;
  /**
   * Why it happened, for people; empty without a reason
   */
  reason: string;
  /**
   * The amount in major units, such as dollars
   */
  amount: number;
  /**
   * The reference of the request
   */
  reference: string;
}
/**
 * An operator has corrected the balance of a wallet
 */
export interface AdjustmentEvent {
  /**
   * The type of the event
   */
  eventType: "ADJUSTMENT";
  /**
   * What has happened
   */
  status: "SUCCEEDED";
  payload: AdjustmentPayload;
}
/**
 * What the event is about
 */
export interface AdjustmentPayload {
  /**
   * Events with the same id are delivered in order
   */
  transactionId: string;
  /**
   * The wallet
   */
  walletId: string;
  /**
   * Its owner: an end user, or the business itself
   */
  entityId: string;
  currency: Currency;
  /**
   * The balance of the wallet right after it. A decimal string with two places
   */
  balance: string;
  /**
   * When it happened, in milliseconds since 1970, by the real clock
   */
  timestamp: number;
  /**
   * Why it happened, for people; empty without a reason
   */
  reason: string;
  /**
   * The amount in major units, such as dollars
   */
  amount: number;
  /**
   * The reference of the request
   */
  reference: string;
}
/**
 * Money was moved from one wallet to another
 */
export interface WalletTransferEvent {
  /**
   * The type of the event
   */
  eventType: "TRANSFER";
  /**
   * What has happened
   */
  status: "SUCCEEDED";
  payload: WalletTransferPayload;
}
/**
 * What the event is about
 */
export interface WalletTransferPayload {
  /**
   * Events with the same id are delivered in order
   */
  transactionId: string;
  /**
   * The wallet that was debited
   */
  walletId: string;
  /**
   * Its owner: an end user, or the business itself
   */
  entityId: string;
  currency: Currency;
  /**
   * The balance of the wallet right after it. A decimal string with two places
   */
  balance: string;
  /**
   * When it happened, in milliseconds since 1970, by the real clock
   */
  timestamp: number;
  /**
   * Why it happened, for people; empty without a reason
   */
  reason: string;
  /**
   * The amount in major units, such as dollars
   */
  amount: number;
  /**
   * The reference of the request
   */
  reference: string;
  /**
   * The wallet that was credited
   */
  toWalletId: string;
}
/**
 * The balance of a wallet has fallen below its lowBalanceAt
 */
export interface BalanceEvent {
  /**
   * The type of the event
   */
  eventType: "BALANCE";
  /**
   * What has happened
   */
  status: "LOW";
  payload: BalancePayload;
}
/**
 * What the event is about
 */
export interface BalancePayload {
  /**
   * Events with the same id are delivered in order
   */
  transactionId: string;
  /**
   * The wallet
   */
  walletId: string;
  /**
   * Its owner: an end user, or the business itself
   */
  entityId: string;
  currency: Currency;
  /**
   * The balance of the wallet right after it. A decimal string with two places
   */
  balance: string;
  /**
   * When it happened, in milliseconds since 1970, by the real clock
   */
  timestamp: number;
  /**
   * Why it happened, for people; empty without a reason
   */
  reason: string;
  /**
   * The balance below which you are told. A decimal string with two places
   */
  lowBalanceAt: string;
}
/**
 * Another endpoint of yours was switched off, because it did not take its events
 */
export interface EndpointEvent {
  /**
   * The type of the event
   */
  eventType: "ENDPOINT";
  /**
   * What has happened
   */
  status: "disabled";
  payload: EndpointPayload;
}
/**
 * What the event is about
 */
export interface EndpointPayload {
  /**
   * The endpoint that was switched off
   */
  endpointId: string;
  /**
   * Its address
   */
  url: string;
  /**
   * Why it happened, for people; empty without a reason
   */
  reason: string;
  /**
   * When it happened, in milliseconds since 1970, by the real clock
   */
  timestamp: number;
}
/**
 * You have asked for a test of the endpoint
 */
export interface TestEvent {
  /**
   * The type of the event
   */
  eventType: "TEST";
  /**
   * What has happened
   */
  status: "TEST";
  payload: TestPayload;
}
/**
 * What the event is about
 */
export interface TestPayload {}
/**
 * The head of the ledger of this hour, for endpoints that name the type LEDGER
 */
export interface LedgerEvent {
  /**
   * The type of the event
   */
  eventType: "LEDGER";
  /**
   * What has happened
   */
  status: "HEAD";
  payload: LedgerPayload;
}
/**
 * What the event is about
 */
export interface LedgerPayload {
  /**
   * A signed head of the ledger for your business, a JWS in its compact form
   */
  head: string;
  /**
   * When it happened, in milliseconds since 1970, by the real clock
   */
  timestamp: number;
}
