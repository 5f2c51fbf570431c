// npm run docs makes this file from the OpenAPI document.

export type ErrorCode =
  | "amount_not_the_tokens"
  | "api_client_not_found"
  | "application_token_invalid"
  | "application_token_not_found"
  | "balance_limit_exceeded"
  | "body_too_large"
  | "business_lookup_failed"
  | "business_not_found"
  | "collection_account_not_found"
  | "delivery_not_found"
  | "duplicate_account"
  | "duplicate_external_id"
  | "entity_not_found"
  | "event_not_found"
  | "idempotency_key_in_use"
  | "idempotency_key_reused"
  | "insufficient_funds"
  | "internal_error"
  | "invoice_limit_exceeded"
  | "invoice_not_found"
  | "linked_account_not_found"
  | "no_collection_account"
  | "no_next_invoice"
  | "not_a_withdrawal"
  | "not_billed_by_seats"
  | "not_billed_by_usage"
  | "not_found"
  | "not_refundable"
  | "payment_link_busy"
  | "payment_link_not_found"
  | "payment_link_not_payable"
  | "payment_not_found"
  | "payment_outcome_unknown"
  | "payout_not_cancellable"
  | "rate_limited"
  | "reference_reused"
  | "search_too_broad"
  | "service_unavailable"
  | "setup_outcome_unknown"
  | "subscription_cancelled"
  | "subscription_not_found"
  | "too_many_seat_changes"
  | "transaction_not_found"
  | "transaction_not_resolvable"
  | "unauthorized"
  | "unsupported_media_type"
  | "usage_not_accepted"
  | "validation_failed"
  | "wallet_disabled"
  | "wallet_not_found"
  | "webhook_disabled"
  | "webhook_not_found"
  | "webhook_replay_running"
  | "withdrawal_outcome_unknown";

export interface Endpoints {
  /**
   * Withdraws from the acting entity's wallet to its linked account
   */
  "POST /v1/ext/linked-accounts/{currency}/{linkedAccountId}/withdrawal": {
    input: {
      /**
       * USD
       */
      currency: unknown;
      linkedAccountId: string;
    } & {
      amount: number;
      walletType: "SPEND";
      reason: string;
      /**
       * Bank accounts only; cards ignore it
       */
      routingType?: "ACH" | "RTP" | "WIRE" | "BANK";
      /**
       * "payout" in any case: flow PAYMENT; any other text: PAYOUT
       */
      transactionType?: string;
      /**
       * Must not be sent; MFA is not required
       */
      mfaCode?: unknown;
    };
    answer: {
      success: true;
      message: string;
      data: {
        id: string;
        status: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
        /**
         * Decimal string with two places
         */
        fees: string;
        /**
         * Decimal string with two places
         */
        amount: string;
      };
    };
  };
  /**
   * Lists the withdrawals that the acting entity itself has made, newest first
   */
  "GET /v1/ext/withdrawals": {
    input: {
      status?: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
      linkedAccountId?: string;
      /**
       * A repeat with the same key and body gets the first answer again, for at least 24 hours
       */
      idempotencyKey?: string;
      /**
       * nextCursor of the previous page
       */
      cursor?: string;
      /**
       * Results per page, 50 by default
       */
      limit?: number;
    };
    answer: {
      success: true;
      /**
       * @maxItems 100
       */
      data: {
        id: string;
        status: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
        /**
         * Decimal string with two places
         */
        amount: string;
        /**
         * Decimal string with two places
         */
        fees: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        method: "BANK_TRANSFER_ACH" | "BANK_TRANSFER_RTP" | "BANK_TRANSFER_WIRE" | "PUSH_TO_CARD";
        linkedAccountId: string;
        /**
         * The debited wallet
         */
        walletId: string;
        reason: string;
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
        createdAt: string;
        updatedAt: string;
      }[];
      meta: {
        nextCursor: string | null;
      };
    };
  };
  /**
   * Shows a withdrawal to the user that made it, or to that user's merchant
   */
  "GET /v1/ext/withdrawals/{id}": {
    input: {
      id: string;
    };
    answer: {
      success: true;
      data: {
        id: string;
        status: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
        /**
         * Decimal string with two places
         */
        amount: string;
        /**
         * Decimal string with two places
         */
        fees: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        method: "BANK_TRANSFER_ACH" | "BANK_TRANSFER_RTP" | "BANK_TRANSFER_WIRE" | "PUSH_TO_CARD";
        linkedAccountId: string;
        /**
         * The debited wallet
         */
        walletId: string;
        reason: string;
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
        createdAt: string;
        updatedAt: string;
      };
    };
  };
  /**
   * Lists the transactions of a business (payouts, fundings and collections), newest first
   */
  "GET /v1/business/{businessId}/transactions": {
    input: {
      status?: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
      entityId?: string;
      flow?: "FUNDING" | "WITHDRAWAL" | "PAYMENT" | "PAYOUT" | "COLLECTION";
      needsAttention?: boolean;
      /**
       * Inclusive
       */
      from?: string;
      /**
       * Exclusive
       */
      to?: string;
      /**
       * nextCursor of the previous page
       */
      cursor?: string;
      /**
       * Results per page, 50 by default
       */
      limit?: number;
    };
    answer: {
      success: true;
      /**
       * @maxItems 100
       */
      data: {
        id: string;
        /**
         * REFUND only if an admin resolves one
         */
        flow: "FUNDING" | "WITHDRAWAL" | "PAYMENT" | "PAYOUT" | "COLLECTION" | "REFUND";
        status: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
        /**
         * Decimal string with two places
         */
        amount: string;
        /**
         * Decimal string with two places
         */
        fees: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        method: string | null;
        entityId: string;
        walletId: string;
        linkedAccountId: string | null;
        reason: string | null;
        failureReason: string | null;
        needsAttention: boolean;
        createdAt: string;
        updatedAt: string;
      }[];
      meta: {
        nextCursor: string | null;
      };
    };
  };
  /**
   * Shows a transaction of the merchant
   */
  "GET /v1/transactions/{id}": {
    input: {
      id: string;
    };
    answer: {
      success: true;
      data: {
        id: string;
        /**
         * REFUND only if an admin resolves one
         */
        flow: "FUNDING" | "WITHDRAWAL" | "PAYMENT" | "PAYOUT" | "COLLECTION" | "REFUND";
        status: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
        /**
         * Decimal string with two places
         */
        amount: string;
        /**
         * Decimal string with two places
         */
        fees: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        method: string | null;
        entityId: string;
        walletId: string;
        linkedAccountId: string | null;
        reason: string | null;
        failureReason: string | null;
        needsAttention: boolean;
        createdAt: string;
        updatedAt: string;
      };
    };
  };
  /**
   * Everything that became of a transaction: its states, statement entries and deliveries
   */
  "GET /v1/transactions/{id}/timeline": {
    input: {
      id: string;
    };
    answer: {
      success: true;
      data: {
        /**
         * @maxItems 100
         */
        states: {
          status: string;
          at: string;
          by?: string;
        }[];
        /**
         * @maxItems 500
         */
        entries: unknown[];
        /**
         * @maxItems 1000
         */
        deliveries: unknown[];
      };
    };
  };
  /**
   * Cancels a payout that is still pending; a repeated call has the same result
   */
  "POST /v1/transactions/{id}/cancel": {
    input: {
      id: string;
    };
    answer: {
      success: true;
      data: {
        id: string;
        /**
         * REFUND only if an admin resolves one
         */
        flow: "FUNDING" | "WITHDRAWAL" | "PAYMENT" | "PAYOUT" | "COLLECTION" | "REFUND";
        status: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
        /**
         * Decimal string with two places
         */
        amount: string;
        /**
         * Decimal string with two places
         */
        fees: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        method: string | null;
        entityId: string;
        walletId: string;
        linkedAccountId: string | null;
        reason: string | null;
        failureReason: string | null;
        needsAttention: boolean;
        createdAt: string;
        updatedAt: string;
      };
    };
  };
  /**
   * Shows the body of a payout's webhook for its current state
   */
  "GET /v1/transactions/{transactionId}/webhook-payload": {
    input: {
      transactionId: string;
    };
    answer: {
      success: true;
      data: {
        eventType: "WITHDRAWAL";
        status: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
        payload: {
          description: string;
          method: "BANK_TRANSFER_ACH" | "BANK_TRANSFER_RTP" | "BANK_TRANSFER_WIRE" | "PUSH_TO_CARD";
          transactionId: string;
          walletId: string;
          entityId: string;
          entityType: "USER" | "BUSINESS";
          summary: string;
          entry: "DEBIT" | "CREDIT";
          amount: number;
          currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
          /**
           * Epoch milliseconds
           */
          timestamp: number;
          /**
           * Decimal string with two places
           */
          feeCharged: string;
          reason:
            | ""
            | "Recipient account not found."
            | "Duplicate transaction detected."
            | "Transaction declined for compliance reasons."
            | "Payment could not be processed."
            | "Your payment could not be processed. Please try a different card."
            | "Payment was cancelled.";
        };
      };
    };
  };
  /**
   * Shows a business
   */
  "GET /v1/business/{businessId}": {
    input: {};
    answer: {
      success: true;
      data: {
        /**
         * The businessId
         */
        id: string;
        name: string;
        email: string;
        /**
         * ISO 8601, UTC
         */
        createdAt: string;
      };
    };
  };
  /**
   * Creates an end user of a business
   */
  "POST /v1/business/{businessId}/entities": {
    input: {
      email: string;
      externalIdentifier?: string;
    };
    answer: {
      success: true;
      data: {
        id: string;
        email: string;
        externalIdentifier: string | null;
        entityType: "USER" | "BUSINESS";
        /**
         * ISO 8601, UTC
         */
        createdAt: string;
      };
    };
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
       * Page number, from 1
       */
      page?: number;
      /**
       * Results per page, 50 by default
       */
      limit?: number;
    };
    answer: {
      success: true;
      /**
       * @maxItems 100
       */
      data: {
        id: string;
        email: string;
        externalIdentifier: string | null;
        entityType: "USER" | "BUSINESS";
        /**
         * ISO 8601, UTC
         */
        createdAt: string;
      }[];
      meta: {
        page: number;
        pageSize: number;
        pageCount: number;
        total: number;
      };
    };
  };
  /**
   * Shows an end user of a business, or the business itself
   */
  "GET /v1/business/{businessId}/entities/{entityId}": {
    input: {
      entityId: string;
    };
    answer: {
      success: true;
      data: {
        id: string;
        email: string;
        externalIdentifier: string | null;
        entityType: "USER" | "BUSINESS";
        /**
         * ISO 8601, UTC
         */
        createdAt: string;
      };
    };
  };
  /**
   * Creates an API client of a business; the secret is shown only once
   */
  "POST /v1/business/{businessId}/api-clients": {
    input: {
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
    };
    answer: {
      success: true;
      data: {
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
         * A disabled client gets no tokens, and its earlier tokens are refused
         */
        disabled: boolean;
        /**
         * ISO 8601, UTC
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
      };
    };
  };
  /**
   * Lists the API clients of a business, oldest first
   */
  "GET /v1/business/{businessId}/api-clients": {
    input: {
      /**
       * Page number, from 1
       */
      page?: number;
      /**
       * Results per page, 50 by default
       */
      limit?: number;
    };
    answer: {
      success: true;
      /**
       * @maxItems 100
       */
      data: {
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
         * A disabled client gets no tokens, and its earlier tokens are refused
         */
        disabled: boolean;
        /**
         * ISO 8601, UTC
         */
        createdAt: string;
        /**
         * Time of the last rotation of its secret
         */
        rotatedAt: string | null;
      }[];
      meta: {
        page: number;
        pageSize: number;
        pageCount: number;
        total: number;
      };
    };
  };
  /**
   * Shows an API client of a business
   */
  "GET /v1/business/{businessId}/api-clients/{clientId}": {
    input: {
      clientId: string;
    };
    answer: {
      success: true;
      data: {
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
         * A disabled client gets no tokens, and its earlier tokens are refused
         */
        disabled: boolean;
        /**
         * ISO 8601, UTC
         */
        createdAt: string;
        /**
         * Time of the last rotation of its secret
         */
        rotatedAt: string | null;
      };
    };
  };
  /**
   * Disables or enables an API client. A disabled client gets no tokens, and its earlier tokens (its users' too) are refused within 5 seconds, for good: an enabled client has to get new ones
   */
  "PATCH /v1/business/{businessId}/api-clients/{clientId}": {
    input: {
      clientId: string;
    } & {
      disabled: boolean;
    };
    answer: {
      success: true;
      data: {
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
         * A disabled client gets no tokens, and its earlier tokens are refused
         */
        disabled: boolean;
        /**
         * ISO 8601, UTC
         */
        createdAt: string;
        /**
         * Time of the last rotation of its secret
         */
        rotatedAt: string | null;
      };
    };
  };
  /**
   * Gives an API client another secret, shown only once. The previous secret stops at once, and tokens that were issued with it (its users' too) are refused within 5 seconds. To change secrets without a gap, create a second client and disable the first
   */
  "POST /v1/business/{businessId}/api-clients/{clientId}/rotate-secret": {
    input: {
      clientId: string;
    };
    answer: {
      success: true;
      data: {
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
         * A disabled client gets no tokens, and its earlier tokens are refused
         */
        disabled: boolean;
        /**
         * ISO 8601, UTC
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
      };
    };
  };
  /**
   * Opens the SPEND wallet of an entity in a currency; a repeated call returns the same wallet
   */
  "POST /v1/business/{businessId}/wallets": {
    input: {
      entityId: string;
      currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
    };
    answer: {
      success: true;
      data: {
        id: string;
        businessId: string;
        entityId: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        type: "SPEND";
        /**
         * Decimal string with two places
         */
        balance: string;
        disabled: boolean;
        createdAt: string;
      };
    };
  };
  /**
   * Lists the wallets of a business, or of one of its entities, with their balances, oldest first
   */
  "GET /v1/business/{businessId}/wallets": {
    input: {
      entityId?: string;
      /**
       * Page number, from 1
       */
      page?: number;
      /**
       * Results per page, 50 by default
       */
      limit?: number;
    };
    answer: {
      success: true;
      /**
       * @maxItems 100
       */
      data: {
        id: string;
        businessId: string;
        entityId: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        type: "SPEND";
        /**
         * Decimal string with two places
         */
        balance: string;
        disabled: boolean;
        createdAt: string;
      }[];
      meta: {
        page: number;
        pageSize: number;
        pageCount: number;
        total: number;
      };
    };
  };
  /**
   * Shows a wallet of a business with its balance
   */
  "GET /v1/business/{businessId}/wallets/{walletId}": {
    input: {
      walletId: string;
    };
    answer: {
      success: true;
      data: {
        id: string;
        businessId: string;
        entityId: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        type: "SPEND";
        /**
         * Decimal string with two places
         */
        balance: string;
        disabled: boolean;
        createdAt: string;
      };
    };
  };
  /**
   * Disables a wallet (debits are declined, reversals still credit it) or enables it again
   */
  "PATCH /v1/business/{businessId}/wallets/{walletId}": {
    input: {
      walletId: string;
    } & {
      disabled: boolean;
    };
    answer: {
      success: true;
      data: {
        id: string;
        businessId: string;
        entityId: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        type: "SPEND";
        /**
         * Decimal string with two places
         */
        balance: string;
        disabled: boolean;
        createdAt: string;
      };
    };
  };
  /**
   * The statement of a wallet, newest first
   */
  "GET /v1/business/{businessId}/wallets/{walletId}/entries": {
    input: {
      walletId: string;
      /**
       * nextCursor of the previous page
       */
      cursor?: string;
      /**
       * Results per page, 50 by default
       */
      limit?: number;
    };
    answer: {
      success: true;
      /**
       * @maxItems 100
       */
      data: {
        id: string;
        transactionId: string;
        kind: string;
        entry: "DEBIT" | "CREDIT";
        /**
         * Decimal string with two places
         */
        amount: string;
        /**
         * Decimal string with two places
         */
        balance: string;
        createdAt: string;
      }[];
      meta: {
        nextCursor: string | null;
      };
    };
  };
  /**
   * Opens the collection account of a business in a currency; a repeated call returns the same account
   */
  "POST /v1/business/{businessId}/collection-accounts": {
    input: {
      currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
    };
    answer: {
      success: true;
      data: {
        id: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        /**
         * Decimal string with two places
         */
        balance: string;
      };
    };
  };
  /**
   * Lists the collection accounts of a business
   */
  "GET /v1/business/{businessId}/collection-accounts": {
    input: {
      /**
       * Page number, from 1
       */
      page?: number;
      /**
       * Results per page, 50 by default
       */
      limit?: number;
    };
    answer: {
      success: true;
      /**
       * @maxItems 100
       */
      data: {
        id: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        /**
         * Decimal string with two places
         */
        balance: string;
      }[];
      meta: {
        page: number;
        pageSize: number;
        pageCount: number;
        total: number;
      };
    };
  };
  /**
   * Transfers from a collection account to a wallet of the business itself; the same reference has the same result
   */
  "POST /v1/business/{businessId}/collection-accounts/{id}/transfers": {
    input: {
      id: string;
    } & {
      walletId: string;
      amount: number;
      reference: string;
    };
    answer: {
      success: true;
      data: {
        id: string;
        status: "PENDING" | "SUCCESS" | "FAILED";
        collectionAccountId: string;
        walletId: string;
        /**
         * Decimal string with two places
         */
        amount: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        reference: string;
        /**
         * ISO 8601, UTC
         */
        createdAt: string;
      };
    };
  };
  /**
   * Lists the transfers from a collection account, oldest first
   */
  "GET /v1/business/{businessId}/collection-accounts/{id}/transfers": {
    input: {
      id: string;
      /**
       * Page number, from 1
       */
      page?: number;
      /**
       * Results per page, 50 by default
       */
      limit?: number;
    };
    answer: {
      success: true;
      /**
       * @maxItems 100
       */
      data: {
        id: string;
        status: "PENDING" | "SUCCESS" | "FAILED";
        collectionAccountId: string;
        walletId: string;
        /**
         * Decimal string with two places
         */
        amount: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        reference: string;
        /**
         * ISO 8601, UTC
         */
        createdAt: string;
      }[];
      meta: {
        page: number;
        pageSize: number;
        pageCount: number;
        total: number;
      };
    };
  };
  /**
   * Credits a wallet from outside; the same reference has the same result
   */
  "POST /v1/business/{businessId}/wallets/{walletId}/fund": {
    input: {
      walletId: string;
    } & {
      amount: number;
      reference: string;
    };
    answer: {
      success: true;
      data: {
        id: string;
        /**
         * REFUND only if an admin resolves one
         */
        flow: "FUNDING" | "WITHDRAWAL" | "PAYMENT" | "PAYOUT" | "COLLECTION" | "REFUND";
        status: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
        /**
         * Decimal string with two places
         */
        amount: string;
        /**
         * Decimal string with two places
         */
        fees: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        method: string | null;
        entityId: string;
        walletId: string;
        linkedAccountId: string | null;
        reason: string | null;
        failureReason: string | null;
        needsAttention: boolean;
        createdAt: string;
        updatedAt: string;
      };
    };
  };
  /**
   * Lists the linked accounts of a business in a currency, in full
   */
  "GET /v1/business/{businessId}/linked-accounts/{currency}": {
    input: {
      /**
       * In any case
       */
      currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
      accountType?: "bank" | "card" | "international_bank" | "prepaid_card";
      /**
       * Legacy alias of accountType
       */
      optionType?: "bank" | "card" | "international_bank" | "prepaid_card";
      /**
       * Part of the counterparty's email, in any case; empty: no filter
       */
      email?: string;
      /**
       * Last four digits of the account or card number, or the last of them
       */
      last4?: string;
      /**
       * Part of the bank's name, in any case; empty: no filter
       */
      bank?: string;
      /**
       * The owner's external identifier, exactly
       */
      externalId?: string;
      /**
       * Page number, from 1
       */
      page?: number;
      /**
       * createdAt by default
       */
      sortBy?:
        "createdAt" | "updatedAt" | "counterPartyName" | "counterPartyEmail" | "nickName" | "optionType" | "currency";
      /**
       * ASC by default, in any case
       */
      sortDirection?: "ASC" | "DESC";
      /**
       * Part of the counterparty's name, in any case; empty: no filter
       */
      search?: string;
      /**
       * Results per page, 50 by default
       */
      limit?: number;
    };
    answer: {
      success: true;
      /**
       * @maxItems 100
       */
      data: {
        /**
         * The linkedAccountId of withdrawals
         */
        id: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        optionType: "bank" | "card" | "international_bank" | "prepaid_card";
        counterPartyName: string;
        counterPartyEmail: string;
        counterPublicPartyEmail: string | null;
        createdAt: string;
        nickName: string | null;
        updatedAt: string;
        account:
          | (
              | {
                  label: string | null;
                  lastFourDigits: string;
                  routing: string;
                  bankName: string;
                  accountType: string | null;
                  routingType: string;
                }
              | {
                  label: string | null;
                  lastFourDigits: string;
                  bankName: string;
                  swiftOrBic: string;
                  country: string;
                  routingNumber: string | null;
                }
              | {
                  label: string | null;
                  lastFourDigits: string;
                  cardBrand: string;
                  cardType: string;
                }
            )
          | null;
        recipientData:
          | (
              | {
                  id: string;
                  type: "bank" | "card" | "international_bank" | "prepaid_card";
                  /**
                   * Equal for the same account, within a business
                   */
                  instrumentId: string;
                  /**
                   * Empty if unset
                   */
                  nickName: string;
                  firstName: string;
                  lastName: string;
                  name: string;
                  email: string;
                  bankName: string;
                  accountNumber: string;
                  routingNumber: string;
                  routingType: string;
                  recipientAddress: string;
                  recipientCity: string;
                  recipientState: string;
                  recipientPostalCode: string;
                }
              | {
                  id: string;
                  type: "bank" | "card" | "international_bank" | "prepaid_card";
                  recipientType: "personal" | "business";
                  firstName: string | null;
                  lastName: string | null;
                  name: string;
                  email: string;
                  accountNumber: string;
                  swiftOrBic: string;
                  bankName: string;
                  recipientAddress: string;
                  recipientCity: string;
                  recipientState: string;
                  recipientPostalCode: string;
                  recipientCountry: string;
                  /**
                   * Empty if unset
                   */
                  nickName: string;
                  /**
                   * The vault's name
                   */
                  provider: string;
                }
              | {
                  id: string;
                  type: "bank" | "card" | "international_bank" | "prepaid_card";
                  name: string;
                  email: string;
                  /**
                   * The vault's name
                   */
                  provider: string;
                  /**
                   * Equal for the same owner, within a business
                   */
                  identityId: string;
                  encryptedCardNumber: string;
                  cardExpirationDate: string;
                }
            )
          | null;
        wallet: {
          id: string;
          /**
           * Current balance; decimal string with two places
           */
          balance: string;
          disabled: boolean;
        };
        entity: {
          id: string;
          email: string;
          externalIdentifier: string | null;
          entityType: "USER" | "BUSINESS";
        };
        application: {
          id: string;
          /**
           * Masked to its last four
           */
          token: string;
          tokenType: string;
          expiredAt: string;
          valid: boolean;
        } | null;
      }[];
      meta: {
        page: number;
        pageSize: number;
        pageCount: number;
        total: number;
      };
    };
  };
  /**
   * Links a bank account, a card or a prepaid card to a wallet, as a payout destination
   */
  "POST /v1/business/{businessId}/linked-accounts/{currency}": {
    input: {
      /**
       * In any case
       */
      currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
    } & {
      optionType: "bank" | "card" | "prepaid_card";
      walletId: string;
      label?: string;
      nickName?: string;
      /**
       * By optionType: of a bank account, of a card, of a prepaid card
       */
      data:
        | {
            firstName: string;
            lastName: string;
            /**
             * Name of the account's holder; firstName lastName by default
             */
            name?: string;
            email: string;
            /**
             * Shown to the public instead of email
             */
            publicEmail?: string;
            bankName: string;
            accountNumber: string;
            routingNumber: string;
            accountType: "CHECKING" | "SAVINGS";
            recipientAddress: string;
            recipientCity: string;
            recipientState: string;
            recipientPostalCode: string;
          }
        | {
            /**
             * The cardholder's name
             */
            name: string;
            email: string;
            /**
             * Shown to the public instead of email
             */
            publicEmail?: string;
            /**
             * The vault's token; card numbers are refused
             */
            encryptedCardNumber: string;
            lastFourDigits: string;
            cardBrand: string;
            cardExpirationDate: string;
            cardType: "credit" | "debit";
          }
        | {
            /**
             * The cardholder's name
             */
            name: string;
            email: string;
            /**
             * Shown to the public instead of email
             */
            publicEmail?: string;
            /**
             * The vault's token; card numbers are refused
             */
            encryptedCardNumber: string;
            lastFourDigits: string;
            cardBrand: string;
            cardExpirationDate: string;
            cardType?: "prepaid" | "credit" | "debit";
          };
    };
    answer: {
      success: true;
      data: {
        id: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        optionType: "bank" | "card" | "international_bank" | "prepaid_card";
        walletId: string;
        counterPartyName: string;
        counterPartyEmail: string;
        nickName: string | null;
        lastFourDigits: string;
        /**
         * ISO 8601, UTC
         */
        createdAt: string;
        /**
         * ISO 8601, UTC
         */
        updatedAt: string;
      };
    };
  };
  /**
   * Lists the caller's linked accounts in a currency, masked: an end user's own, or those of a merchant's end users
   */
  "GET /v1/ext/linked-accounts/{currency}": {
    input: {
      /**
       * In any case
       */
      currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
      accountType?: "bank" | "card" | "international_bank" | "prepaid_card";
      /**
       * Legacy alias of accountType
       */
      optionType?: "bank" | "card" | "international_bank" | "prepaid_card";
      /**
       * Part of the counterparty's email, in any case; empty: no filter
       */
      email?: string;
      /**
       * Last four digits of the account or card number, or the last of them
       */
      last4?: string;
      /**
       * Part of the bank's name, in any case; empty: no filter
       */
      bank?: string;
      /**
       * The owner's external identifier, exactly
       */
      externalId?: string;
      /**
       * Page number, from 1
       */
      page?: number;
      /**
       * createdAt by default
       */
      sortBy?:
        "createdAt" | "updatedAt" | "counterPartyName" | "counterPartyEmail" | "nickName" | "optionType" | "currency";
      /**
       * ASC by default, in any case
       */
      sortDirection?: "ASC" | "DESC";
      /**
       * Results per page, 10 by default
       */
      limit?: number;
    };
    answer: {
      success: true;
      /**
       * @maxItems 100
       */
      data: {
        /**
         * The linkedAccountId of withdrawals
         */
        id: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        optionType: "bank" | "card" | "international_bank" | "prepaid_card";
        counterPartyName: string;
        counterPartyEmail: string;
        counterPublicPartyEmail: string | null;
        createdAt: string;
        /**
         * Empty if unset
         */
        nickName: string;
        account: {
          /**
           * ****XXXX
           */
          routing?: string;
          bankName?: string;
          accountType?: string | null;
          routingType?: string;
        } | null;
        recipientData:
          | (
              | {
                  id: string;
                  type: "bank" | "card" | "international_bank" | "prepaid_card";
                  /**
                   * Equal for the same account, within a business
                   */
                  instrumentId: string;
                  /**
                   * Empty if unset
                   */
                  nickName: string;
                  firstName: string;
                  lastName: string;
                  name: string;
                  email: string;
                  bankName: string;
                  accountNumber: string;
                  routingNumber: string;
                  routingType: string;
                  recipientAddress: string;
                  recipientCity: string;
                  recipientState: string;
                  recipientPostalCode: string;
                }
              | {
                  id: string;
                  type: "bank" | "card" | "international_bank" | "prepaid_card";
                  recipientType: "personal" | "business";
                  firstName: string | null;
                  lastName: string | null;
                  name: string;
                  email: string;
                  accountNumber: string;
                  swiftOrBic: string;
                  bankName: string;
                  recipientAddress: string;
                  recipientCity: string;
                  recipientState: string;
                  recipientPostalCode: string;
                  recipientCountry: string;
                  /**
                   * Empty if unset
                   */
                  nickName: string;
                }
              | {
                  id: string;
                  type: "bank" | "card" | "international_bank" | "prepaid_card";
                  name: string;
                  email: string;
                }
            )
          | null;
      }[];
      meta: {
        page: number;
        pageSize: number;
        pageCount: number;
        total: number;
      };
    };
  };
  /**
   * Unlinks an account; payouts under way still finish
   */
  "DELETE /v1/business/{businessId}/linked-accounts/{currency}/{linkedAccountId}": {
    input: {
      /**
       * In any case
       */
      currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
      linkedAccountId: string;
    };
    answer: {
      success: true;
      data: {
        id: string;
      };
    };
  };
  /**
   * Changes the nickname of a linked account
   */
  "PATCH /v1/business/{businessId}/linked-accounts/{currency}/{linkedAccountId}": {
    input: {
      /**
       * In any case
       */
      currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
      linkedAccountId: string;
    } & {
      nickName: string;
    };
    answer: {
      success: true;
      data: {
        id: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        optionType: "bank" | "card" | "international_bank" | "prepaid_card";
        walletId: string;
        counterPartyName: string;
        counterPartyEmail: string;
        nickName: string | null;
        lastFourDigits: string;
        /**
         * ISO 8601, UTC
         */
        createdAt: string;
        /**
         * ISO 8601, UTC
         */
        updatedAt: string;
      };
    };
  };
  /**
   * Links an international bank account to the wallet of an application token's entity
   */
  "POST /v1/ext/application-token/{token}/linked-accounts/{currency}/link/international_bank/{step}": {
    input: {
      /**
       * Application token of type PAYOUT or ACCOUNT; it is not spent
       */
      token: string;
      /**
       * The token's, in any case
       */
      currency: string;
      step: "1";
    } & {
      /**
       * Display name of the linked account
       */
      label: string;
      /**
       * Of a person, or of a business
       */
      data:
        | {
            recipientType: "personal";
            firstName: string;
            lastName: string;
            email: string;
            /**
             * An IBAN if the country has IBANs. Spaces and lower case are accepted
             */
            accountNumber: string;
            /**
             * Of a bank in recipientCountry. Spaces and lower case are accepted
             */
            swiftOrBic: string;
            bankName: string;
            recipientAddress: string;
            recipientCity: string;
            recipientState: string;
            /**
             * Spaces and lower case are accepted
             */
            recipientCountry: string;
            recipientPostalCode: string;
            /**
             * The label by default
             */
            nickName?: string;
          }
        | {
            recipientType: "business";
            /**
             * The business's name
             */
            name: string;
            email: string;
            /**
             * An IBAN if the country has IBANs. Spaces and lower case are accepted
             */
            accountNumber: string;
            /**
             * Of a bank in recipientCountry. Spaces and lower case are accepted
             */
            swiftOrBic: string;
            bankName: string;
            recipientAddress: string;
            recipientCity: string;
            recipientState: string;
            /**
             * Spaces and lower case are accepted
             */
            recipientCountry: string;
            recipientPostalCode: string;
            /**
             * The label by default
             */
            nickName?: string;
          };
    };
    answer: {
      success: true;
      message: string;
      data: {
        /**
         * The linkedAccountId of withdrawals
         */
        id: string;
      };
    };
  };
  /**
   * Creates an application token for an end user: to pay out once, or to link an account
   */
  "POST /v1/business/{businessId}/application-tokens": {
    input: {
      tokenType: "PAYOUT" | "ACCOUNT";
      entityId: string;
      currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
      /**
       * The required amount of the withdrawal
       */
      amount?: number;
      withdrawalSource?: "MERCHANT_WALLET";
      /**
       * The business's own wallet that is debited
       */
      walletId?: string;
      /**
       * 24 hours from now by default
       */
      expiredAt?: string;
    };
    answer: {
      success: true;
      data: {
        id: string;
        /**
         * The token itself on creation; later masked to its last four
         */
        token: string;
        tokenType: "PAYOUT" | "ACCOUNT";
        entityId: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        /**
         * Decimal string; of tokens with an amount only
         */
        amount?: string;
        withdrawalSource?: "MERCHANT_WALLET";
        /**
         * Of MERCHANT_WALLET tokens only
         */
        walletId?: string;
        /**
         * ISO 8601, UTC
         */
        expiredAt: string;
        valid: boolean;
      };
    };
  };
  /**
   * Lists the application tokens of a business
   */
  "GET /v1/business/{businessId}/application-tokens": {
    input: {
      /**
       * Page number, from 1
       */
      page?: number;
      /**
       * Results per page, 50 by default
       */
      limit?: number;
    };
    answer: {
      success: true;
      /**
       * @maxItems 100
       */
      data: {
        id: string;
        /**
         * The token itself on creation; later masked to its last four
         */
        token: string;
        tokenType: "PAYOUT" | "ACCOUNT";
        entityId: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        /**
         * Decimal string; of tokens with an amount only
         */
        amount?: string;
        withdrawalSource?: "MERCHANT_WALLET";
        /**
         * Of MERCHANT_WALLET tokens only
         */
        walletId?: string;
        /**
         * ISO 8601, UTC
         */
        expiredAt: string;
        valid: boolean;
      }[];
      meta: {
        page: number;
        pageSize: number;
        pageCount: number;
        total: number;
      };
    };
  };
  /**
   * Creates a payment link for the acting merchant, or for the business of the acting user
   */
  "POST /v1/ext/collections/payment-link": {
    input: {
      currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
      /**
       * page by default
       */
      name?: string;
      /**
       * At least 0.5 for one-time links and subscriptions; else optional
       */
      amount?: number;
      customUrlPath?: string;
      /**
       * The page for the customer after paying
       */
      redirectTo?: string;
      /**
       * In the future; one year from now by default
       */
      expiredAt?: string;
      /**
       * generic by default
       */
      checkoutType?: "generic" | "ecommerce" | "recurring";
      recurringCharge?: {
        type: "subscription" | "consumption" | "seating";
        /**
         * Billing start (trial end); before expiredAt
         */
        startDate: string;
        interval: {
          type: "day" | "week" | "month" | "year";
          /**
           * Interval multiple
           */
          count: number;
        };
        productId?: string;
        consumptionDetails?: {
          unit: string;
          /**
           * Up to six decimals
           */
          costPerUnit: number;
          /**
           * Units included before charges apply
           */
          minimumUnits?: number;
          /**
           * Required if minimumUnits is set
           */
          baseFee?: number;
        };
        seatDetails?: {
          /**
           * Fixed fee of a period
           */
          baseFee: number;
          /**
           * Up to six decimals
           */
          costPerSeat: number;
          newSeatBillingType: "prorate" | "next_cycle" | "immediate";
        };
      };
      /**
       * Paid any number of times, or once; true by default
       */
      isOpenLink?: boolean;
      /**
       * The customer pays the fee; true by default
       */
      customerPays?: boolean;
      orderId?: string;
      /**
       * More to ask the customer for
       *
       * @maxItems 20
       */
      dataCollections?: string[];
      /**
       * More fields to fill
       *
       * @maxItems 20
       */
      customFields?: string[];
      /**
       * Has to contain "card", which is the default
       *
       * @maxItems 20
       */
      acceptedPaymentOptions?: string[];
      /**
       * A NOTIFICATION event names the customer
       */
      notifyPayee?: boolean;
      /**
       * The person that a NOTIFICATION event names
       */
      agent?: {
        type: string;
        email: string;
        name: string;
        [k: string]: string;
      };
      brandingConfig?: {
        logo?: string;
        primaryColor?: string;
        backgroundColor?: string;
      };
      advancedConfig?: {
        websiteUrl: string;
        webhookPath: string;
        webhookSecret?: string;
      };
      customData?: {
        [k: string]: string;
      };
      itemDeliveryAddress: string;
      /**
       * @minItems 1
       * @maxItems 200
       */
      cartItems: {
        name: string;
        description: string;
        /**
         * How many
         */
        qty?: number;
        /**
         * Price of one, in the cart item's currency
         */
        price?: number;
        currency?: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        productId?: string;
        imageUrl?: string;
      }[];
      externalId?: string;
    };
    answer: {
      success: true;
      data: {
        /**
         * Checkout URL to share with customers
         */
        url: string;
        application: {
          /**
           * The payment link's id
           */
          id: string;
          /**
           * The secret in its URL
           */
          token: string;
          tokenType: "PAYMENT_LINK";
          /**
           * ISO 8601, UTC
           */
          expiredAt: string;
          /**
           * False once used, expired or disabled
           */
          valid: boolean;
        };
      };
    };
  };
  /**
   * Lists the payment links of a business, oldest first, each in short
   */
  "GET /v1/business/{businessId}/payment-links": {
    input: {
      /**
       * Page number, from 1
       */
      page?: number;
      /**
       * Results per page, 50 by default
       */
      limit?: number;
    };
    answer: {
      success: true;
      /**
       * @maxItems 100
       */
      data: {
        id: string;
        status: "ACTIVE" | "USED" | "EXPIRED" | "DISABLED";
        /**
         * Null where the key that it was encrypted with is not there any more
         */
        url: string | null;
        application: {
          /**
           * The payment link's id
           */
          id: string;
          /**
           * Null where the key that it was encrypted with is not there any more
           */
          token: string | null;
          tokenType: "PAYMENT_LINK";
          /**
           * ISO 8601, UTC
           */
          expiredAt: string;
          /**
           * False once used, expired or disabled
           */
          valid: boolean;
        };
        /**
         * How many succeeded; not counted further than 10000
         */
        payments: number;
        /**
         * ISO 8601, UTC
         */
        createdAt: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        /**
         * page by default
         */
        name?: string;
        /**
         * At least 0.5 for one-time links and subscriptions; else optional
         */
        amount?: number;
        customUrlPath?: string;
        /**
         * In the future; one year from now by default
         */
        expiredAt?: string;
        /**
         * generic by default
         */
        checkoutType?: "generic" | "ecommerce" | "recurring";
        recurringCharge?: {
          type: "subscription" | "consumption" | "seating";
          /**
           * Billing start (trial end); before expiredAt
           */
          startDate: string;
          interval: {
            type: "day" | "week" | "month" | "year";
            /**
             * Interval multiple
             */
            count: number;
          };
          productId?: string;
          consumptionDetails?: {
            unit: string;
            /**
             * Up to six decimals
             */
            costPerUnit: number;
            /**
             * Units included before charges apply
             */
            minimumUnits?: number;
            /**
             * Required if minimumUnits is set
             */
            baseFee?: number;
          };
          seatDetails?: {
            /**
             * Fixed fee of a period
             */
            baseFee: number;
            /**
             * Up to six decimals
             */
            costPerSeat: number;
            newSeatBillingType: "prorate" | "next_cycle" | "immediate";
          };
        };
        /**
         * Paid any number of times, or once; true by default
         */
        isOpenLink?: boolean;
        /**
         * The customer pays the fee; true by default
         */
        customerPays?: boolean;
        orderId?: string;
        /**
         * A NOTIFICATION event names the customer
         */
        notifyPayee?: boolean;
        externalId?: string;
      }[];
      meta: {
        page: number;
        pageSize: number;
        pageCount: number;
        total: number;
      };
    };
  };
  /**
   * Shows a payment link
   */
  "GET /v1/business/{businessId}/payment-links/{id}": {
    input: {
      id: string;
    };
    answer: {
      success: true;
      data: {
        id: string;
        status: "ACTIVE" | "USED" | "EXPIRED" | "DISABLED";
        /**
         * Null where the key that it was encrypted with is not there any more
         */
        url: string | null;
        application: {
          /**
           * The payment link's id
           */
          id: string;
          /**
           * Null where the key that it was encrypted with is not there any more
           */
          token: string | null;
          tokenType: "PAYMENT_LINK";
          /**
           * ISO 8601, UTC
           */
          expiredAt: string;
          /**
           * False once used, expired or disabled
           */
          valid: boolean;
        };
        /**
         * How many succeeded; not counted further than 10000
         */
        payments: number;
        /**
         * ISO 8601, UTC
         */
        createdAt: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        /**
         * page by default
         */
        name?: string;
        /**
         * At least 0.5 for one-time links and subscriptions; else optional
         */
        amount?: number;
        customUrlPath?: string;
        /**
         * The page for the customer after paying
         */
        redirectTo?: string;
        /**
         * In the future; one year from now by default
         */
        expiredAt?: string;
        /**
         * generic by default
         */
        checkoutType?: "generic" | "ecommerce" | "recurring";
        recurringCharge?: {
          type: "subscription" | "consumption" | "seating";
          /**
           * Billing start (trial end); before expiredAt
           */
          startDate: string;
          interval: {
            type: "day" | "week" | "month" | "year";
            /**
             * Interval multiple
             */
            count: number;
          };
          productId?: string;
          consumptionDetails?: {
            unit: string;
            /**
             * Up to six decimals
             */
            costPerUnit: number;
            /**
             * Units included before charges apply
             */
            minimumUnits?: number;
            /**
             * Required if minimumUnits is set
             */
            baseFee?: number;
          };
          seatDetails?: {
            /**
             * Fixed fee of a period
             */
            baseFee: number;
            /**
             * Up to six decimals
             */
            costPerSeat: number;
            newSeatBillingType: "prorate" | "next_cycle" | "immediate";
          };
        };
        /**
         * Paid any number of times, or once; true by default
         */
        isOpenLink?: boolean;
        /**
         * The customer pays the fee; true by default
         */
        customerPays?: boolean;
        orderId?: string;
        /**
         * More to ask the customer for
         *
         * @maxItems 20
         */
        dataCollections?: string[];
        /**
         * More fields to fill
         *
         * @maxItems 20
         */
        customFields?: string[];
        /**
         * Has to contain "card", which is the default
         *
         * @maxItems 20
         */
        acceptedPaymentOptions?: string[];
        /**
         * A NOTIFICATION event names the customer
         */
        notifyPayee?: boolean;
        /**
         * The person that a NOTIFICATION event names
         */
        agent?: {
          type: string;
          email: string;
          name: string;
          [k: string]: string;
        };
        brandingConfig?: {
          logo?: string;
          primaryColor?: string;
          backgroundColor?: string;
        };
        advancedConfig?: {
          websiteUrl: string;
          webhookPath: string;
        };
        customData?: {
          [k: string]: string;
        };
        itemDeliveryAddress: string;
        /**
         * @minItems 1
         * @maxItems 200
         */
        cartItems: {
          name: string;
          description: string;
          /**
           * How many
           */
          qty?: number;
          /**
           * Price of one, in the cart item's currency
           */
          price?: number;
          currency?: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
          productId?: string;
          imageUrl?: string;
        }[];
        externalId?: string;
      };
    };
  };
  /**
   * Disables a payment link: it cannot be paid any more. A repeated call changes nothing
   */
  "POST /v1/business/{businessId}/payment-links/{id}/disable": {
    input: {
      id: string;
    };
    answer: {
      success: true;
      data: {
        id: string;
        status: "ACTIVE" | "USED" | "EXPIRED" | "DISABLED";
        /**
         * Null where the key that it was encrypted with is not there any more
         */
        url: string | null;
        application: {
          /**
           * The payment link's id
           */
          id: string;
          /**
           * Null where the key that it was encrypted with is not there any more
           */
          token: string | null;
          tokenType: "PAYMENT_LINK";
          /**
           * ISO 8601, UTC
           */
          expiredAt: string;
          /**
           * False once used, expired or disabled
           */
          valid: boolean;
        };
        /**
         * How many succeeded; not counted further than 10000
         */
        payments: number;
        /**
         * ISO 8601, UTC
         */
        createdAt: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        /**
         * page by default
         */
        name?: string;
        /**
         * At least 0.5 for one-time links and subscriptions; else optional
         */
        amount?: number;
        customUrlPath?: string;
        /**
         * The page for the customer after paying
         */
        redirectTo?: string;
        /**
         * In the future; one year from now by default
         */
        expiredAt?: string;
        /**
         * generic by default
         */
        checkoutType?: "generic" | "ecommerce" | "recurring";
        recurringCharge?: {
          type: "subscription" | "consumption" | "seating";
          /**
           * Billing start (trial end); before expiredAt
           */
          startDate: string;
          interval: {
            type: "day" | "week" | "month" | "year";
            /**
             * Interval multiple
             */
            count: number;
          };
          productId?: string;
          consumptionDetails?: {
            unit: string;
            /**
             * Up to six decimals
             */
            costPerUnit: number;
            /**
             * Units included before charges apply
             */
            minimumUnits?: number;
            /**
             * Required if minimumUnits is set
             */
            baseFee?: number;
          };
          seatDetails?: {
            /**
             * Fixed fee of a period
             */
            baseFee: number;
            /**
             * Up to six decimals
             */
            costPerSeat: number;
            newSeatBillingType: "prorate" | "next_cycle" | "immediate";
          };
        };
        /**
         * Paid any number of times, or once; true by default
         */
        isOpenLink?: boolean;
        /**
         * The customer pays the fee; true by default
         */
        customerPays?: boolean;
        orderId?: string;
        /**
         * More to ask the customer for
         *
         * @maxItems 20
         */
        dataCollections?: string[];
        /**
         * More fields to fill
         *
         * @maxItems 20
         */
        customFields?: string[];
        /**
         * Has to contain "card", which is the default
         *
         * @maxItems 20
         */
        acceptedPaymentOptions?: string[];
        /**
         * A NOTIFICATION event names the customer
         */
        notifyPayee?: boolean;
        /**
         * The person that a NOTIFICATION event names
         */
        agent?: {
          type: string;
          email: string;
          name: string;
          [k: string]: string;
        };
        brandingConfig?: {
          logo?: string;
          primaryColor?: string;
          backgroundColor?: string;
        };
        advancedConfig?: {
          websiteUrl: string;
          webhookPath: string;
        };
        customData?: {
          [k: string]: string;
        };
        itemDeliveryAddress: string;
        /**
         * @minItems 1
         * @maxItems 200
         */
        cartItems: {
          name: string;
          description: string;
          /**
           * How many
           */
          qty?: number;
          /**
           * Price of one, in the cart item's currency
           */
          price?: number;
          currency?: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
          productId?: string;
          imageUrl?: string;
        }[];
        externalId?: string;
      };
    };
  };
  /**
   * The customer's view of a payment link, in any status
   */
  "GET /v1/checkout/{token}": {
    input: {
      token: string;
    };
    answer: {
      success: true;
      data: {
        name: string;
        businessName: string;
        status: "ACTIVE" | "USED" | "EXPIRED" | "DISABLED";
        checkoutType: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        /**
         * Decimal string with two places
         */
        amount: string;
        /**
         * Decimal string with two places
         */
        fees: string;
        /**
         * Decimal string with two places
         */
        total: string;
        /**
         * @maxItems 200
         */
        items: {
          name: string;
          description: string;
          qty?: number;
          /**
           * Decimal string with two places
           */
          price?: string;
          imageUrl?: string;
        }[];
        /**
         * The fields for the customer to fill; the first four are `customer`'s
         *
         * @maxItems 44
         */
        fields: {
          name: string;
          required: boolean;
        }[];
        /**
         * The customer's action here; all except `pay` is `setup`
         */
        purpose: "pay" | "subscribe" | "change_method";
        recurring: {
          type: "subscription" | "consumption" | "seating";
          /**
           * Billing start (trial end); before expiredAt
           */
          startDate: string;
          interval: {
            type: "day" | "week" | "month" | "year";
            /**
             * Interval multiple
             */
            count: number;
          };
          productId?: string;
          consumptionDetails?: {
            unit: string;
            /**
             * Up to six decimals
             */
            costPerUnit: number;
            /**
             * Units included before charges apply
             */
            minimumUnits?: number;
            /**
             * Required if minimumUnits is set
             */
            baseFee?: number;
          };
          seatDetails?: {
            /**
             * Fixed fee of a period
             */
            baseFee: number;
            /**
             * Up to six decimals
             */
            costPerSeat: number;
            newSeatBillingType: "prorate" | "next_cycle" | "immediate";
          };
        } | null;
        /**
         * Whether the customer pays the fee of the card on top of prices
         */
        feesOnTop: boolean;
        /**
         * Charged at once: the total of a payment, or the amount due when a payment method is saved
         */
        dueNow: string;
        /**
         * Of a subscription to come: when it is first charged, at the soonest
         */
        firstChargeAt: string | null;
        branding: {
          logo: string | null;
          primaryColor: string | null;
          backgroundColor: string | null;
        };
        redirectTo: string | null;
        /**
         * The acquirer's card vault; null for the sandbox's own and if no card is taken
         */
        vault: {
          /**
           * The page loads it in a frame, to take the card there
           */
          fieldUrl: string;
        } | null;
      };
    };
  };
  /**
   * Charges a customer once. If the outcome is not known after ten seconds, the payment is PENDING; payrail asks for the outcome later and does not charge again
   */
  "POST /v1/checkout/{token}/payments": {
    input: {
      /**
       * The link's token
       */
      token: string;
    } & {
      customer: {
        email: string;
        firstName: string;
        lastName: string;
        phone: string;
      };
      /**
       * The link's own fields, beside the customer's data
       */
      fields?: {
        [k: string]: string;
      };
      paymentMethod: {
        type: "card";
        /**
         * From the card vault
         */
        token: string;
      };
    };
    answer: {
      success: true;
      data: {
        id: string;
        status: "PENDING" | "SUCCEEDED" | "FAILED";
        /**
         * Of a payment that failed
         */
        reason?: string;
        redirectTo: string | null;
      };
    };
  };
  /**
   * The customer's view of a payment in its current state
   */
  "GET /v1/checkout/{token}/payments/{id}": {
    input: {
      token: string;
      id: string;
    };
    answer: {
      success: true;
      data: {
        id: string;
        status: "PENDING" | "SUCCEEDED" | "FAILED";
        /**
         * Of a payment that failed
         */
        reason?: string;
        redirectTo: string | null;
      };
    };
  };
  /**
   * Saves a customer's payment method without charging it, and creates the subscription; with the token of a payment-method link, changes the method of one
   */
  "POST /v1/checkout/{token}/setup": {
    input: {
      /**
       * The link's token
       */
      token: string;
    } & {
      /**
       * Needed, but for the token of a payment-method link
       */
      customer?: {
        email: string;
        firstName: string;
        lastName: string;
        phone: string;
      };
      /**
       * The link's own fields, beside the customer's data
       */
      fields?: {
        [k: string]: string;
      };
      paymentMethod: {
        type: "card";
        /**
         * From the card vault
         */
        token: string;
      };
    };
    answer: {
      success: true;
      data: {
        subscriptionId: string;
        status: "trialing" | "active" | "past_due" | "cancelled";
      };
    };
  };
  /**
   * Stores a card in the sandbox's vault and returns its token; only in the sandbox
   */
  "POST /v1/sandbox/card-tokens": {
    input: {
      number: string;
      expMonth: number;
      expYear: number;
      cvc: string;
    };
    answer: {
      success: true;
      data: {
        token: string;
        brand: string;
        last4: string;
      };
    };
  };
  /**
   * Lists the payments of a business, oldest first
   */
  "GET /v1/business/{businessId}/payments": {
    input: {
      paymentLinkId?: string;
      subscriptionId?: string;
      status?: "PENDING" | "SUCCEEDED" | "FAILED";
      /**
       * Page number, from 1
       */
      page?: number;
      /**
       * Results per page, 50 by default
       */
      limit?: number;
    };
    answer: {
      success: true;
      /**
       * @maxItems 100
       */
      data: {
        id: string;
        paymentLinkId: string;
        /**
         * Of a renewal
         */
        subscriptionId: string | null;
        /**
         * Of a renewal
         */
        invoiceId: string | null;
        collectionAccountId: string;
        status: "PENDING" | "SUCCEEDED" | "FAILED";
        /**
         * The charged amount; decimal string
         */
        amount: string;
        /**
         * Decimal string with two places
         */
        fees: string;
        /**
         * The amount credited to the collection account
         */
        net: string;
        /**
         * Decimal string with two places
         */
        refunded: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        card: {
          brand: string;
          last4: string;
        } | null;
        customer: {
          email: string;
          firstName: string;
          lastName: string;
          phone: string;
        };
        /**
         * Left out if the list would be too long
         */
        metadata?: {
          itemDeliveryAddress: string;
          customData: {
            [k: string]: string;
          };
          fields: {
            [k: string]: string;
          };
        };
        orderId: string | null;
        externalId: string | null;
        reason: string | null;
        needsAttention: boolean;
        /**
         * ISO 8601, UTC
         */
        createdAt: string;
        updatedAt: string;
      }[];
      meta: {
        page: number;
        pageSize: number;
        pageCount: number;
        total: number;
      };
    };
  };
  /**
   * Shows a payment
   */
  "GET /v1/business/{businessId}/payments/{id}": {
    input: {
      id: string;
    };
    answer: {
      success: true;
      data: {
        id: string;
        paymentLinkId: string;
        /**
         * Of a renewal
         */
        subscriptionId: string | null;
        /**
         * Of a renewal
         */
        invoiceId: string | null;
        collectionAccountId: string;
        status: "PENDING" | "SUCCEEDED" | "FAILED";
        /**
         * The charged amount; decimal string
         */
        amount: string;
        /**
         * Decimal string with two places
         */
        fees: string;
        /**
         * The amount credited to the collection account
         */
        net: string;
        /**
         * Decimal string with two places
         */
        refunded: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        card: {
          brand: string;
          last4: string;
        } | null;
        customer: {
          email: string;
          firstName: string;
          lastName: string;
          phone: string;
        };
        metadata: {
          itemDeliveryAddress: string;
          customData: {
            [k: string]: string;
          };
          fields: {
            [k: string]: string;
          };
        };
        orderId: string | null;
        externalId: string | null;
        reason: string | null;
        needsAttention: boolean;
        /**
         * ISO 8601, UTC
         */
        createdAt: string;
        updatedAt: string;
      };
    };
  };
  /**
   * Refunds a payment, by default the rest of it; the same reference has the same result
   */
  "POST /v1/business/{businessId}/payments/{id}/refunds": {
    input: {
      id: string;
    } & {
      amount?: number;
      reference: string;
    };
    answer: {
      success: true;
      data: {
        id: string;
        paymentId: string;
        status: "PENDING" | "SUCCEEDED" | "FAILED";
        /**
         * Decimal string with two places
         */
        amount: string;
        /**
         * Decimal string with two places
         */
        feesReturned: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        reference: string;
        reason: string | null;
        /**
         * An admin has to decide: see `POST /v1/admin/transactions/:id/resolve`
         */
        needsAttention: boolean;
        /**
         * ISO 8601, UTC
         */
        createdAt: string;
      };
    };
  };
  /**
   * Lists the refunds of a payment, oldest first
   */
  "GET /v1/business/{businessId}/payments/{id}/refunds": {
    input: {
      id: string;
      /**
       * Page number, from 1
       */
      page?: number;
      /**
       * Results per page, 50 by default
       */
      limit?: number;
    };
    answer: {
      success: true;
      /**
       * @maxItems 100
       */
      data: {
        id: string;
        paymentId: string;
        status: "PENDING" | "SUCCEEDED" | "FAILED";
        /**
         * Decimal string with two places
         */
        amount: string;
        /**
         * Decimal string with two places
         */
        feesReturned: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        reference: string;
        reason: string | null;
        /**
         * An admin has to decide: see `POST /v1/admin/transactions/:id/resolve`
         */
        needsAttention: boolean;
        /**
         * ISO 8601, UTC
         */
        createdAt: string;
      }[];
      meta: {
        page: number;
        pageSize: number;
        pageCount: number;
        total: number;
      };
    };
  };
  /**
   * Lists the subscriptions of a business, oldest first
   */
  "GET /v1/business/{businessId}/subscriptions": {
    input: {
      paymentLinkId?: string;
      status?: "trialing" | "active" | "past_due" | "cancelled";
      /**
       * Page number, from 1
       */
      page?: number;
      /**
       * Results per page, 50 by default
       */
      limit?: number;
    };
    answer: {
      success: true;
      /**
       * @maxItems 100
       */
      data: {
        id: string;
        status: "trialing" | "active" | "past_due" | "cancelled";
        paymentLinkId: string;
        collectionAccountId: string;
        name: string;
        type: "subscription" | "consumption" | "seating";
        interval: {
          type: "day" | "week" | "month" | "year";
          /**
           * Interval multiple
           */
          count: number;
        };
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        productId: string | null;
        /**
         * Of a period; null unless it is of the type subscription
         */
        amount: string | null;
        consumptionDetails: {
          unit: string;
          /**
           * Up to six decimals
           */
          costPerUnit: number;
          /**
           * Units included before charges apply
           */
          minimumUnits?: number;
          /**
           * Required if minimumUnits is set
           */
          baseFee?: number;
        } | null;
        seatDetails: {
          /**
           * Fixed fee of a period
           */
          baseFee: number;
          /**
           * Up to six decimals
           */
          costPerSeat: number;
          newSeatBillingType: "prorate" | "next_cycle" | "immediate";
        } | null;
        /**
         * Start of its first period; until then it is a trial
         */
        startDate: string;
        /**
         * Null during the trial, and once cancelled
         */
        currentPeriod: {
          /**
           * By the business's clock
           */
          periodStart: string;
          /**
           * By the business's clock
           */
          periodEnd: string;
        } | null;
        /**
         * By the business's clock
         */
        nextInvoiceAt: string | null;
        /**
         * The unpaid invoice
         */
        openInvoiceId: string | null;
        /**
         * Null unless it is billed by seats
         */
        seats: number | null;
        customer: {
          email: string;
          firstName: string;
          lastName: string;
          phone: string;
        };
        card: {
          brand: string;
          last4: string;
        };
        orderId: string | null;
        externalId: string | null;
        /**
         * The end of the period with which it will be cancelled
         */
        cancelAt: string | null;
        /**
         * By the business's clock
         */
        cancelledAt: string | null;
        cancelReason: ("requested" | "unpaid") | null;
        needsAttention: boolean;
        /**
         * By the business's clock
         */
        createdAt: string;
      }[];
      meta: {
        page: number;
        pageSize: number;
        pageCount: number;
        total: number;
      };
    };
  };
  /**
   * Shows a subscription
   */
  "GET /v1/business/{businessId}/subscriptions/{id}": {
    input: {
      id: string;
    };
    answer: {
      success: true;
      data: {
        id: string;
        status: "trialing" | "active" | "past_due" | "cancelled";
        paymentLinkId: string;
        collectionAccountId: string;
        name: string;
        type: "subscription" | "consumption" | "seating";
        interval: {
          type: "day" | "week" | "month" | "year";
          /**
           * Interval multiple
           */
          count: number;
        };
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        productId: string | null;
        /**
         * Of a period; null unless it is of the type subscription
         */
        amount: string | null;
        consumptionDetails: {
          unit: string;
          /**
           * Up to six decimals
           */
          costPerUnit: number;
          /**
           * Units included before charges apply
           */
          minimumUnits?: number;
          /**
           * Required if minimumUnits is set
           */
          baseFee?: number;
        } | null;
        seatDetails: {
          /**
           * Fixed fee of a period
           */
          baseFee: number;
          /**
           * Up to six decimals
           */
          costPerSeat: number;
          newSeatBillingType: "prorate" | "next_cycle" | "immediate";
        } | null;
        /**
         * Start of its first period; until then it is a trial
         */
        startDate: string;
        /**
         * Null during the trial, and once cancelled
         */
        currentPeriod: {
          /**
           * By the business's clock
           */
          periodStart: string;
          /**
           * By the business's clock
           */
          periodEnd: string;
        } | null;
        /**
         * By the business's clock
         */
        nextInvoiceAt: string | null;
        /**
         * The unpaid invoice
         */
        openInvoiceId: string | null;
        /**
         * Null unless it is billed by seats
         */
        seats: number | null;
        customer: {
          email: string;
          firstName: string;
          lastName: string;
          phone: string;
        };
        card: {
          brand: string;
          last4: string;
        };
        orderId: string | null;
        externalId: string | null;
        /**
         * The end of the period with which it will be cancelled
         */
        cancelAt: string | null;
        /**
         * By the business's clock
         */
        cancelledAt: string | null;
        cancelReason: ("requested" | "unpaid") | null;
        needsAttention: boolean;
        /**
         * By the business's clock
         */
        createdAt: string;
      };
    };
  };
  /**
   * Lists the invoices of a subscription, oldest first
   */
  "GET /v1/business/{businessId}/subscriptions/{id}/invoices": {
    input: {
      id: string;
      /**
       * Page number, from 1
       */
      page?: number;
      /**
       * Results per page, 50 by default
       */
      limit?: number;
    };
    answer: {
      success: true;
      /**
       * @maxItems 100
       */
      data: {
        id: string;
        /**
         * Counts the invoices of the business
         */
        number: number;
        subscriptionId: string;
        /**
         * By the business's clock
         */
        periodStart: string;
        /**
         * By the business's clock
         */
        periodEnd: string;
        /**
         * The sum of the lines, without the fee that the customer pays on top
         */
        total: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        status: "open" | "paid" | "failed" | "void";
        /**
         * Left out if the list would be too long
         *
         * @maxItems 2000
         */
        lines?: {
          /**
           * How the amount was computed
           */
          description: string;
          quantity: number;
          /**
           * Decimal string with two to six places
           */
          unitAmount: string;
          /**
           * Decimal string; negative for a credit
           */
          amount: string;
        }[];
        /**
         * The amount charged to the card: the total, and the fee if the customer pays it
         */
        charged: string;
        /**
         * @maxItems 50
         */
        attempts: {
          paymentId: string;
          status: "PENDING" | "SUCCEEDED" | "FAILED";
          /**
           * By the business's clock
           */
          at: string;
          /**
           * The reason of the failure
           */
          reason: string | null;
        }[];
        /**
         * When the card is tried again
         */
        nextAttemptAt: string | null;
        /**
         * By the business's clock
         */
        issuedAt: string;
        /**
         * By the business's clock
         */
        paidAt: string | null;
      }[];
      meta: {
        page: number;
        pageSize: number;
        pageCount: number;
        total: number;
      };
    };
  };
  /**
   * Shows an invoice of a subscription
   */
  "GET /v1/business/{businessId}/subscriptions/{id}/invoices/{invoiceId}": {
    input: {
      id: string;
      invoiceId: string;
    };
    answer: {
      success: true;
      data: {
        id: string;
        /**
         * Counts the invoices of the business
         */
        number: number;
        subscriptionId: string;
        /**
         * By the business's clock
         */
        periodStart: string;
        /**
         * By the business's clock
         */
        periodEnd: string;
        /**
         * The sum of the lines, without the fee that the customer pays on top
         */
        total: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        status: "open" | "paid" | "failed" | "void";
        /**
         * @maxItems 2000
         */
        lines: {
          /**
           * How the amount was computed
           */
          description: string;
          quantity: number;
          /**
           * Decimal string with two to six places
           */
          unitAmount: string;
          /**
           * Decimal string; negative for a credit
           */
          amount: string;
        }[];
        /**
         * The amount charged to the card: the total, and the fee if the customer pays it
         */
        charged: string;
        /**
         * @maxItems 50
         */
        attempts: {
          paymentId: string;
          status: "PENDING" | "SUCCEEDED" | "FAILED";
          /**
           * By the business's clock
           */
          at: string;
          /**
           * The reason of the failure
           */
          reason: string | null;
        }[];
        /**
         * When the card is tried again
         */
        nextAttemptAt: string | null;
        /**
         * By the business's clock
         */
        issuedAt: string;
        /**
         * By the business's clock
         */
        paidAt: string | null;
      };
    };
  };
  /**
   * Shows the next invoice of a subscription, computed from the current data
   */
  "GET /v1/business/{businessId}/subscriptions/{id}/preview": {
    input: {
      id: string;
    };
    answer: {
      success: true;
      data: {
        /**
         * By the business's clock
         */
        periodStart: string;
        /**
         * By the business's clock
         */
        periodEnd: string;
        /**
         * The sum of the lines, without the fee that the customer pays on top
         */
        total: string;
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        status: "open" | "paid" | "failed" | "void";
        /**
         * @maxItems 2000
         */
        lines: {
          /**
           * How the amount was computed
           */
          description: string;
          quantity: number;
          /**
           * Decimal string with two to six places
           */
          unitAmount: string;
          /**
           * Decimal string; negative for a credit
           */
          amount: string;
        }[];
      };
    };
  };
  /**
   * Records usage of a subscription that is billed by it; the same reference counts once
   */
  "POST /v1/business/{businessId}/subscriptions/{id}/usage": {
    input: {
      id: string;
    } & {
      /**
       * How many
       */
      units: number;
      /**
       * The caller's; it counts once for each subscription
       */
      reference: string;
      /**
       * When it was used; now by default
       */
      at?: string;
    };
    answer: {
      success: true;
      data: {
        id: string;
        subscriptionId: string;
        reference: string;
        units: number;
        /**
         * By the business's clock
         */
        at: string;
        /**
         * By the business's clock
         */
        periodStart: string;
        /**
         * By the business's clock
         */
        periodEnd: string;
        /**
         * Its own period is invoiced already: it counts in the period that is shown
         */
        late: boolean;
      };
    };
  };
  /**
   * Lists the usage of a subscription, newest first
   */
  "GET /v1/business/{businessId}/subscriptions/{id}/usage": {
    input: {
      id: string;
      /**
       * nextCursor of the previous page
       */
      cursor?: string;
      /**
       * Results per page, 50 by default
       */
      limit?: number;
    };
    answer: {
      success: true;
      /**
       * @maxItems 100
       */
      data: {
        id: string;
        subscriptionId: string;
        reference: string;
        units: number;
        /**
         * By the business's clock
         */
        at: string;
        /**
         * By the business's clock
         */
        periodStart: string;
        /**
         * By the business's clock
         */
        periodEnd: string;
        /**
         * Its own period is invoiced already: it counts in the period that is shown
         */
        late: boolean;
      }[];
      meta: {
        nextCursor: string | null;
      };
    };
  };
  /**
   * Sets the number of seats of a subscription that is billed by them
   */
  "POST /v1/business/{businessId}/subscriptions/{id}/seats": {
    input: {
      id: string;
    } & {
      seats: number;
    };
    answer: {
      success: true;
      data: {
        id: string;
        status: "trialing" | "active" | "past_due" | "cancelled";
        paymentLinkId: string;
        collectionAccountId: string;
        name: string;
        type: "subscription" | "consumption" | "seating";
        interval: {
          type: "day" | "week" | "month" | "year";
          /**
           * Interval multiple
           */
          count: number;
        };
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        productId: string | null;
        /**
         * Of a period; null unless it is of the type subscription
         */
        amount: string | null;
        consumptionDetails: {
          unit: string;
          /**
           * Up to six decimals
           */
          costPerUnit: number;
          /**
           * Units included before charges apply
           */
          minimumUnits?: number;
          /**
           * Required if minimumUnits is set
           */
          baseFee?: number;
        } | null;
        seatDetails: {
          /**
           * Fixed fee of a period
           */
          baseFee: number;
          /**
           * Up to six decimals
           */
          costPerSeat: number;
          newSeatBillingType: "prorate" | "next_cycle" | "immediate";
        } | null;
        /**
         * Start of its first period; until then it is a trial
         */
        startDate: string;
        /**
         * Null during the trial, and once cancelled
         */
        currentPeriod: {
          /**
           * By the business's clock
           */
          periodStart: string;
          /**
           * By the business's clock
           */
          periodEnd: string;
        } | null;
        /**
         * By the business's clock
         */
        nextInvoiceAt: string | null;
        /**
         * The unpaid invoice
         */
        openInvoiceId: string | null;
        /**
         * Null unless it is billed by seats
         */
        seats: number | null;
        customer: {
          email: string;
          firstName: string;
          lastName: string;
          phone: string;
        };
        card: {
          brand: string;
          last4: string;
        };
        orderId: string | null;
        externalId: string | null;
        /**
         * The end of the period with which it will be cancelled
         */
        cancelAt: string | null;
        /**
         * By the business's clock
         */
        cancelledAt: string | null;
        cancelReason: ("requested" | "unpaid") | null;
        needsAttention: boolean;
        /**
         * By the business's clock
         */
        createdAt: string;
      };
    };
  };
  /**
   * Cancels a subscription, now or with the end of its period
   */
  "POST /v1/business/{businessId}/subscriptions/{id}/cancel": {
    input: {
      id: string;
    } & {
      at: "now" | "period_end";
    };
    answer: {
      success: true;
      data: {
        id: string;
        status: "trialing" | "active" | "past_due" | "cancelled";
        paymentLinkId: string;
        collectionAccountId: string;
        name: string;
        type: "subscription" | "consumption" | "seating";
        interval: {
          type: "day" | "week" | "month" | "year";
          /**
           * Interval multiple
           */
          count: number;
        };
        currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
        productId: string | null;
        /**
         * Of a period; null unless it is of the type subscription
         */
        amount: string | null;
        consumptionDetails: {
          unit: string;
          /**
           * Up to six decimals
           */
          costPerUnit: number;
          /**
           * Units included before charges apply
           */
          minimumUnits?: number;
          /**
           * Required if minimumUnits is set
           */
          baseFee?: number;
        } | null;
        seatDetails: {
          /**
           * Fixed fee of a period
           */
          baseFee: number;
          /**
           * Up to six decimals
           */
          costPerSeat: number;
          newSeatBillingType: "prorate" | "next_cycle" | "immediate";
        } | null;
        /**
         * Start of its first period; until then it is a trial
         */
        startDate: string;
        /**
         * Null during the trial, and once cancelled
         */
        currentPeriod: {
          /**
           * By the business's clock
           */
          periodStart: string;
          /**
           * By the business's clock
           */
          periodEnd: string;
        } | null;
        /**
         * By the business's clock
         */
        nextInvoiceAt: string | null;
        /**
         * The unpaid invoice
         */
        openInvoiceId: string | null;
        /**
         * Null unless it is billed by seats
         */
        seats: number | null;
        customer: {
          email: string;
          firstName: string;
          lastName: string;
          phone: string;
        };
        card: {
          brand: string;
          last4: string;
        };
        orderId: string | null;
        externalId: string | null;
        /**
         * The end of the period with which it will be cancelled
         */
        cancelAt: string | null;
        /**
         * By the business's clock
         */
        cancelledAt: string | null;
        cancelReason: ("requested" | "unpaid") | null;
        needsAttention: boolean;
        /**
         * By the business's clock
         */
        createdAt: string;
      };
    };
  };
  /**
   * Makes a link with which the customer saves another payment method, once; an earlier one ends
   */
  "POST /v1/business/{businessId}/subscriptions/{id}/payment-method-link": {
    input: {
      id: string;
    };
    answer: {
      success: true;
      data: {
        /**
         * The subscription's
         */
        id: string;
        url: string;
        /**
         * 24 hours after it was made
         */
        expiredAt: string;
      };
    };
  };
  /**
   * Sets the clock of a business's billing, which stands still from then on, and bills up to that moment before it answers; only in the sandbox
   */
  "POST /v1/business/{businessId}/test-clock": {
    input: {
      /**
       * Not before the clock's moment, at most ten years after it
       */
      now: string;
    };
    answer: {
      success: true;
      data: {
        id: string;
        /**
         * ISO 8601, UTC
         */
        now: string;
      };
    };
  };
  /**
   * Registers an endpoint of a business; its secret is shown only once
   */
  "POST /v1/business/{businessId}/webhooks": {
    input: {
      url: string;
      description?: string;
      /**
       * @maxItems 8
       */
      eventTypes?: (
        "WITHDRAWAL" | "COLLECTION" | "NOTIFICATION" | "REFUND" | "SUBSCRIPTION" | "INVOICE" | "ENDPOINT" | "TEST"
      )[];
    };
    answer: {
      success: true;
      data: {
        id: string;
        url: string;
        description: string | null;
        /**
         * @maxItems 8
         */
        eventTypes: (
          "WITHDRAWAL" | "COLLECTION" | "NOTIFICATION" | "REFUND" | "SUBSCRIPTION" | "INVOICE" | "ENDPOINT" | "TEST"
        )[];
        disabled: boolean;
        disabledReason: string | null;
        createdAt: string;
        /**
         * whsec_…, shown only once
         */
        secret: string;
      };
    };
  };
  /**
   * Lists the endpoints of a business, including those of its payment links
   */
  "GET /v1/business/{businessId}/webhooks": {
    input: {
      /**
       * Page number, from 1
       */
      page?: number;
      /**
       * Results per page, 50 by default
       */
      limit?: number;
    };
    answer: {
      success: true;
      /**
       * @maxItems 100
       */
      data: {
        id: string;
        url: string;
        description: string | null;
        /**
         * @maxItems 8
         */
        eventTypes: (
          "WITHDRAWAL" | "COLLECTION" | "NOTIFICATION" | "REFUND" | "SUBSCRIPTION" | "INVOICE" | "ENDPOINT" | "TEST"
        )[];
        disabled: boolean;
        disabledReason: string | null;
        createdAt: string;
      }[];
      meta: {
        page: number;
        pageSize: number;
        pageCount: number;
        total: number;
      };
    };
  };
  /**
   * Shows an endpoint
   */
  "GET /v1/business/{businessId}/webhooks/{id}": {
    input: {
      id: string;
    };
    answer: {
      success: true;
      data: {
        id: string;
        url: string;
        description: string | null;
        /**
         * @maxItems 8
         */
        eventTypes: (
          "WITHDRAWAL" | "COLLECTION" | "NOTIFICATION" | "REFUND" | "SUBSCRIPTION" | "INVOICE" | "ENDPOINT" | "TEST"
        )[];
        disabled: boolean;
        disabledReason: string | null;
        createdAt: string;
      };
    };
  };
  /**
   * Changes an endpoint
   */
  "PATCH /v1/business/{businessId}/webhooks/{id}": {
    input: {
      id: string;
    } & {
      url?: string;
      description?: string;
      /**
       * @maxItems 8
       */
      eventTypes?: (
        "WITHDRAWAL" | "COLLECTION" | "NOTIFICATION" | "REFUND" | "SUBSCRIPTION" | "INVOICE" | "ENDPOINT" | "TEST"
      )[];
      disabled?: boolean;
    };
    answer: {
      success: true;
      data: {
        id: string;
        url: string;
        description: string | null;
        /**
         * @maxItems 8
         */
        eventTypes: (
          "WITHDRAWAL" | "COLLECTION" | "NOTIFICATION" | "REFUND" | "SUBSCRIPTION" | "INVOICE" | "ENDPOINT" | "TEST"
        )[];
        disabled: boolean;
        disabledReason: string | null;
        createdAt: string;
      };
    };
  };
  /**
   * Deletes an endpoint; its pending deliveries are not delivered any more
   */
  "DELETE /v1/business/{businessId}/webhooks/{id}": {
    input: {
      id: string;
    };
    answer: {
      success: true;
      data: {
        id: string;
      };
    };
  };
  /**
   * Gives an endpoint a new secret; for 24 hours the old one signs too
   */
  "POST /v1/business/{businessId}/webhooks/{id}/rotate-secret": {
    input: {
      id: string;
    };
    answer: {
      success: true;
      data: {
        id: string;
        url: string;
        description: string | null;
        /**
         * @maxItems 8
         */
        eventTypes: (
          "WITHDRAWAL" | "COLLECTION" | "NOTIFICATION" | "REFUND" | "SUBSCRIPTION" | "INVOICE" | "ENDPOINT" | "TEST"
        )[];
        disabled: boolean;
        disabledReason: string | null;
        createdAt: string;
        /**
         * whsec_…, shown only once
         */
        secret: string;
      };
    };
  };
  /**
   * Sends a test event to an endpoint, at most ten in a minute
   */
  "POST /v1/business/{businessId}/webhooks/{id}/test": {
    input: {
      id: string;
    };
    answer: {
      success: true;
      data: {
        /**
         * The event's id
         */
        id: string;
      };
    };
  };
  /**
   * Sends the ended deliveries of an endpoint again that were created since a time
   */
  "POST /v1/business/{businessId}/webhooks/{id}/replay": {
    input: {
      id: string;
    } & {
      /**
       * Inclusive, in the past
       */
      since: string;
      /**
       * Only those; both by default
       */
      status?: "DELIVERED" | "DEAD_LETTER";
    };
    answer: {
      success: true;
      data: {
        /**
         * The endpoint's id
         */
        id: string;
        /**
         * The number of deliveries that will be sent again
         */
        count: number;
      };
    };
  };
  /**
   * Lists the events of a business, oldest first, with or without endpoints that get them. An event can be stored minutes after its time, so a reader that waits for new events asks again for those of the last minutes and knows them by their ids
   */
  "GET /v1/business/{businessId}/events": {
    input: {
      /**
       * Of that time or later
       */
      since?: string;
      eventType?:
        "WITHDRAWAL" | "COLLECTION" | "NOTIFICATION" | "REFUND" | "SUBSCRIPTION" | "INVOICE" | "ENDPOINT" | "TEST";
      /**
       * nextCursor of the previous page
       */
      cursor?: string;
      /**
       * Results per page, 50 by default
       */
      limit?: number;
    };
    answer: {
      success: true;
      /**
       * @maxItems 100
       */
      data: {
        /**
         * The `webhook-id` of its deliveries
         */
        id: string;
        eventType:
          "WITHDRAWAL" | "COLLECTION" | "NOTIFICATION" | "REFUND" | "SUBSCRIPTION" | "INVOICE" | "ENDPOINT" | "TEST";
        transactionId: string | null;
        /**
         * ISO 8601, UTC
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
      }[];
      meta: {
        nextCursor: string | null;
      };
    };
  };
  /**
   * Shows an event
   */
  "GET /v1/business/{businessId}/events/{eventId}": {
    input: {
      eventId: string;
    };
    answer: {
      success: true;
      data: {
        /**
         * The `webhook-id` of its deliveries
         */
        id: string;
        eventType:
          "WITHDRAWAL" | "COLLECTION" | "NOTIFICATION" | "REFUND" | "SUBSCRIPTION" | "INVOICE" | "ENDPOINT" | "TEST";
        transactionId: string | null;
        /**
         * ISO 8601, UTC
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
      };
    };
  };
  /**
   * Lists the deliveries of an endpoint, newest first
   */
  "GET /v1/business/{businessId}/webhooks/{id}/deliveries": {
    input: {
      id: string;
      status?: "PENDING" | "DELIVERED" | "DEAD_LETTER";
      eventType?:
        "WITHDRAWAL" | "COLLECTION" | "NOTIFICATION" | "REFUND" | "SUBSCRIPTION" | "INVOICE" | "ENDPOINT" | "TEST";
      transactionId?: string;
      /**
       * Created then or later
       */
      since?: string;
      /**
       * nextCursor of the previous page
       */
      cursor?: string;
      /**
       * Results per page, 50 by default
       */
      limit?: number;
    };
    answer: {
      success: true;
      /**
       * @maxItems 100
       */
      data: {
        id: string;
        eventId: string;
        eventType:
          "WITHDRAWAL" | "COLLECTION" | "NOTIFICATION" | "REFUND" | "SUBSCRIPTION" | "INVOICE" | "ENDPOINT" | "TEST";
        transactionId: string | null;
        status: "PENDING" | "DELIVERED" | "DEAD_LETTER";
        deadLetterReason: ("exhausted" | "superseded" | "refused" | "disabled" | "deleted" | "expired") | null;
        createdAt: string;
        nextAttemptAt: string | null;
        /**
         * The last attempts. If a list would be too long, their responses are left out, then all except the last attempt
         *
         * @maxItems 10
         */
        attempts: {
          at: string;
          statusCode: number | null;
          durationMs: number;
          error: string | null;
          /**
           * Null after an answer with 2xx
           */
          errorClass: ("dns" | "address" | "connection" | "tls" | "timeout" | "protocol" | "status" | "secret") | null;
          /**
           * The beginning of the answer's body, as text
           */
          response: string | null;
        }[];
      }[];
      meta: {
        nextCursor: string | null;
      };
    };
  };
  /**
   * Shows a delivery with every stored attempt
   */
  "GET /v1/business/{businessId}/webhooks/{id}/deliveries/{deliveryId}": {
    input: {
      id: string;
      deliveryId: string;
    };
    answer: {
      success: true;
      data: {
        id: string;
        eventId: string;
        eventType:
          "WITHDRAWAL" | "COLLECTION" | "NOTIFICATION" | "REFUND" | "SUBSCRIPTION" | "INVOICE" | "ENDPOINT" | "TEST";
        transactionId: string | null;
        status: "PENDING" | "DELIVERED" | "DEAD_LETTER";
        deadLetterReason: ("exhausted" | "superseded" | "refused" | "disabled" | "deleted" | "expired") | null;
        createdAt: string;
        nextAttemptAt: string | null;
        /**
         * @maxItems 100
         */
        attempts: {
          at: string;
          statusCode: number | null;
          durationMs: number;
          error: string | null;
          /**
           * Null after an answer with 2xx
           */
          errorClass: ("dns" | "address" | "connection" | "tls" | "timeout" | "protocol" | "status" | "secret") | null;
          /**
           * The beginning of the answer's body, as text
           */
          response: string | null;
        }[];
      };
    };
  };
  /**
   * Sends a delivery again, in any status; a pending one is tried now
   */
  "POST /v1/business/{businessId}/webhooks/{id}/deliveries/{deliveryId}/replay": {
    input: {
      id: string;
      deliveryId: string;
    };
    answer: {
      success: true;
      data: {
        id: string;
        eventId: string;
        eventType:
          "WITHDRAWAL" | "COLLECTION" | "NOTIFICATION" | "REFUND" | "SUBSCRIPTION" | "INVOICE" | "ENDPOINT" | "TEST";
        transactionId: string | null;
        status: "PENDING" | "DELIVERED" | "DEAD_LETTER";
        deadLetterReason: ("exhausted" | "superseded" | "refused" | "disabled" | "deleted" | "expired") | null;
        createdAt: string;
        nextAttemptAt: string | null;
        /**
         * @maxItems 100
         */
        attempts: {
          at: string;
          statusCode: number | null;
          durationMs: number;
          error: string | null;
          /**
           * Null after an answer with 2xx
           */
          errorClass: ("dns" | "address" | "connection" | "tls" | "timeout" | "protocol" | "status" | "secret") | null;
          /**
           * The beginning of the answer's body, as text
           */
          response: string | null;
        }[];
      };
    };
  };
}
export interface WebhookBody {
  eventType: "WITHDRAWAL";
  status: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
  payload: {
    description: string;
    method: "BANK_TRANSFER_ACH" | "BANK_TRANSFER_RTP" | "BANK_TRANSFER_WIRE" | "PUSH_TO_CARD";
    transactionId: string;
    walletId: string;
    entityId: string;
    entityType: "USER" | "BUSINESS";
    summary: string;
    entry: "DEBIT" | "CREDIT";
    amount: number;
    currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
    /**
     * Epoch milliseconds
     */
    timestamp: number;
    /**
     * Decimal string with two places
     */
    feeCharged: string;
    reason:
      | ""
      | "Recipient account not found."
      | "Duplicate transaction detected."
      | "Transaction declined for compliance reasons."
      | "Payment could not be processed."
      | "Your payment could not be processed. Please try a different card."
      | "Payment was cancelled.";
  };
}
