// npm run client-types makes this file from the OpenAPI document.

export interface paths {
    "/v1/oauth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Issues an access token to an API client (RFC 6749, 4.4) */
        post: operations["accounts.issueToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ext/linked-accounts/{currency}/{linkedAccountId}/withdrawal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Withdraws from the acting entity's wallet to its linked account
         * @description For a user token or merchant token with the scope `external.apis`.
         */
        post: operations["payouts.withdraw"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the transactions of a business (payouts, fundings and collections), newest first
         * @description For a merchant token of this very business.
         */
        get: operations["transactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/transactions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Shows a transaction of the merchant
         * @description For a merchant token.
         */
        get: operations["transaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/transactions/{id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Everything that became of a transaction: its states, statement entries and deliveries
         * @description For a merchant token.
         */
        get: operations["timeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/transactions/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancels a payout that is still pending; a repeated call has the same result
         * @description For a merchant token with the scope `payouts` or `external.apis`.
         */
        post: operations["cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/transactions/{transactionId}/webhook-payload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Shows the body of a payout's webhook for its current state
         * @description For a merchant token.
         */
        get: operations["webhookPayload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Shows a business
         * @description For a merchant token of this very business.
         */
        get: operations["accounts.business"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/entities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the end users of a business
         * @description For a merchant token of this very business.
         */
        get: operations["accounts.entities"];
        put?: never;
        /**
         * Creates an end user of a business
         * @description For a merchant token of this very business.
         */
        post: operations["accounts.createEntity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/entities/{entityId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Shows an end user of a business, or the business itself
         * @description For a merchant token of this very business.
         */
        get: operations["accounts.entity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/api-clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the API clients of a business, oldest first
         * @description For a merchant token of this very business.
         */
        get: operations["accounts.clients"];
        put?: never;
        /**
         * Creates an API client of a business; the secret is shown only once
         * @description For a merchant token of this very business with the scope `external.apis`.
         */
        post: operations["accounts.createClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/api-clients/{clientId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Shows an API client of a business
         * @description For a merchant token of this very business.
         */
        get: operations["accounts.client"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Disables or enables an API client. A disabled client gets no tokens, and its earlier tokens (its users' too) are refused within 5 seconds, for good: an enabled client has to get new ones
         * @description For a merchant token of this very business with the scope `external.apis`.
         */
        patch: operations["accounts.updateClient"];
        trace?: never;
    };
    "/v1/business/{businessId}/api-clients/{clientId}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Gives an API client another secret, shown only once. The previous secret stops at once, and tokens that were issued with it (its users' too) are refused within 5 seconds. To change secrets without a gap, create a second client and disable the first
         * @description For a merchant token of this very business with the scope `external.apis`.
         */
        post: operations["accounts.rotateClientSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/wallets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the wallets of a business, or of one of its entities, with their balances, oldest first
         * @description For a merchant token of this very business.
         */
        get: operations["wallet-ledger.businessWallets"];
        put?: never;
        /**
         * Opens the SPEND wallet of an entity in a currency; a repeated call returns the same wallet
         * @description For a merchant token of this very business with the scope `wallets` or `external.apis`.
         */
        post: operations["wallet-ledger.openWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/wallets/{walletId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Shows a wallet of a business with its balance
         * @description For a merchant token of this very business.
         */
        get: operations["wallet-ledger.wallet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Disables a wallet (debits are declined, reversals still credit it) or enables it again
         * @description For a merchant token of this very business with the scope `wallets` or `external.apis`.
         */
        patch: operations["wallet-ledger.setDisabled"];
        trace?: never;
    };
    "/v1/business/{businessId}/wallets/{walletId}/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The statement of a wallet, newest first
         * @description For a merchant token of this very business.
         */
        get: operations["wallet-ledger.entries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/collection-accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the collection accounts of a business
         * @description For a merchant token of this very business.
         */
        get: operations["wallet-ledger.collectionAccounts"];
        put?: never;
        /**
         * Opens the collection account of a business in a currency; a repeated call returns the same account
         * @description For a merchant token of this very business with the scope `wallets` or `external.apis`.
         */
        post: operations["wallet-ledger.openCollectionAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/collection-accounts/{id}/transfers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the transfers from a collection account, oldest first
         * @description For a merchant token of this very business.
         */
        get: operations["wallet-ledger.transfers"];
        put?: never;
        /**
         * Transfers from a collection account to a wallet of the business itself; the same reference has the same result
         * @description For a merchant token of this very business with the scope `transfers` or `external.apis`.
         */
        post: operations["wallet-ledger.transfer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/wallets/{walletId}/fund": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Credits a wallet from outside; the same reference has the same result
         * @description For a merchant token of this very business with the scope `wallets` or `external.apis`.
         */
        post: operations["wallet-ledger.fund"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/linked-accounts/{currency}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the linked accounts of a business in a currency, in full
         * @description For a merchant token of this very business or admin token.
         */
        get: operations["accounts.linkedAccounts"];
        put?: never;
        /**
         * Links a bank account, a card or a prepaid card to a wallet, as a payout destination
         * @description For a merchant token of this very business with the scope `linked-accounts` or `external.apis`.
         */
        post: operations["accounts.linkAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ext/linked-accounts/{currency}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the caller's linked accounts in a currency, masked: an end user's own, or those of a merchant's end users
         * @description For a user token or merchant token.
         */
        get: operations["accounts.externalLinkedAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/linked-accounts/{currency}/{linkedAccountId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Unlinks an account; payouts under way still finish
         * @description For a merchant token of this very business with the scope `linked-accounts` or `external.apis`.
         */
        delete: operations["accounts.unlinkAccount"];
        options?: never;
        head?: never;
        /**
         * Changes the nickname of a linked account
         * @description For a merchant token of this very business with the scope `linked-accounts` or `external.apis`.
         */
        patch: operations["accounts.renameLinkedAccount"];
        trace?: never;
    };
    "/v1/ext/application-token/{token}/linked-accounts/{currency}/link/international_bank/{step}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Links an international bank account to the wallet of an application token's entity
         * @description For a user token or merchant token.
         */
        post: operations["accounts.linkInternational"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/application-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the application tokens of a business
         * @description For a merchant token of this very business.
         */
        get: operations["accounts.applicationTokens"];
        put?: never;
        /**
         * Creates an application token for an end user: to pay out once, or to link an account
         * @description For a merchant token of this very business with the scope `linked-accounts` or `external.apis`.
         */
        post: operations["accounts.createApplicationToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ext/collections/payment-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a payment link for the acting merchant, or for the business of the acting user
         * @description For a user token or merchant token with the scope `external.apis`.
         */
        post: operations["payment-links.createLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/payment-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the payment links of a business, oldest first, each in short
         * @description For a merchant token of this very business.
         */
        get: operations["payment-links.links"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/payment-links/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Shows a payment link
         * @description For a merchant token of this very business.
         */
        get: operations["payment-links.link"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/payment-links/{id}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disables a payment link: it cannot be paid any more. A repeated call changes nothing
         * @description For a merchant token of this very business with the scope `payment-links` or `external.apis`.
         */
        post: operations["payment-links.disableLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checkout/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The customer's view of a payment link, in any status */
        get: operations["payment-links.checkout"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checkout/{token}/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Charges a customer once. If the outcome is not known after ten seconds, the payment is PENDING; payrail asks for the outcome later and does not charge again */
        post: operations["payment-links.pay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checkout/{token}/payments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The customer's view of a payment in its current state */
        get: operations["payment-links.paymentState"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checkout/{token}/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Saves a customer's payment method without charging it, and creates the subscription; with the token of a payment-method link, changes the method of one */
        post: operations["payment-links.setup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sandbox/card-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stores a card in the sandbox's vault and returns its token; only in the sandbox */
        post: operations["payment-links.createCardToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the payments of a business, oldest first
         * @description For a merchant token of this very business.
         */
        get: operations["payment-links.payments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/payments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Shows a payment
         * @description For a merchant token of this very business.
         */
        get: operations["payment-links.payment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/payments/{id}/refunds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the refunds of a payment, oldest first
         * @description For a merchant token of this very business.
         */
        get: operations["payment-links.refunds"];
        put?: never;
        /**
         * Refunds a payment, by default the rest of it; the same reference has the same result
         * @description For a merchant token of this very business with the scope `refunds` or `external.apis`.
         */
        post: operations["payment-links.refund"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the subscriptions of a business, oldest first
         * @description For a merchant token of this very business.
         */
        get: operations["payment-links.subscriptions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/subscriptions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Shows a subscription
         * @description For a merchant token of this very business.
         */
        get: operations["payment-links.subscription"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/subscriptions/{id}/invoices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the invoices of a subscription, oldest first
         * @description For a merchant token of this very business.
         */
        get: operations["payment-links.invoices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/subscriptions/{id}/invoices/{invoiceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Shows an invoice of a subscription
         * @description For a merchant token of this very business.
         */
        get: operations["payment-links.invoice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/subscriptions/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Shows the next invoice of a subscription, computed from the current data
         * @description For a merchant token of this very business.
         */
        get: operations["payment-links.previewInvoice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/subscriptions/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the usage of a subscription, newest first
         * @description For a merchant token of this very business.
         */
        get: operations["payment-links.usage"];
        put?: never;
        /**
         * Records usage of a subscription that is billed by it; the same reference counts once
         * @description For a merchant token of this very business with the scope `subscriptions` or `external.apis`.
         */
        post: operations["payment-links.recordUsage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/subscriptions/{id}/seats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sets the number of seats of a subscription that is billed by them
         * @description For a merchant token of this very business with the scope `subscriptions` or `external.apis`.
         */
        post: operations["payment-links.setSeats"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/subscriptions/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancels a subscription, now or with the end of its period
         * @description For a merchant token of this very business with the scope `subscriptions` or `external.apis`.
         */
        post: operations["payment-links.cancelSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/subscriptions/{id}/payment-method-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Makes a link with which the customer saves another payment method, once; an earlier one ends
         * @description For a merchant token of this very business with the scope `subscriptions` or `external.apis`.
         */
        post: operations["payment-links.createMethodLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/test-clock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sets the clock of a business's billing, which stands still from then on, and bills up to that moment before it answers; only in the sandbox
         * @description For a merchant token of this very business with the scope `subscriptions` or `external.apis`.
         */
        post: operations["payment-links.setTestClock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the endpoints of a business, including those of its payment links
         * @description For a merchant token of this very business.
         */
        get: operations["webhooks.endpoints"];
        put?: never;
        /**
         * Registers an endpoint of a business; its secret is shown only once
         * @description For a merchant token of this very business with the scope `webhooks` or `external.apis`.
         */
        post: operations["webhooks.createEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Shows an endpoint
         * @description For a merchant token of this very business.
         */
        get: operations["webhooks.endpoint"];
        put?: never;
        post?: never;
        /**
         * Deletes an endpoint; its pending deliveries are not delivered any more
         * @description For a merchant token of this very business with the scope `webhooks` or `external.apis`.
         */
        delete: operations["webhooks.deleteEndpoint"];
        options?: never;
        head?: never;
        /**
         * Changes an endpoint
         * @description For a merchant token of this very business with the scope `webhooks` or `external.apis`.
         */
        patch: operations["webhooks.updateEndpoint"];
        trace?: never;
    };
    "/v1/business/{businessId}/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Gives an endpoint a new secret; for 24 hours the old one signs too
         * @description For a merchant token of this very business with the scope `webhooks` or `external.apis`.
         */
        post: operations["webhooks.rotateSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a test event to an endpoint, at most ten in a minute
         * @description For a merchant token of this very business with the scope `webhooks` or `external.apis`.
         */
        post: operations["webhooks.testEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/webhooks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends the ended deliveries of an endpoint again that were created since a time
         * @description For a merchant token of this very business with the scope `webhooks` or `external.apis`.
         */
        post: operations["webhooks.replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the deliveries of an endpoint, newest first
         * @description For a merchant token of this very business.
         */
        get: operations["webhooks.deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/webhooks/{id}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Shows a delivery with every stored attempt
         * @description For a merchant token of this very business.
         */
        get: operations["webhooks.delivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/business/{businessId}/webhooks/{id}/deliveries/{deliveryId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a delivery again, in any status; a pending one is tried now
         * @description For a merchant token of this very business with the scope `webhooks` or `external.apis`.
         */
        post: operations["webhooks.replayDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: never;
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "accounts.issueToken": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grant_type": "client_credentials",
                 *       "client_id": "0198c0de-7a52-7000-8000-5b0e8c61d2f4",
                 *       "client_secret": "4u1jJQbX0mYt2kWc7h3vS9oEr8nZqLpAiDgFyHxUaKM",
                 *       "scope": "external.apis"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    grant_type: "client_credentials";
                    /** @description Space-separated; all that are the client's by default */
                    scope?: string;
                    /**
                     * Format: uuid
                     * @description An end user of the business, for a token that acts as the user
                     */
                    subject?: string;
                    /**
                     * Format: uuid
                     * @description Where HTTP Basic is not used
                     */
                    client_id?: string;
                    /** @description Where HTTP Basic is not used */
                    client_secret?: string;
                };
                /**
                 * @example {
                 *       "grant_type": "client_credentials",
                 *       "client_id": "0198c0de-7a52-7000-8000-5b0e8c61d2f4",
                 *       "client_secret": "4u1jJQbX0mYt2kWc7h3vS9oEr8nZqLpAiDgFyHxUaKM",
                 *       "scope": "external.apis"
                 *     }
                 */
                "application/x-www-form-urlencoded": {
                    /** @enum {string} */
                    grant_type: "client_credentials";
                    /** @description Space-separated; all that are the client's by default */
                    scope?: string;
                    /**
                     * Format: uuid
                     * @description An end user of the business, for a token that acts as the user
                     */
                    subject?: string;
                    /**
                     * Format: uuid
                     * @description Where HTTP Basic is not used
                     */
                    client_id?: string;
                    /** @description Where HTTP Basic is not used */
                    client_secret?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIwMTk4In0.c2lnbmF0dXJl",
                     *       "token_type": "Bearer",
                     *       "expires_in": 3600,
                     *       "scope": "external.apis"
                     *     }
                     */
                    "application/json": {
                        access_token: string;
                        /** @enum {string} */
                        token_type: "Bearer";
                        /** @description Seconds */
                        expires_in: number;
                        /** @description Absent if the client has no scopes */
                        scope?: string;
                    };
                };
            };
        };
    };
    "payouts.withdraw": {
        parameters: {
            query?: never;
            header?: {
                /** @description An application token of type PAYOUT; it is spent with the payout */
                "X-Application-Token"?: string;
            };
            path: {
                /** @description USD */
                currency: unknown;
                linkedAccountId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": 25,
                 *       "walletType": "SPEND",
                 *       "reason": "Payout",
                 *       "routingType": "ACH"
                 *     }
                 */
                "application/json": {
                    /** @example 25 */
                    amount: number;
                    /** @enum {string} */
                    walletType: "SPEND";
                    /** @example Payout */
                    reason: string;
                    /**
                     * @description Bank accounts only; cards ignore it
                     * @enum {string}
                     */
                    routingType?: "ACH" | "RTP" | "WIRE" | "BANK";
                    /** @description "payout" in any case: flow PAYMENT; else PAYOUT */
                    transactionType?: string;
                    /** @description Must not be sent; MFA is not required */
                    mfaCode?: unknown;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "message": "Payment queued",
                     *       "data": {
                     *         "id": "0198c0de-7a51-7000-8000-3f1d5a2b9c01",
                     *         "status": "PENDING",
                     *         "fees": "0.25",
                     *         "amount": "25.25"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        message: string;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            status: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            fees: string;
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            amount: string;
                        };
                    };
                };
            };
        };
    };
    transactions: {
        parameters: {
            query?: {
                status?: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
                entityId?: string;
                flow?: "FUNDING" | "WITHDRAWAL" | "PAYMENT" | "PAYOUT" | "COLLECTION";
                needsAttention?: boolean;
                /** @description Inclusive */
                from?: string;
                /** @description Exclusive */
                to?: string;
                /** @description nextCursor of the previous page */
                cursor?: string;
                /** @description Results per page, 50 by default */
                limit?: number;
            };
            header?: never;
            path: {
                businessId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /**
                             * @description REFUND only if an admin resolves one
                             * @enum {string}
                             */
                            flow: "FUNDING" | "WITHDRAWAL" | "PAYMENT" | "PAYOUT" | "COLLECTION" | "REFUND";
                            /** @enum {string} */
                            status: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            amount: string;
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            fees: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            method: string | null;
                            /** Format: uuid */
                            entityId: string;
                            /** Format: uuid */
                            walletId: string;
                            linkedAccountId: string | null;
                            reason: string | null;
                            failureReason: string | null;
                            needsAttention: boolean;
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            updatedAt: string;
                        }[];
                        meta: {
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    transaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /**
                             * @description REFUND only if an admin resolves one
                             * @enum {string}
                             */
                            flow: "FUNDING" | "WITHDRAWAL" | "PAYMENT" | "PAYOUT" | "COLLECTION" | "REFUND";
                            /** @enum {string} */
                            status: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            amount: string;
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            fees: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            method: string | null;
                            /** Format: uuid */
                            entityId: string;
                            /** Format: uuid */
                            walletId: string;
                            linkedAccountId: string | null;
                            reason: string | null;
                            failureReason: string | null;
                            needsAttention: boolean;
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            updatedAt: string;
                        };
                    };
                };
            };
        };
    };
    timeline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            states: {
                                status: string;
                                /** Format: date-time */
                                at: string;
                                by?: string;
                            }[];
                            entries: unknown[];
                            deliveries: unknown[];
                        };
                    };
                };
            };
        };
    };
    cancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /**
                             * @description REFUND only if an admin resolves one
                             * @enum {string}
                             */
                            flow: "FUNDING" | "WITHDRAWAL" | "PAYMENT" | "PAYOUT" | "COLLECTION" | "REFUND";
                            /** @enum {string} */
                            status: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            amount: string;
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            fees: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            method: string | null;
                            /** Format: uuid */
                            entityId: string;
                            /** Format: uuid */
                            walletId: string;
                            linkedAccountId: string | null;
                            reason: string | null;
                            failureReason: string | null;
                            needsAttention: boolean;
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            updatedAt: string;
                        };
                    };
                };
            };
        };
    };
    webhookPayload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                transactionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** @enum {string} */
                            eventType: "WITHDRAWAL";
                            /** @enum {string} */
                            status: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
                            payload: {
                                description: string;
                                /** @enum {string} */
                                method: "BANK_TRANSFER_ACH" | "BANK_TRANSFER_RTP" | "BANK_TRANSFER_WIRE" | "PUSH_TO_CARD";
                                /** Format: uuid */
                                transactionId: string;
                                /** Format: uuid */
                                walletId: string;
                                /** Format: uuid */
                                entityId: string;
                                /** @enum {string} */
                                entityType: "USER" | "BUSINESS";
                                summary: string;
                                /** @enum {string} */
                                entry: "DEBIT" | "CREDIT";
                                amount: number;
                                /** @enum {string} */
                                currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                                /** @description Epoch milliseconds */
                                timestamp: number;
                                /**
                                 * @description Decimal string with two places
                                 * @example 25.00
                                 */
                                feeCharged: string;
                                /** @enum {string} */
                                reason: "" | "Recipient account not found." | "Duplicate transaction detected." | "Transaction declined for compliance reasons." | "Payment could not be processed." | "Your payment could not be processed. Please try a different card." | "Payment was cancelled.";
                            };
                        };
                    };
                };
            };
        };
    };
    "accounts.business": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The businessId
                             */
                            id: string;
                            /** @example Acme */
                            name: string;
                            /** Format: email */
                            email: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC
                             */
                            createdAt: string;
                        };
                    };
                };
            };
        };
    };
    "accounts.entities": {
        parameters: {
            query?: {
                /** @description Exact external identifier */
                externalId?: string;
                /** @description Page number, from 1 */
                page?: number;
                /** @description Results per page, 50 by default */
                limit?: number;
            };
            header?: never;
            path: {
                businessId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** Format: email */
                            email: string;
                            externalIdentifier: string | null;
                            /** @enum {string} */
                            entityType: "USER" | "BUSINESS";
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC
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
            };
        };
    };
    "accounts.createEntity": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "externalIdentifier": "customer-1"
                 *     }
                 */
                "application/json": {
                    /** Format: email */
                    email: string;
                    externalIdentifier?: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "0198c0de-7a53-7000-8000-9c1f7d20e3a5",
                     *         "email": "ada@example.com",
                     *         "externalIdentifier": "customer-1",
                     *         "entityType": "USER",
                     *         "createdAt": "2026-01-05T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** Format: email */
                            email: string;
                            externalIdentifier: string | null;
                            /** @enum {string} */
                            entityType: "USER" | "BUSINESS";
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC
                             */
                            createdAt: string;
                        };
                    };
                };
            };
        };
    };
    "accounts.entity": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                entityId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** Format: email */
                            email: string;
                            externalIdentifier: string | null;
                            /** @enum {string} */
                            entityType: "USER" | "BUSINESS";
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC
                             */
                            createdAt: string;
                        };
                    };
                };
            };
        };
    };
    "accounts.clients": {
        parameters: {
            query?: {
                /** @description Page number, from 1 */
                page?: number;
                /** @description Results per page, 50 by default */
                limit?: number;
            };
            header?: never;
            path: {
                businessId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The client_id
                             */
                            id: string;
                            /** @description Distinguishes it from the business's other clients */
                            name: string | null;
                            /** @description Allowed scopes of its tokens */
                            scopes: ("external.apis" | "wallets" | "transfers" | "payouts" | "linked-accounts" | "payment-links" | "refunds" | "subscriptions" | "webhooks")[];
                            /** @description A disabled client gets no tokens, and its earlier tokens are refused */
                            disabled: boolean;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC
                             */
                            createdAt: string;
                            /** @description Time of the last rotation of its secret */
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
            };
        };
    };
    "accounts.createClient": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "Back office"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Distinguishes it from the business's other clients
                     * @example Back office
                     */
                    name?: string;
                    /** @description Allowed scopes of its tokens; external.apis, which implies all, by default */
                    scopes?: ("external.apis" | "wallets" | "transfers" | "payouts" | "linked-accounts" | "payment-links" | "refunds" | "subscriptions" | "webhooks")[];
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "0198c0de-7a52-7000-8000-5b0e8c61d2f4",
                     *         "name": "Back office",
                     *         "scopes": [
                     *           "external.apis"
                     *         ],
                     *         "disabled": false,
                     *         "createdAt": "2026-01-05T09:30:00.000Z",
                     *         "rotatedAt": null,
                     *         "clientSecret": "4u1jJQbX0mYt2kWc7h3vS9oEr8nZqLpAiDgFyHxUaKM"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The client_id
                             */
                            id: string;
                            /** @description Distinguishes it from the business's other clients */
                            name: string | null;
                            /** @description Allowed scopes of its tokens */
                            scopes: ("external.apis" | "wallets" | "transfers" | "payouts" | "linked-accounts" | "payment-links" | "refunds" | "subscriptions" | "webhooks")[];
                            /** @description A disabled client gets no tokens, and its earlier tokens are refused */
                            disabled: boolean;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC
                             */
                            createdAt: string;
                            /** @description Time of the last rotation of its secret */
                            rotatedAt: string | null;
                            /** @description The client_secret; shown only once */
                            clientSecret: string;
                        };
                    };
                };
            };
        };
    };
    "accounts.client": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The client_id
                             */
                            id: string;
                            /** @description Distinguishes it from the business's other clients */
                            name: string | null;
                            /** @description Allowed scopes of its tokens */
                            scopes: ("external.apis" | "wallets" | "transfers" | "payouts" | "linked-accounts" | "payment-links" | "refunds" | "subscriptions" | "webhooks")[];
                            /** @description A disabled client gets no tokens, and its earlier tokens are refused */
                            disabled: boolean;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC
                             */
                            createdAt: string;
                            /** @description Time of the last rotation of its secret */
                            rotatedAt: string | null;
                        };
                    };
                };
            };
        };
    };
    "accounts.updateClient": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                clientId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "disabled": true
                 *     }
                 */
                "application/json": {
                    disabled: boolean;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "0198c0de-7a52-7000-8000-5b0e8c61d2f4",
                     *         "name": "Back office",
                     *         "scopes": [
                     *           "external.apis"
                     *         ],
                     *         "disabled": true,
                     *         "createdAt": "2026-01-05T09:30:00.000Z",
                     *         "rotatedAt": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The client_id
                             */
                            id: string;
                            /** @description Distinguishes it from the business's other clients */
                            name: string | null;
                            /** @description Allowed scopes of its tokens */
                            scopes: ("external.apis" | "wallets" | "transfers" | "payouts" | "linked-accounts" | "payment-links" | "refunds" | "subscriptions" | "webhooks")[];
                            /** @description A disabled client gets no tokens, and its earlier tokens are refused */
                            disabled: boolean;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC
                             */
                            createdAt: string;
                            /** @description Time of the last rotation of its secret */
                            rotatedAt: string | null;
                        };
                    };
                };
            };
        };
    };
    "accounts.rotateClientSecret": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The client_id
                             */
                            id: string;
                            /** @description Distinguishes it from the business's other clients */
                            name: string | null;
                            /** @description Allowed scopes of its tokens */
                            scopes: ("external.apis" | "wallets" | "transfers" | "payouts" | "linked-accounts" | "payment-links" | "refunds" | "subscriptions" | "webhooks")[];
                            /** @description A disabled client gets no tokens, and its earlier tokens are refused */
                            disabled: boolean;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC
                             */
                            createdAt: string;
                            /** @description Time of the last rotation of its secret */
                            rotatedAt: string | null;
                            /** @description The client_secret; shown only once */
                            clientSecret: string;
                        };
                    };
                };
            };
        };
    };
    "wallet-ledger.businessWallets": {
        parameters: {
            query?: {
                entityId?: string;
                /** @description Page number, from 1 */
                page?: number;
                /** @description Results per page, 50 by default */
                limit?: number;
            };
            header?: never;
            path: {
                businessId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            businessId: string;
                            /** Format: uuid */
                            entityId: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            /** @enum {string} */
                            type: "SPEND";
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            balance: string;
                            disabled: boolean;
                            /** Format: date-time */
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
            };
        };
    };
    "wallet-ledger.openWallet": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    entityId: string;
                    /**
                     * @example USD
                     * @enum {string}
                     */
                    currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            businessId: string;
                            /** Format: uuid */
                            entityId: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            /** @enum {string} */
                            type: "SPEND";
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            balance: string;
                            disabled: boolean;
                            /** Format: date-time */
                            createdAt: string;
                        };
                    };
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            businessId: string;
                            /** Format: uuid */
                            entityId: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            /** @enum {string} */
                            type: "SPEND";
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            balance: string;
                            disabled: boolean;
                            /** Format: date-time */
                            createdAt: string;
                        };
                    };
                };
            };
        };
    };
    "wallet-ledger.wallet": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            businessId: string;
                            /** Format: uuid */
                            entityId: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            /** @enum {string} */
                            type: "SPEND";
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            balance: string;
                            disabled: boolean;
                            /** Format: date-time */
                            createdAt: string;
                        };
                    };
                };
            };
        };
    };
    "wallet-ledger.setDisabled": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                walletId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    disabled: boolean;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            businessId: string;
                            /** Format: uuid */
                            entityId: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            /** @enum {string} */
                            type: "SPEND";
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            balance: string;
                            disabled: boolean;
                            /** Format: date-time */
                            createdAt: string;
                        };
                    };
                };
            };
        };
    };
    "wallet-ledger.entries": {
        parameters: {
            query?: {
                /** @description nextCursor of the previous page */
                cursor?: string;
                /** @description Results per page, 50 by default */
                limit?: number;
            };
            header?: never;
            path: {
                businessId: string;
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            transactionId: string;
                            kind: string;
                            /** @enum {string} */
                            entry: "DEBIT" | "CREDIT";
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            amount: string;
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            balance: string;
                            /** Format: date-time */
                            createdAt: string;
                        }[];
                        meta: {
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    "wallet-ledger.collectionAccounts": {
        parameters: {
            query?: {
                /** @description Page number, from 1 */
                page?: number;
                /** @description Results per page, 50 by default */
                limit?: number;
            };
            header?: never;
            path: {
                businessId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
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
            };
        };
    };
    "wallet-ledger.openCollectionAccount": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @example USD
                     * @enum {string}
                     */
                    currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            balance: string;
                        };
                    };
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            balance: string;
                        };
                    };
                };
            };
        };
    };
    "wallet-ledger.transfers": {
        parameters: {
            query?: {
                /** @description Page number, from 1 */
                page?: number;
                /** @description Results per page, 50 by default */
                limit?: number;
            };
            header?: never;
            path: {
                businessId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            status: "PENDING" | "SUCCESS" | "FAILED";
                            /** Format: uuid */
                            collectionAccountId: string;
                            /** Format: uuid */
                            walletId: string;
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            amount: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            reference: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC
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
            };
        };
    };
    "wallet-ledger.transfer": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    walletId: string;
                    amount: number;
                    reference: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            status: "PENDING" | "SUCCESS" | "FAILED";
                            /** Format: uuid */
                            collectionAccountId: string;
                            /** Format: uuid */
                            walletId: string;
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            amount: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            reference: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC
                             */
                            createdAt: string;
                        };
                    };
                };
            };
        };
    };
    "wallet-ledger.fund": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                walletId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    amount: number;
                    reference: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /**
                             * @description REFUND only if an admin resolves one
                             * @enum {string}
                             */
                            flow: "FUNDING" | "WITHDRAWAL" | "PAYMENT" | "PAYOUT" | "COLLECTION" | "REFUND";
                            /** @enum {string} */
                            status: "PENDING" | "PROCESSING_PAY_OUT" | "SUCCESS" | "FAILED";
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            amount: string;
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            fees: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            method: string | null;
                            /** Format: uuid */
                            entityId: string;
                            /** Format: uuid */
                            walletId: string;
                            linkedAccountId: string | null;
                            reason: string | null;
                            failureReason: string | null;
                            needsAttention: boolean;
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            updatedAt: string;
                        };
                    };
                };
            };
        };
    };
    "accounts.linkedAccounts": {
        parameters: {
            query?: {
                accountType?: "bank" | "card" | "international_bank" | "prepaid_card";
                /** @description Legacy alias of accountType */
                optionType?: "bank" | "card" | "international_bank" | "prepaid_card";
                /** @description Part of the counterparty's email, in any case; empty: no filter */
                email?: string;
                /** @description Last four digits of the account or card number, or the last of them */
                last4?: string;
                /** @description Part of the bank's name, in any case; empty: no filter */
                bank?: string;
                /** @description The owner's external identifier, exactly */
                externalId?: string;
                /** @description Page number, from 1 */
                page?: number;
                /** @description createdAt by default */
                sortBy?: "createdAt" | "updatedAt" | "counterPartyName" | "counterPartyEmail" | "nickName" | "optionType" | "currency";
                /** @description ASC by default, in any case */
                sortDirection?: "ASC" | "DESC";
                /** @description Part of the counterparty's name, in any case; empty: no filter */
                search?: string;
                /** @description Results per page, 50 by default */
                limit?: number;
            };
            header?: never;
            path: {
                businessId: string;
                /** @description In any case */
                currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "id": "0198c0de-7a51-7000-8000-3f1d5a2b9c01",
                     *           "currency": "USD",
                     *           "optionType": "bank",
                     *           "counterPartyName": "Ada Lovelace",
                     *           "counterPartyEmail": "ada@example.com",
                     *           "counterPublicPartyEmail": null,
                     *           "nickName": "Rent",
                     *           "createdAt": "2026-01-05T09:30:00.000Z",
                     *           "updatedAt": "2026-01-05T09:30:00.000Z",
                     *           "account": {
                     *             "label": "Main account",
                     *             "lastFourDigits": "6789",
                     *             "routing": "021000021",
                     *             "bankName": "First Bank",
                     *             "accountType": "CHECKING",
                     *             "routingType": "ACH"
                     *           },
                     *           "recipientData": {
                     *             "id": "0198c0de-7a51-7000-8000-3f1d5a2b9c01",
                     *             "type": "bank",
                     *             "instrumentId": "qRZ0b8gRk2eVwHq1mT5xYc3uJ7nDfLpSaEo9iK4vXhM",
                     *             "nickName": "Rent",
                     *             "firstName": "Ada",
                     *             "lastName": "Lovelace",
                     *             "name": "Ada Lovelace",
                     *             "email": "ada@example.com",
                     *             "bankName": "First Bank",
                     *             "accountNumber": "000123456789",
                     *             "routingNumber": "021000021",
                     *             "routingType": "ACH",
                     *             "recipientAddress": "1 Main St",
                     *             "recipientCity": "New York",
                     *             "recipientState": "NY",
                     *             "recipientPostalCode": "10001"
                     *           },
                     *           "wallet": {
                     *             "id": "0198c0de-7a51-7000-8000-3f1d5a2b9c02",
                     *             "balance": "74.50",
                     *             "disabled": false
                     *           },
                     *           "entity": {
                     *             "id": "0198c0de-7a51-7000-8000-3f1d5a2b9c03",
                     *             "email": "ada@example.com",
                     *             "externalIdentifier": "customer-1",
                     *             "entityType": "USER"
                     *           },
                     *           "application": null
                     *         }
                     *       ],
                     *       "meta": {
                     *         "page": 1,
                     *         "pageSize": 50,
                     *         "pageCount": 1,
                     *         "total": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The linkedAccountId of withdrawals
                             */
                            id: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            /** @enum {string} */
                            optionType: "bank" | "card" | "international_bank" | "prepaid_card";
                            counterPartyName: string;
                            /** Format: email */
                            counterPartyEmail: string;
                            counterPublicPartyEmail: string | null;
                            /** Format: date-time */
                            createdAt: string;
                            nickName: string | null;
                            /** Format: date-time */
                            updatedAt: string;
                            account: ({
                                label: string | null;
                                lastFourDigits: string;
                                routing: string;
                                bankName: string;
                                accountType: string | null;
                                routingType: string;
                            } | {
                                label: string | null;
                                lastFourDigits: string;
                                bankName: string;
                                swiftOrBic: string;
                                country: string;
                                routingNumber: string | null;
                            } | {
                                label: string | null;
                                lastFourDigits: string;
                                cardBrand: string;
                                cardType: string;
                            }) | null;
                            recipientData: ({
                                /** Format: uuid */
                                id: string;
                                /** @enum {string} */
                                type: "bank" | "card" | "international_bank" | "prepaid_card";
                                /** @description Equal for the same account, within a business */
                                instrumentId: string;
                                /** @description Empty if unset */
                                nickName: string;
                                firstName: string;
                                lastName: string;
                                name: string;
                                /** Format: email */
                                email: string;
                                bankName: string;
                                accountNumber: string;
                                routingNumber: string;
                                routingType: string;
                                recipientAddress: string;
                                recipientCity: string;
                                recipientState: string;
                                recipientPostalCode: string;
                            } | {
                                /** Format: uuid */
                                id: string;
                                /** @enum {string} */
                                type: "bank" | "card" | "international_bank" | "prepaid_card";
                                /** @enum {string} */
                                recipientType: "personal" | "business";
                                firstName: string | null;
                                lastName: string | null;
                                name: string;
                                /** Format: email */
                                email: string;
                                accountNumber: string;
                                swiftOrBic: string;
                                bankName: string;
                                recipientAddress: string;
                                recipientCity: string;
                                recipientState: string;
                                recipientPostalCode: string;
                                recipientCountry: string;
                                /** @description Empty if unset */
                                nickName: string;
                                /** @description The vault's name */
                                provider: string;
                            } | {
                                /** Format: uuid */
                                id: string;
                                /** @enum {string} */
                                type: "bank" | "card" | "international_bank" | "prepaid_card";
                                name: string;
                                /** Format: email */
                                email: string;
                                /** @description The vault's name */
                                provider: string;
                                /** @description Equal for the same owner, within a business */
                                identityId: string;
                                encryptedCardNumber: string;
                                cardExpirationDate: string;
                            }) | null;
                            wallet: {
                                /** Format: uuid */
                                id: string;
                                /**
                                 * @description Current balance; decimal string with two places
                                 * @example 25.00
                                 */
                                balance: string;
                                disabled: boolean;
                            };
                            entity: {
                                /** Format: uuid */
                                id: string;
                                /** Format: email */
                                email: string;
                                externalIdentifier: string | null;
                                /** @enum {string} */
                                entityType: "USER" | "BUSINESS";
                            };
                            application: {
                                /** Format: uuid */
                                id: string;
                                /** @description Masked to its last four */
                                token: string;
                                tokenType: string;
                                /** Format: date-time */
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
            };
        };
    };
    "accounts.linkAccount": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                /** @description In any case */
                currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    optionType: "bank" | "card" | "prepaid_card";
                    /** Format: uuid */
                    walletId: string;
                    label?: string;
                    nickName?: string;
                    /** @description By optionType: of a bank account, of a card, of a prepaid card */
                    data: {
                        firstName: string;
                        lastName: string;
                        /** @description Name of the account's holder; firstName lastName by default */
                        name?: string;
                        /** Format: email */
                        email: string;
                        /**
                         * Format: email
                         * @description Shown to the public instead of email
                         */
                        publicEmail?: string;
                        bankName: string;
                        /** @example 000123456789 */
                        accountNumber: string;
                        /** @example 021000021 */
                        routingNumber: string;
                        /** @enum {string} */
                        accountType: "CHECKING" | "SAVINGS";
                        recipientAddress: string;
                        recipientCity: string;
                        recipientState: string;
                        recipientPostalCode: string;
                    } | {
                        /** @description The cardholder's name */
                        name: string;
                        /** Format: email */
                        email: string;
                        /**
                         * Format: email
                         * @description Shown to the public instead of email
                         */
                        publicEmail?: string;
                        /**
                         * @description The vault's token; card numbers are refused
                         * @example tok_4f9a2b7c
                         */
                        encryptedCardNumber: string;
                        /** @example 4242 */
                        lastFourDigits: string;
                        /** @example visa */
                        cardBrand: string;
                        /** @example 12/30 */
                        cardExpirationDate: string;
                        /** @enum {string} */
                        cardType: "credit" | "debit";
                    } | {
                        /** @description The cardholder's name */
                        name: string;
                        /** Format: email */
                        email: string;
                        /**
                         * Format: email
                         * @description Shown to the public instead of email
                         */
                        publicEmail?: string;
                        /**
                         * @description The vault's token; card numbers are refused
                         * @example tok_4f9a2b7c
                         */
                        encryptedCardNumber: string;
                        /** @example 4242 */
                        lastFourDigits: string;
                        /** @example visa */
                        cardBrand: string;
                        /** @example 12/30 */
                        cardExpirationDate: string;
                        /** @enum {string} */
                        cardType?: "prepaid" | "credit" | "debit";
                    };
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            /** @enum {string} */
                            optionType: "bank" | "card" | "international_bank" | "prepaid_card";
                            /** Format: uuid */
                            walletId: string;
                            counterPartyName: string;
                            /** Format: email */
                            counterPartyEmail: string;
                            nickName: string | null;
                            lastFourDigits: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC
                             */
                            createdAt: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC
                             */
                            updatedAt: string;
                        };
                    };
                };
            };
        };
    };
    "accounts.externalLinkedAccounts": {
        parameters: {
            query?: {
                accountType?: "bank" | "card" | "international_bank" | "prepaid_card";
                /** @description Legacy alias of accountType */
                optionType?: "bank" | "card" | "international_bank" | "prepaid_card";
                /** @description Part of the counterparty's email, in any case; empty: no filter */
                email?: string;
                /** @description Last four digits of the account or card number, or the last of them */
                last4?: string;
                /** @description Part of the bank's name, in any case; empty: no filter */
                bank?: string;
                /** @description The owner's external identifier, exactly */
                externalId?: string;
                /** @description Page number, from 1 */
                page?: number;
                /** @description createdAt by default */
                sortBy?: "createdAt" | "updatedAt" | "counterPartyName" | "counterPartyEmail" | "nickName" | "optionType" | "currency";
                /** @description ASC by default, in any case */
                sortDirection?: "ASC" | "DESC";
                /** @description Results per page, 10 by default */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description In any case */
                currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "id": "0198c0de-7a51-7000-8000-3f1d5a2b9c01",
                     *           "currency": "USD",
                     *           "optionType": "bank",
                     *           "counterPartyName": "Ada Lovelace",
                     *           "counterPartyEmail": "ada@example.com",
                     *           "counterPublicPartyEmail": null,
                     *           "nickName": "Rent",
                     *           "createdAt": "2026-01-05T09:30:00.000Z",
                     *           "account": {
                     *             "routing": "****0021",
                     *             "bankName": "First Bank",
                     *             "accountType": "CHECKING",
                     *             "routingType": "ACH"
                     *           },
                     *           "recipientData": {
                     *             "id": "0198c0de-7a51-7000-8000-3f1d5a2b9c01",
                     *             "type": "bank",
                     *             "instrumentId": "qRZ0b8gRk2eVwHq1mT5xYc3uJ7nDfLpSaEo9iK4vXhM",
                     *             "nickName": "Rent",
                     *             "firstName": "Ada",
                     *             "lastName": "Lovelace",
                     *             "name": "Ada Lovelace",
                     *             "email": "ada@example.com",
                     *             "bankName": "First Bank",
                     *             "accountNumber": "****6789",
                     *             "routingNumber": "****0021",
                     *             "routingType": "ACH",
                     *             "recipientAddress": "1 Main St",
                     *             "recipientCity": "New York",
                     *             "recipientState": "NY",
                     *             "recipientPostalCode": "10001"
                     *           }
                     *         }
                     *       ],
                     *       "meta": {
                     *         "page": 1,
                     *         "pageSize": 10,
                     *         "pageCount": 1,
                     *         "total": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The linkedAccountId of withdrawals
                             */
                            id: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            /** @enum {string} */
                            optionType: "bank" | "card" | "international_bank" | "prepaid_card";
                            counterPartyName: string;
                            /** Format: email */
                            counterPartyEmail: string;
                            counterPublicPartyEmail: string | null;
                            /** Format: date-time */
                            createdAt: string;
                            /** @description Empty if unset */
                            nickName: string;
                            account: {
                                /** @description ****XXXX */
                                routing?: string;
                                bankName?: string;
                                accountType?: string | null;
                                routingType?: string;
                            } | null;
                            recipientData: ({
                                /** Format: uuid */
                                id: string;
                                /** @enum {string} */
                                type: "bank" | "card" | "international_bank" | "prepaid_card";
                                /** @description Equal for the same account, within a business */
                                instrumentId: string;
                                /** @description Empty if unset */
                                nickName: string;
                                firstName: string;
                                lastName: string;
                                name: string;
                                /** Format: email */
                                email: string;
                                bankName: string;
                                accountNumber: string;
                                routingNumber: string;
                                routingType: string;
                                recipientAddress: string;
                                recipientCity: string;
                                recipientState: string;
                                recipientPostalCode: string;
                            } | {
                                /** Format: uuid */
                                id: string;
                                /** @enum {string} */
                                type: "bank" | "card" | "international_bank" | "prepaid_card";
                                /** @enum {string} */
                                recipientType: "personal" | "business";
                                firstName: string | null;
                                lastName: string | null;
                                name: string;
                                /** Format: email */
                                email: string;
                                accountNumber: string;
                                swiftOrBic: string;
                                bankName: string;
                                recipientAddress: string;
                                recipientCity: string;
                                recipientState: string;
                                recipientPostalCode: string;
                                recipientCountry: string;
                                /** @description Empty if unset */
                                nickName: string;
                            } | {
                                /** Format: uuid */
                                id: string;
                                /** @enum {string} */
                                type: "bank" | "card" | "international_bank" | "prepaid_card";
                                name: string;
                                /** Format: email */
                                email: string;
                            }) | null;
                        }[];
                        meta: {
                            page: number;
                            pageSize: number;
                            pageCount: number;
                            total: number;
                        };
                    };
                };
            };
        };
    };
    "accounts.unlinkAccount": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                /** @description In any case */
                currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                linkedAccountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                        };
                    };
                };
            };
        };
    };
    "accounts.renameLinkedAccount": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                /** @description In any case */
                currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                linkedAccountId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    nickName: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            /** @enum {string} */
                            optionType: "bank" | "card" | "international_bank" | "prepaid_card";
                            /** Format: uuid */
                            walletId: string;
                            counterPartyName: string;
                            /** Format: email */
                            counterPartyEmail: string;
                            nickName: string | null;
                            lastFourDigits: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC
                             */
                            createdAt: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC
                             */
                            updatedAt: string;
                        };
                    };
                };
            };
        };
    };
    "accounts.linkInternational": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Application token of type PAYOUT or ACCOUNT; it is not spent */
                token: string;
                /** @description The token's, in any case */
                currency: string;
                step: "1";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "label": "Main account",
                 *       "data": {
                 *         "recipientType": "personal",
                 *         "firstName": "Ada",
                 *         "lastName": "Lovelace",
                 *         "email": "ada@example.com",
                 *         "accountNumber": "DE89 3704 0044 0532 0130 00",
                 *         "swiftOrBic": "COBADEFF",
                 *         "bankName": "Commerzbank",
                 *         "recipientAddress": "Unter den Linden 1",
                 *         "recipientCity": "Berlin",
                 *         "recipientState": "Berlin",
                 *         "recipientCountry": "DE",
                 *         "recipientPostalCode": "10117",
                 *         "nickName": "Savings"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Display name of the linked account */
                    label: string;
                    /** @description Of a person, or of a business */
                    data: {
                        /** @enum {string} */
                        recipientType: "personal";
                        firstName: string;
                        lastName: string;
                        /** Format: email */
                        email: string;
                        /**
                         * @description An IBAN if the country has IBANs. Spaces and lower case are accepted
                         * @example DE89370400440532013000
                         */
                        accountNumber: string;
                        /**
                         * @description Of a bank in recipientCountry. Spaces and lower case are accepted
                         * @example DEUTDEFF
                         */
                        swiftOrBic: string;
                        bankName: string;
                        recipientAddress: string;
                        recipientCity: string;
                        recipientState: string;
                        /**
                         * @description Spaces and lower case are accepted
                         * @example DE
                         */
                        recipientCountry: string;
                        recipientPostalCode: string;
                        /** @description The label by default */
                        nickName?: string;
                    } | {
                        /** @enum {string} */
                        recipientType: "business";
                        /** @description The business's name */
                        name: string;
                        /** Format: email */
                        email: string;
                        /**
                         * @description An IBAN if the country has IBANs. Spaces and lower case are accepted
                         * @example DE89370400440532013000
                         */
                        accountNumber: string;
                        /**
                         * @description Of a bank in recipientCountry. Spaces and lower case are accepted
                         * @example DEUTDEFF
                         */
                        swiftOrBic: string;
                        bankName: string;
                        recipientAddress: string;
                        recipientCity: string;
                        recipientState: string;
                        /**
                         * @description Spaces and lower case are accepted
                         * @example DE
                         */
                        recipientCountry: string;
                        recipientPostalCode: string;
                        /** @description The label by default */
                        nickName?: string;
                    };
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "message": "International bank account linked",
                     *       "data": {
                     *         "id": "0198c0de-7a51-7000-8000-3f1d5a2b9c02"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        message: string;
                        data: {
                            /**
                             * Format: uuid
                             * @description The linkedAccountId of withdrawals
                             */
                            id: string;
                        };
                    };
                };
            };
        };
    };
    "accounts.applicationTokens": {
        parameters: {
            query?: {
                /** @description Page number, from 1 */
                page?: number;
                /** @description Results per page, 50 by default */
                limit?: number;
            };
            header?: never;
            path: {
                businessId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** @description The token itself on creation; later masked to its last four */
                            token: string;
                            /** @enum {string} */
                            tokenType: "PAYOUT" | "ACCOUNT";
                            /** Format: uuid */
                            entityId: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            /**
                             * @description Decimal string; of tokens with an amount only
                             * @example 25.00
                             */
                            amount?: string;
                            /** @enum {string} */
                            withdrawalSource?: "MERCHANT_WALLET";
                            /**
                             * Format: uuid
                             * @description Of MERCHANT_WALLET tokens only
                             */
                            walletId?: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC
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
            };
        };
    };
    "accounts.createApplicationToken": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    tokenType: "PAYOUT" | "ACCOUNT";
                    /** Format: uuid */
                    entityId: string;
                    /**
                     * @example USD
                     * @enum {string}
                     */
                    currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                    /** @description The required amount of the withdrawal */
                    amount?: number;
                    /** @enum {string} */
                    withdrawalSource?: "MERCHANT_WALLET";
                    /**
                     * Format: uuid
                     * @description The business's own wallet that is debited
                     */
                    walletId?: string;
                    /**
                     * Format: date-time
                     * @description 24 hours from now by default
                     */
                    expiredAt?: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** @description The token itself on creation; later masked to its last four */
                            token: string;
                            /** @enum {string} */
                            tokenType: "PAYOUT" | "ACCOUNT";
                            /** Format: uuid */
                            entityId: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            /**
                             * @description Decimal string; of tokens with an amount only
                             * @example 25.00
                             */
                            amount?: string;
                            /** @enum {string} */
                            withdrawalSource?: "MERCHANT_WALLET";
                            /**
                             * Format: uuid
                             * @description Of MERCHANT_WALLET tokens only
                             */
                            walletId?: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC
                             */
                            expiredAt: string;
                            valid: boolean;
                        };
                    };
                };
            };
        };
    };
    "payment-links.createLink": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "currency": "USD",
                 *       "amount": 25,
                 *       "name": "Spring sale",
                 *       "customUrlPath": "spring-sale",
                 *       "itemDeliveryAddress": "1 Main St, New York",
                 *       "cartItems": [
                 *         {
                 *           "name": "Tulips",
                 *           "description": "A dozen, red",
                 *           "qty": 1,
                 *           "price": 25
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @example USD
                     * @enum {string}
                     */
                    currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                    /** @description page by default */
                    name?: string;
                    /** @description At least 0.5 for one-time links and subscriptions; else optional */
                    amount?: number;
                    /** @example spring-sale */
                    customUrlPath?: string;
                    /**
                     * Format: uri
                     * @description The page for the customer after paying
                     * @example https://example.com/thanks
                     */
                    redirectTo?: string;
                    /**
                     * Format: date-time
                     * @description In the future; one year from now by default
                     */
                    expiredAt?: string;
                    /**
                     * @description generic by default
                     * @enum {string}
                     */
                    checkoutType?: "generic" | "ecommerce" | "recurring";
                    recurringCharge?: {
                        /** @enum {string} */
                        type: "subscription" | "consumption" | "seating";
                        /**
                         * Format: date-time
                         * @description Billing start (trial end); before expiredAt
                         */
                        startDate: string;
                        interval: {
                            /** @enum {string} */
                            type: "day" | "week" | "month" | "year";
                            /** @description Interval multiple */
                            count: number;
                        };
                        productId?: string;
                        consumptionDetails?: {
                            /** @example API call */
                            unit: string;
                            /** @description Up to six decimals */
                            costPerUnit: number;
                            /** @description Units included before charges apply */
                            minimumUnits?: number;
                            /** @description Required if minimumUnits is set */
                            baseFee?: number;
                        };
                        seatDetails?: {
                            /** @description Fixed fee of a period */
                            baseFee: number;
                            /** @description Up to six decimals */
                            costPerSeat: number;
                            /** @enum {string} */
                            newSeatBillingType: "prorate" | "next_cycle" | "immediate";
                        };
                    };
                    /** @description Paid any number of times, or once; true by default */
                    isOpenLink?: boolean;
                    /** @description The customer pays the fee; true by default */
                    customerPays?: boolean;
                    orderId?: string;
                    /** @description More to ask the customer for */
                    dataCollections?: string[];
                    /** @description More fields to fill */
                    customFields?: string[];
                    /** @description Has to contain "card", which is the default */
                    acceptedPaymentOptions?: string[];
                    /** @description A NOTIFICATION event names the customer */
                    notifyPayee?: boolean;
                    /** @description The person that a NOTIFICATION event names */
                    agent?: {
                        type: string;
                        /** Format: email */
                        email: string;
                        name: string;
                    } & {
                        [key: string]: string;
                    };
                    brandingConfig?: {
                        /**
                         * Format: uri
                         * @example https://example.com/image.png
                         */
                        logo?: string;
                        /** @example #1a2b3c */
                        primaryColor?: string;
                        /** @example #1a2b3c */
                        backgroundColor?: string;
                    };
                    advancedConfig?: {
                        /** @example https://shop.example.com */
                        websiteUrl: string;
                        /** @example /webhooks/payrail */
                        webhookPath: string;
                        webhookSecret?: string;
                    };
                    customData?: {
                        [key: string]: string;
                    };
                    itemDeliveryAddress: string;
                    cartItems: {
                        name: string;
                        description: string;
                        /** @description How many */
                        qty?: number;
                        /** @description Price of one, in the cart item's currency */
                        price?: number;
                        /**
                         * @example USD
                         * @enum {string}
                         */
                        currency?: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                        productId?: string;
                        /**
                         * Format: uri
                         * @example https://example.com/image.png
                         */
                        imageUrl?: string;
                    }[];
                    externalId?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "url": "https://pay.example.com/pay/spring-sale/o8Jq2vZc5mYt1kWb7h3uS9nEr6xLpAiDgFyHdUaKM04",
                     *         "application": {
                     *           "id": "0198c0de-7a54-7000-8000-2d6b1c0f9e47",
                     *           "token": "o8Jq2vZc5mYt1kWb7h3uS9nEr6xLpAiDgFyHdUaKM04",
                     *           "tokenType": "PAYMENT_LINK",
                     *           "expiredAt": "2027-01-05T09:30:00.000Z",
                     *           "valid": true
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** @description Checkout URL to share with customers */
                            url: string;
                            application: {
                                /**
                                 * Format: uuid
                                 * @description The payment link's id
                                 */
                                id: string;
                                /** @description The secret in its URL */
                                token: string;
                                /** @enum {string} */
                                tokenType: "PAYMENT_LINK";
                                /**
                                 * Format: date-time
                                 * @description ISO 8601, UTC
                                 */
                                expiredAt: string;
                                /** @description False once used, expired or disabled */
                                valid: boolean;
                            };
                        };
                    };
                };
            };
        };
    };
    "payment-links.links": {
        parameters: {
            query?: {
                /** @description Page number, from 1 */
                page?: number;
                /** @description Results per page, 50 by default */
                limit?: number;
            };
            header?: never;
            path: {
                businessId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            status: "ACTIVE" | "USED" | "EXPIRED" | "DISABLED";
                            /** @description Null where the key that it was encrypted with is not there any more */
                            url: string | null;
                            application: {
                                /**
                                 * Format: uuid
                                 * @description The payment link's id
                                 */
                                id: string;
                                /** @description Null where the key that it was encrypted with is not there any more */
                                token: string | null;
                                /** @enum {string} */
                                tokenType: "PAYMENT_LINK";
                                /**
                                 * Format: date-time
                                 * @description ISO 8601, UTC
                                 */
                                expiredAt: string;
                                /** @description False once used, expired or disabled */
                                valid: boolean;
                            };
                            /** @description How many succeeded; not counted further than 10000 */
                            payments: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC
                             */
                            createdAt: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            /** @description page by default */
                            name?: string;
                            /** @description At least 0.5 for one-time links and subscriptions; else optional */
                            amount?: number;
                            /** @example spring-sale */
                            customUrlPath?: string;
                            /**
                             * Format: date-time
                             * @description In the future; one year from now by default
                             */
                            expiredAt?: string;
                            /**
                             * @description generic by default
                             * @enum {string}
                             */
                            checkoutType?: "generic" | "ecommerce" | "recurring";
                            recurringCharge?: {
                                /** @enum {string} */
                                type: "subscription" | "consumption" | "seating";
                                /**
                                 * Format: date-time
                                 * @description Billing start (trial end); before expiredAt
                                 */
                                startDate: string;
                                interval: {
                                    /** @enum {string} */
                                    type: "day" | "week" | "month" | "year";
                                    /** @description Interval multiple */
                                    count: number;
                                };
                                productId?: string;
                                consumptionDetails?: {
                                    /** @example API call */
                                    unit: string;
                                    /** @description Up to six decimals */
                                    costPerUnit: number;
                                    /** @description Units included before charges apply */
                                    minimumUnits?: number;
                                    /** @description Required if minimumUnits is set */
                                    baseFee?: number;
                                };
                                seatDetails?: {
                                    /** @description Fixed fee of a period */
                                    baseFee: number;
                                    /** @description Up to six decimals */
                                    costPerSeat: number;
                                    /** @enum {string} */
                                    newSeatBillingType: "prorate" | "next_cycle" | "immediate";
                                };
                            };
                            /** @description Paid any number of times, or once; true by default */
                            isOpenLink?: boolean;
                            /** @description The customer pays the fee; true by default */
                            customerPays?: boolean;
                            orderId?: string;
                            /** @description A NOTIFICATION event names the customer */
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
            };
        };
    };
    "payment-links.link": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            status: "ACTIVE" | "USED" | "EXPIRED" | "DISABLED";
                            /** @description Null where the key that it was encrypted with is not there any more */
                            url: string | null;
                            application: {
                                /**
                                 * Format: uuid
                                 * @description The payment link's id
                                 */
                                id: string;
                                /** @description Null where the key that it was encrypted with is not there any more */
                                token: string | null;
                                /** @enum {string} */
                                tokenType: "PAYMENT_LINK";
                                /**
                                 * Format: date-time
                                 * @description ISO 8601, UTC
                                 */
                                expiredAt: string;
                                /** @description False once used, expired or disabled */
                                valid: boolean;
                            };
                            /** @description How many succeeded; not counted further than 10000 */
                            payments: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC
                             */
                            createdAt: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            /** @description page by default */
                            name?: string;
                            /** @description At least 0.5 for one-time links and subscriptions; else optional */
                            amount?: number;
                            /** @example spring-sale */
                            customUrlPath?: string;
                            /**
                             * Format: uri
                             * @description The page for the customer after paying
                             * @example https://example.com/thanks
                             */
                            redirectTo?: string;
                            /**
                             * Format: date-time
                             * @description In the future; one year from now by default
                             */
                            expiredAt?: string;
                            /**
                             * @description generic by default
                             * @enum {string}
                             */
                            checkoutType?: "generic" | "ecommerce" | "recurring";
                            recurringCharge?: {
                                /** @enum {string} */
                                type: "subscription" | "consumption" | "seating";
                                /**
                                 * Format: date-time
                                 * @description Billing start (trial end); before expiredAt
                                 */
                                startDate: string;
                                interval: {
                                    /** @enum {string} */
                                    type: "day" | "week" | "month" | "year";
                                    /** @description Interval multiple */
                                    count: number;
                                };
                                productId?: string;
                                consumptionDetails?: {
                                    /** @example API call */
                                    unit: string;
                                    /** @description Up to six decimals */
                                    costPerUnit: number;
                                    /** @description Units included before charges apply */
                                    minimumUnits?: number;
                                    /** @description Required if minimumUnits is set */
                                    baseFee?: number;
                                };
                                seatDetails?: {
                                    /** @description Fixed fee of a period */
                                    baseFee: number;
                                    /** @description Up to six decimals */
                                    costPerSeat: number;
                                    /** @enum {string} */
                                    newSeatBillingType: "prorate" | "next_cycle" | "immediate";
                                };
                            };
                            /** @description Paid any number of times, or once; true by default */
                            isOpenLink?: boolean;
                            /** @description The customer pays the fee; true by default */
                            customerPays?: boolean;
                            orderId?: string;
                            /** @description More to ask the customer for */
                            dataCollections?: string[];
                            /** @description More fields to fill */
                            customFields?: string[];
                            /** @description Has to contain "card", which is the default */
                            acceptedPaymentOptions?: string[];
                            /** @description A NOTIFICATION event names the customer */
                            notifyPayee?: boolean;
                            /** @description The person that a NOTIFICATION event names */
                            agent?: {
                                type: string;
                                /** Format: email */
                                email: string;
                                name: string;
                            } & {
                                [key: string]: string;
                            };
                            brandingConfig?: {
                                /**
                                 * Format: uri
                                 * @example https://example.com/image.png
                                 */
                                logo?: string;
                                /** @example #1a2b3c */
                                primaryColor?: string;
                                /** @example #1a2b3c */
                                backgroundColor?: string;
                            };
                            advancedConfig?: {
                                /** @example https://shop.example.com */
                                websiteUrl: string;
                                /** @example /webhooks/payrail */
                                webhookPath: string;
                            };
                            customData?: {
                                [key: string]: string;
                            };
                            itemDeliveryAddress: string;
                            cartItems: {
                                name: string;
                                description: string;
                                /** @description How many */
                                qty?: number;
                                /** @description Price of one, in the cart item's currency */
                                price?: number;
                                /**
                                 * @example USD
                                 * @enum {string}
                                 */
                                currency?: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                                productId?: string;
                                /**
                                 * Format: uri
                                 * @example https://example.com/image.png
                                 */
                                imageUrl?: string;
                            }[];
                            externalId?: string;
                        };
                    };
                };
            };
        };
    };
    "payment-links.disableLink": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            status: "ACTIVE" | "USED" | "EXPIRED" | "DISABLED";
                            /** @description Null where the key that it was encrypted with is not there any more */
                            url: string | null;
                            application: {
                                /**
                                 * Format: uuid
                                 * @description The payment link's id
                                 */
                                id: string;
                                /** @description Null where the key that it was encrypted with is not there any more */
                                token: string | null;
                                /** @enum {string} */
                                tokenType: "PAYMENT_LINK";
                                /**
                                 * Format: date-time
                                 * @description ISO 8601, UTC
                                 */
                                expiredAt: string;
                                /** @description False once used, expired or disabled */
                                valid: boolean;
                            };
                            /** @description How many succeeded; not counted further than 10000 */
                            payments: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC
                             */
                            createdAt: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            /** @description page by default */
                            name?: string;
                            /** @description At least 0.5 for one-time links and subscriptions; else optional */
                            amount?: number;
                            /** @example spring-sale */
                            customUrlPath?: string;
                            /**
                             * Format: uri
                             * @description The page for the customer after paying
                             * @example https://example.com/thanks
                             */
                            redirectTo?: string;
                            /**
                             * Format: date-time
                             * @description In the future; one year from now by default
                             */
                            expiredAt?: string;
                            /**
                             * @description generic by default
                             * @enum {string}
                             */
                            checkoutType?: "generic" | "ecommerce" | "recurring";
                            recurringCharge?: {
                                /** @enum {string} */
                                type: "subscription" | "consumption" | "seating";
                                /**
                                 * Format: date-time
                                 * @description Billing start (trial end); before expiredAt
                                 */
                                startDate: string;
                                interval: {
                                    /** @enum {string} */
                                    type: "day" | "week" | "month" | "year";
                                    /** @description Interval multiple */
                                    count: number;
                                };
                                productId?: string;
                                consumptionDetails?: {
                                    /** @example API call */
                                    unit: string;
                                    /** @description Up to six decimals */
                                    costPerUnit: number;
                                    /** @description Units included before charges apply */
                                    minimumUnits?: number;
                                    /** @description Required if minimumUnits is set */
                                    baseFee?: number;
                                };
                                seatDetails?: {
                                    /** @description Fixed fee of a period */
                                    baseFee: number;
                                    /** @description Up to six decimals */
                                    costPerSeat: number;
                                    /** @enum {string} */
                                    newSeatBillingType: "prorate" | "next_cycle" | "immediate";
                                };
                            };
                            /** @description Paid any number of times, or once; true by default */
                            isOpenLink?: boolean;
                            /** @description The customer pays the fee; true by default */
                            customerPays?: boolean;
                            orderId?: string;
                            /** @description More to ask the customer for */
                            dataCollections?: string[];
                            /** @description More fields to fill */
                            customFields?: string[];
                            /** @description Has to contain "card", which is the default */
                            acceptedPaymentOptions?: string[];
                            /** @description A NOTIFICATION event names the customer */
                            notifyPayee?: boolean;
                            /** @description The person that a NOTIFICATION event names */
                            agent?: {
                                type: string;
                                /** Format: email */
                                email: string;
                                name: string;
                            } & {
                                [key: string]: string;
                            };
                            brandingConfig?: {
                                /**
                                 * Format: uri
                                 * @example https://example.com/image.png
                                 */
                                logo?: string;
                                /** @example #1a2b3c */
                                primaryColor?: string;
                                /** @example #1a2b3c */
                                backgroundColor?: string;
                            };
                            advancedConfig?: {
                                /** @example https://shop.example.com */
                                websiteUrl: string;
                                /** @example /webhooks/payrail */
                                webhookPath: string;
                            };
                            customData?: {
                                [key: string]: string;
                            };
                            itemDeliveryAddress: string;
                            cartItems: {
                                name: string;
                                description: string;
                                /** @description How many */
                                qty?: number;
                                /** @description Price of one, in the cart item's currency */
                                price?: number;
                                /**
                                 * @example USD
                                 * @enum {string}
                                 */
                                currency?: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                                productId?: string;
                                /**
                                 * Format: uri
                                 * @example https://example.com/image.png
                                 */
                                imageUrl?: string;
                            }[];
                            externalId?: string;
                        };
                    };
                };
            };
        };
    };
    "payment-links.checkout": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "amount": "25.00",
                     *         "fees": "1.06",
                     *         "total": "26.06",
                     *         "name": "Spring sale",
                     *         "businessName": "Acme",
                     *         "status": "ACTIVE",
                     *         "checkoutType": "generic",
                     *         "currency": "USD",
                     *         "items": [
                     *           {
                     *             "name": "Tulips",
                     *             "description": "A dozen, red",
                     *             "qty": 1,
                     *             "price": "25.00"
                     *           }
                     *         ],
                     *         "fields": [
                     *           {
                     *             "name": "Email",
                     *             "required": true
                     *           },
                     *           {
                     *             "name": "First name",
                     *             "required": true
                     *           },
                     *           {
                     *             "name": "Last name",
                     *             "required": true
                     *           },
                     *           {
                     *             "name": "Phone number",
                     *             "required": true
                     *           }
                     *         ],
                     *         "purpose": "pay",
                     *         "recurring": null,
                     *         "feesOnTop": true,
                     *         "dueNow": "26.06",
                     *         "firstChargeAt": null,
                     *         "branding": {
                     *           "logo": null,
                     *           "primaryColor": "#1a2b3c",
                     *           "backgroundColor": null
                     *         },
                     *         "redirectTo": "https://shop.example.com/thanks",
                     *         "vault": {
                     *           "fieldUrl": "https://vault.example.com/field"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            name: string;
                            businessName: string;
                            /** @enum {string} */
                            status: "ACTIVE" | "USED" | "EXPIRED" | "DISABLED";
                            checkoutType: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            amount: string;
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            fees: string;
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            total: string;
                            items: {
                                name: string;
                                description: string;
                                qty?: number;
                                /**
                                 * @description Decimal string with two places
                                 * @example 25.00
                                 */
                                price?: string;
                                imageUrl?: string;
                            }[];
                            /** @description The fields for the customer to fill; the first four are `customer`'s */
                            fields: {
                                name: string;
                                required: boolean;
                            }[];
                            /**
                             * @description The customer's action here; all except `pay` is `setup`
                             * @enum {string}
                             */
                            purpose: "pay" | "subscribe" | "change_method";
                            recurring: {
                                /** @enum {string} */
                                type: "subscription" | "consumption" | "seating";
                                /**
                                 * Format: date-time
                                 * @description Billing start (trial end); before expiredAt
                                 */
                                startDate: string;
                                interval: {
                                    /** @enum {string} */
                                    type: "day" | "week" | "month" | "year";
                                    /** @description Interval multiple */
                                    count: number;
                                };
                                productId?: string;
                                consumptionDetails?: {
                                    /** @example API call */
                                    unit: string;
                                    /** @description Up to six decimals */
                                    costPerUnit: number;
                                    /** @description Units included before charges apply */
                                    minimumUnits?: number;
                                    /** @description Required if minimumUnits is set */
                                    baseFee?: number;
                                };
                                seatDetails?: {
                                    /** @description Fixed fee of a period */
                                    baseFee: number;
                                    /** @description Up to six decimals */
                                    costPerSeat: number;
                                    /** @enum {string} */
                                    newSeatBillingType: "prorate" | "next_cycle" | "immediate";
                                };
                            } | null;
                            /** @description Whether the customer pays the fee of the card on top of prices */
                            feesOnTop: boolean;
                            /**
                             * @description Charged at once: the total of a payment, or the amount due when a payment method is saved
                             * @example 0.00
                             */
                            dueNow: string;
                            /** @description Of a subscription to come: when it is first charged, at the soonest */
                            firstChargeAt: string | null;
                            branding: {
                                logo: string | null;
                                primaryColor: string | null;
                                backgroundColor: string | null;
                            };
                            redirectTo: string | null;
                            /** @description The acquirer's card vault; null for the sandbox's own and if no card is taken */
                            vault: {
                                /** @description The page loads it in a frame, to take the card there */
                                fieldUrl: string;
                            } | null;
                        };
                    };
                };
            };
        };
    };
    "payment-links.pay": {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat with the same key and body gets the first answer again, for at least 24 hours */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The link's token */
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "customer": {
                 *         "email": "ada@example.com",
                 *         "firstName": "Ada",
                 *         "lastName": "Lovelace",
                 *         "phone": "+1 555 0100"
                 *       },
                 *       "paymentMethod": {
                 *         "type": "card",
                 *         "token": "card_9rT2mXq7Lk0vYb4nHs8dWc1eFj6uZpGiAoRtKxNyQ3E"
                 *       }
                 *     }
                 */
                "application/json": {
                    customer: {
                        /** Format: email */
                        email: string;
                        firstName: string;
                        lastName: string;
                        /** @example +1 555 0100 */
                        phone: string;
                    };
                    /** @description The link's own fields, beside the customer's data */
                    fields?: {
                        [key: string]: string;
                    };
                    paymentMethod: {
                        /** @enum {string} */
                        type: "card";
                        /** @description From the card vault */
                        token: string;
                    };
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "0198c0de-7a55-7000-8000-8f3e2b7d1a60",
                     *         "status": "SUCCEEDED",
                     *         "redirectTo": "https://shop.example.com/thanks"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            status: "PENDING" | "SUCCEEDED" | "FAILED";
                            /** @description Of a payment that failed */
                            reason?: string;
                            redirectTo: string | null;
                        };
                    };
                };
            };
        };
    };
    "payment-links.paymentState": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            status: "PENDING" | "SUCCEEDED" | "FAILED";
                            /** @description Of a payment that failed */
                            reason?: string;
                            redirectTo: string | null;
                        };
                    };
                };
            };
        };
    };
    "payment-links.setup": {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat with the same key and body gets the first answer again, for at least 24 hours */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The link's token */
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "customer": {
                 *         "email": "ada@example.com",
                 *         "firstName": "Ada",
                 *         "lastName": "Lovelace",
                 *         "phone": "+1 555 0100"
                 *       },
                 *       "paymentMethod": {
                 *         "type": "card",
                 *         "token": "card_9rT2mXq7Lk0vYb4nHs8dWc1eFj6uZpGiAoRtKxNyQ3E"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Needed, but for the token of a payment-method link */
                    customer?: {
                        /** Format: email */
                        email: string;
                        firstName: string;
                        lastName: string;
                        /** @example +1 555 0100 */
                        phone: string;
                    };
                    /** @description The link's own fields, beside the customer's data */
                    fields?: {
                        [key: string]: string;
                    };
                    paymentMethod: {
                        /** @enum {string} */
                        type: "card";
                        /** @description From the card vault */
                        token: string;
                    };
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "subscriptionId": "0198c0de-7a56-7000-8000-41b7c9e05d28",
                     *         "status": "trialing"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            subscriptionId: string;
                            /** @enum {string} */
                            status: "trialing" | "active" | "past_due" | "cancelled";
                        };
                    };
                };
            };
        };
    };
    "payment-links.createCardToken": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example 4242424242424242 */
                    number: string;
                    expMonth: number;
                    expYear: number;
                    cvc: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            token: string;
                            brand: string;
                            last4: string;
                        };
                    };
                };
            };
        };
    };
    "payment-links.payments": {
        parameters: {
            query?: {
                paymentLinkId?: string;
                subscriptionId?: string;
                status?: "PENDING" | "SUCCEEDED" | "FAILED";
                /** @description Page number, from 1 */
                page?: number;
                /** @description Results per page, 50 by default */
                limit?: number;
            };
            header?: never;
            path: {
                businessId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            paymentLinkId: string;
                            /** @description Of a renewal */
                            subscriptionId: string | null;
                            /** @description Of a renewal */
                            invoiceId: string | null;
                            /** Format: uuid */
                            collectionAccountId: string;
                            /** @enum {string} */
                            status: "PENDING" | "SUCCEEDED" | "FAILED";
                            /**
                             * @description The charged amount; decimal string
                             * @example 25.00
                             */
                            amount: string;
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            fees: string;
                            /**
                             * @description The amount credited to the collection account
                             * @example 24.00
                             */
                            net: string;
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            refunded: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            card: {
                                brand: string;
                                last4: string;
                            } | null;
                            customer: {
                                /** Format: email */
                                email: string;
                                firstName: string;
                                lastName: string;
                                /** @example +1 555 0100 */
                                phone: string;
                            };
                            /** @description Left out if the list would be too long */
                            metadata?: {
                                itemDeliveryAddress: string;
                                customData: {
                                    [key: string]: string;
                                };
                                fields: {
                                    [key: string]: string;
                                };
                            };
                            orderId: string | null;
                            externalId: string | null;
                            reason: string | null;
                            needsAttention: boolean;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC
                             */
                            createdAt: string;
                            /** Format: date-time */
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
            };
        };
    };
    "payment-links.payment": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            paymentLinkId: string;
                            /** @description Of a renewal */
                            subscriptionId: string | null;
                            /** @description Of a renewal */
                            invoiceId: string | null;
                            /** Format: uuid */
                            collectionAccountId: string;
                            /** @enum {string} */
                            status: "PENDING" | "SUCCEEDED" | "FAILED";
                            /**
                             * @description The charged amount; decimal string
                             * @example 25.00
                             */
                            amount: string;
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            fees: string;
                            /**
                             * @description The amount credited to the collection account
                             * @example 24.00
                             */
                            net: string;
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            refunded: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            card: {
                                brand: string;
                                last4: string;
                            } | null;
                            customer: {
                                /** Format: email */
                                email: string;
                                firstName: string;
                                lastName: string;
                                /** @example +1 555 0100 */
                                phone: string;
                            };
                            metadata: {
                                itemDeliveryAddress: string;
                                customData: {
                                    [key: string]: string;
                                };
                                fields: {
                                    [key: string]: string;
                                };
                            };
                            orderId: string | null;
                            externalId: string | null;
                            reason: string | null;
                            needsAttention: boolean;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC
                             */
                            createdAt: string;
                            /** Format: date-time */
                            updatedAt: string;
                        };
                    };
                };
            };
        };
    };
    "payment-links.refunds": {
        parameters: {
            query?: {
                /** @description Page number, from 1 */
                page?: number;
                /** @description Results per page, 50 by default */
                limit?: number;
            };
            header?: never;
            path: {
                businessId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            paymentId: string;
                            /** @enum {string} */
                            status: "PENDING" | "SUCCEEDED" | "FAILED";
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            amount: string;
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            feesReturned: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            reference: string;
                            reason: string | null;
                            /** @description An admin has to decide: see `POST /v1/admin/transactions/:id/resolve` */
                            needsAttention: boolean;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC
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
            };
        };
    };
    "payment-links.refund": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    amount?: number;
                    reference: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            paymentId: string;
                            /** @enum {string} */
                            status: "PENDING" | "SUCCEEDED" | "FAILED";
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            amount: string;
                            /**
                             * @description Decimal string with two places
                             * @example 25.00
                             */
                            feesReturned: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            reference: string;
                            reason: string | null;
                            /** @description An admin has to decide: see `POST /v1/admin/transactions/:id/resolve` */
                            needsAttention: boolean;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC
                             */
                            createdAt: string;
                        };
                    };
                };
            };
        };
    };
    "payment-links.subscriptions": {
        parameters: {
            query?: {
                paymentLinkId?: string;
                status?: "trialing" | "active" | "past_due" | "cancelled";
                /** @description Page number, from 1 */
                page?: number;
                /** @description Results per page, 50 by default */
                limit?: number;
            };
            header?: never;
            path: {
                businessId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            status: "trialing" | "active" | "past_due" | "cancelled";
                            /** Format: uuid */
                            paymentLinkId: string;
                            /** Format: uuid */
                            collectionAccountId: string;
                            name: string;
                            /** @enum {string} */
                            type: "subscription" | "consumption" | "seating";
                            interval: {
                                /** @enum {string} */
                                type: "day" | "week" | "month" | "year";
                                /** @description Interval multiple */
                                count: number;
                            };
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            productId: string | null;
                            /** @description Of a period; null unless it is of the type subscription */
                            amount: string | null;
                            consumptionDetails: {
                                /** @example API call */
                                unit: string;
                                /** @description Up to six decimals */
                                costPerUnit: number;
                                /** @description Units included before charges apply */
                                minimumUnits?: number;
                                /** @description Required if minimumUnits is set */
                                baseFee?: number;
                            } | null;
                            seatDetails: {
                                /** @description Fixed fee of a period */
                                baseFee: number;
                                /** @description Up to six decimals */
                                costPerSeat: number;
                                /** @enum {string} */
                                newSeatBillingType: "prorate" | "next_cycle" | "immediate";
                            } | null;
                            /**
                             * Format: date-time
                             * @description Start of its first period; until then it is a trial
                             */
                            startDate: string;
                            /** @description Null during the trial, and once cancelled */
                            currentPeriod: {
                                /**
                                 * Format: date-time
                                 * @description By the business's clock
                                 */
                                periodStart: string;
                                /**
                                 * Format: date-time
                                 * @description By the business's clock
                                 */
                                periodEnd: string;
                            } | null;
                            /** @description By the business's clock */
                            nextInvoiceAt: string | null;
                            /** @description The unpaid invoice */
                            openInvoiceId: string | null;
                            /** @description Null unless it is billed by seats */
                            seats: number | null;
                            customer: {
                                /** Format: email */
                                email: string;
                                firstName: string;
                                lastName: string;
                                /** @example +1 555 0100 */
                                phone: string;
                            };
                            card: {
                                brand: string;
                                last4: string;
                            };
                            orderId: string | null;
                            externalId: string | null;
                            /** @description The end of the period with which it will be cancelled */
                            cancelAt: string | null;
                            /** @description By the business's clock */
                            cancelledAt: string | null;
                            cancelReason: ("requested" | "unpaid") | null;
                            needsAttention: boolean;
                            /**
                             * Format: date-time
                             * @description By the business's clock
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
            };
        };
    };
    "payment-links.subscription": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            status: "trialing" | "active" | "past_due" | "cancelled";
                            /** Format: uuid */
                            paymentLinkId: string;
                            /** Format: uuid */
                            collectionAccountId: string;
                            name: string;
                            /** @enum {string} */
                            type: "subscription" | "consumption" | "seating";
                            interval: {
                                /** @enum {string} */
                                type: "day" | "week" | "month" | "year";
                                /** @description Interval multiple */
                                count: number;
                            };
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            productId: string | null;
                            /** @description Of a period; null unless it is of the type subscription */
                            amount: string | null;
                            consumptionDetails: {
                                /** @example API call */
                                unit: string;
                                /** @description Up to six decimals */
                                costPerUnit: number;
                                /** @description Units included before charges apply */
                                minimumUnits?: number;
                                /** @description Required if minimumUnits is set */
                                baseFee?: number;
                            } | null;
                            seatDetails: {
                                /** @description Fixed fee of a period */
                                baseFee: number;
                                /** @description Up to six decimals */
                                costPerSeat: number;
                                /** @enum {string} */
                                newSeatBillingType: "prorate" | "next_cycle" | "immediate";
                            } | null;
                            /**
                             * Format: date-time
                             * @description Start of its first period; until then it is a trial
                             */
                            startDate: string;
                            /** @description Null during the trial, and once cancelled */
                            currentPeriod: {
                                /**
                                 * Format: date-time
                                 * @description By the business's clock
                                 */
                                periodStart: string;
                                /**
                                 * Format: date-time
                                 * @description By the business's clock
                                 */
                                periodEnd: string;
                            } | null;
                            /** @description By the business's clock */
                            nextInvoiceAt: string | null;
                            /** @description The unpaid invoice */
                            openInvoiceId: string | null;
                            /** @description Null unless it is billed by seats */
                            seats: number | null;
                            customer: {
                                /** Format: email */
                                email: string;
                                firstName: string;
                                lastName: string;
                                /** @example +1 555 0100 */
                                phone: string;
                            };
                            card: {
                                brand: string;
                                last4: string;
                            };
                            orderId: string | null;
                            externalId: string | null;
                            /** @description The end of the period with which it will be cancelled */
                            cancelAt: string | null;
                            /** @description By the business's clock */
                            cancelledAt: string | null;
                            cancelReason: ("requested" | "unpaid") | null;
                            needsAttention: boolean;
                            /**
                             * Format: date-time
                             * @description By the business's clock
                             */
                            createdAt: string;
                        };
                    };
                };
            };
        };
    };
    "payment-links.invoices": {
        parameters: {
            query?: {
                /** @description Page number, from 1 */
                page?: number;
                /** @description Results per page, 50 by default */
                limit?: number;
            };
            header?: never;
            path: {
                businessId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** @description Counts the invoices of the business */
                            number: number;
                            /** Format: uuid */
                            subscriptionId: string;
                            /**
                             * Format: date-time
                             * @description By the business's clock
                             */
                            periodStart: string;
                            /**
                             * Format: date-time
                             * @description By the business's clock
                             */
                            periodEnd: string;
                            /** @description The sum of the lines, without the fee that the customer pays on top */
                            total: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            /** @enum {string} */
                            status: "open" | "paid" | "failed" | "void";
                            /** @description Left out if the list would be too long */
                            lines?: {
                                /** @description How the amount was computed */
                                description: string;
                                quantity: number;
                                /**
                                 * @description Decimal string with two to six places
                                 * @example 0.0025
                                 */
                                unitAmount: string;
                                /**
                                 * @description Decimal string; negative for a credit
                                 * @example -4.50
                                 */
                                amount: string;
                            }[];
                            /** @description The amount charged to the card: the total, and the fee if the customer pays it */
                            charged: string;
                            attempts: {
                                /** Format: uuid */
                                paymentId: string;
                                /** @enum {string} */
                                status: "PENDING" | "SUCCEEDED" | "FAILED";
                                /**
                                 * Format: date-time
                                 * @description By the business's clock
                                 */
                                at: string;
                                /** @description The reason of the failure */
                                reason: string | null;
                            }[];
                            /** @description When the card is tried again */
                            nextAttemptAt: string | null;
                            /**
                             * Format: date-time
                             * @description By the business's clock
                             */
                            issuedAt: string;
                            /** @description By the business's clock */
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
            };
        };
    };
    "payment-links.invoice": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                id: string;
                invoiceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** @description Counts the invoices of the business */
                            number: number;
                            /** Format: uuid */
                            subscriptionId: string;
                            /**
                             * Format: date-time
                             * @description By the business's clock
                             */
                            periodStart: string;
                            /**
                             * Format: date-time
                             * @description By the business's clock
                             */
                            periodEnd: string;
                            /** @description The sum of the lines, without the fee that the customer pays on top */
                            total: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            /** @enum {string} */
                            status: "open" | "paid" | "failed" | "void";
                            lines: {
                                /** @description How the amount was computed */
                                description: string;
                                quantity: number;
                                /**
                                 * @description Decimal string with two to six places
                                 * @example 0.0025
                                 */
                                unitAmount: string;
                                /**
                                 * @description Decimal string; negative for a credit
                                 * @example -4.50
                                 */
                                amount: string;
                            }[];
                            /** @description The amount charged to the card: the total, and the fee if the customer pays it */
                            charged: string;
                            attempts: {
                                /** Format: uuid */
                                paymentId: string;
                                /** @enum {string} */
                                status: "PENDING" | "SUCCEEDED" | "FAILED";
                                /**
                                 * Format: date-time
                                 * @description By the business's clock
                                 */
                                at: string;
                                /** @description The reason of the failure */
                                reason: string | null;
                            }[];
                            /** @description When the card is tried again */
                            nextAttemptAt: string | null;
                            /**
                             * Format: date-time
                             * @description By the business's clock
                             */
                            issuedAt: string;
                            /** @description By the business's clock */
                            paidAt: string | null;
                        };
                    };
                };
            };
        };
    };
    "payment-links.previewInvoice": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: date-time
                             * @description By the business's clock
                             */
                            periodStart: string;
                            /**
                             * Format: date-time
                             * @description By the business's clock
                             */
                            periodEnd: string;
                            /** @description The sum of the lines, without the fee that the customer pays on top */
                            total: string;
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            /** @enum {string} */
                            status: "open" | "paid" | "failed" | "void";
                            lines: {
                                /** @description How the amount was computed */
                                description: string;
                                quantity: number;
                                /**
                                 * @description Decimal string with two to six places
                                 * @example 0.0025
                                 */
                                unitAmount: string;
                                /**
                                 * @description Decimal string; negative for a credit
                                 * @example -4.50
                                 */
                                amount: string;
                            }[];
                        };
                    };
                };
            };
        };
    };
    "payment-links.usage": {
        parameters: {
            query?: {
                /** @description nextCursor of the previous page */
                cursor?: string;
                /** @description Results per page, 50 by default */
                limit?: number;
            };
            header?: never;
            path: {
                businessId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            subscriptionId: string;
                            reference: string;
                            units: number;
                            /**
                             * Format: date-time
                             * @description By the business's clock
                             */
                            at: string;
                            /**
                             * Format: date-time
                             * @description By the business's clock
                             */
                            periodStart: string;
                            /**
                             * Format: date-time
                             * @description By the business's clock
                             */
                            periodEnd: string;
                            /** @description Its own period is invoiced already: it counts in the period that is shown */
                            late: boolean;
                        }[];
                        meta: {
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    "payment-links.recordUsage": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description How many */
                    units: number;
                    /** @description The caller's; it counts once for each subscription */
                    reference: string;
                    /**
                     * Format: date-time
                     * @description When it was used; now by default
                     */
                    at?: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            subscriptionId: string;
                            reference: string;
                            units: number;
                            /**
                             * Format: date-time
                             * @description By the business's clock
                             */
                            at: string;
                            /**
                             * Format: date-time
                             * @description By the business's clock
                             */
                            periodStart: string;
                            /**
                             * Format: date-time
                             * @description By the business's clock
                             */
                            periodEnd: string;
                            /** @description Its own period is invoiced already: it counts in the period that is shown */
                            late: boolean;
                        };
                    };
                };
            };
        };
    };
    "payment-links.setSeats": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    seats: number;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            status: "trialing" | "active" | "past_due" | "cancelled";
                            /** Format: uuid */
                            paymentLinkId: string;
                            /** Format: uuid */
                            collectionAccountId: string;
                            name: string;
                            /** @enum {string} */
                            type: "subscription" | "consumption" | "seating";
                            interval: {
                                /** @enum {string} */
                                type: "day" | "week" | "month" | "year";
                                /** @description Interval multiple */
                                count: number;
                            };
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            productId: string | null;
                            /** @description Of a period; null unless it is of the type subscription */
                            amount: string | null;
                            consumptionDetails: {
                                /** @example API call */
                                unit: string;
                                /** @description Up to six decimals */
                                costPerUnit: number;
                                /** @description Units included before charges apply */
                                minimumUnits?: number;
                                /** @description Required if minimumUnits is set */
                                baseFee?: number;
                            } | null;
                            seatDetails: {
                                /** @description Fixed fee of a period */
                                baseFee: number;
                                /** @description Up to six decimals */
                                costPerSeat: number;
                                /** @enum {string} */
                                newSeatBillingType: "prorate" | "next_cycle" | "immediate";
                            } | null;
                            /**
                             * Format: date-time
                             * @description Start of its first period; until then it is a trial
                             */
                            startDate: string;
                            /** @description Null during the trial, and once cancelled */
                            currentPeriod: {
                                /**
                                 * Format: date-time
                                 * @description By the business's clock
                                 */
                                periodStart: string;
                                /**
                                 * Format: date-time
                                 * @description By the business's clock
                                 */
                                periodEnd: string;
                            } | null;
                            /** @description By the business's clock */
                            nextInvoiceAt: string | null;
                            /** @description The unpaid invoice */
                            openInvoiceId: string | null;
                            /** @description Null unless it is billed by seats */
                            seats: number | null;
                            customer: {
                                /** Format: email */
                                email: string;
                                firstName: string;
                                lastName: string;
                                /** @example +1 555 0100 */
                                phone: string;
                            };
                            card: {
                                brand: string;
                                last4: string;
                            };
                            orderId: string | null;
                            externalId: string | null;
                            /** @description The end of the period with which it will be cancelled */
                            cancelAt: string | null;
                            /** @description By the business's clock */
                            cancelledAt: string | null;
                            cancelReason: ("requested" | "unpaid") | null;
                            needsAttention: boolean;
                            /**
                             * Format: date-time
                             * @description By the business's clock
                             */
                            createdAt: string;
                        };
                    };
                };
            };
        };
    };
    "payment-links.cancelSubscription": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    at: "now" | "period_end";
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            status: "trialing" | "active" | "past_due" | "cancelled";
                            /** Format: uuid */
                            paymentLinkId: string;
                            /** Format: uuid */
                            collectionAccountId: string;
                            name: string;
                            /** @enum {string} */
                            type: "subscription" | "consumption" | "seating";
                            interval: {
                                /** @enum {string} */
                                type: "day" | "week" | "month" | "year";
                                /** @description Interval multiple */
                                count: number;
                            };
                            /**
                             * @example USD
                             * @enum {string}
                             */
                            currency: "USD" | "NGN" | "CAD" | "GBP" | "EUR";
                            productId: string | null;
                            /** @description Of a period; null unless it is of the type subscription */
                            amount: string | null;
                            consumptionDetails: {
                                /** @example API call */
                                unit: string;
                                /** @description Up to six decimals */
                                costPerUnit: number;
                                /** @description Units included before charges apply */
                                minimumUnits?: number;
                                /** @description Required if minimumUnits is set */
                                baseFee?: number;
                            } | null;
                            seatDetails: {
                                /** @description Fixed fee of a period */
                                baseFee: number;
                                /** @description Up to six decimals */
                                costPerSeat: number;
                                /** @enum {string} */
                                newSeatBillingType: "prorate" | "next_cycle" | "immediate";
                            } | null;
                            /**
                             * Format: date-time
                             * @description Start of its first period; until then it is a trial
                             */
                            startDate: string;
                            /** @description Null during the trial, and once cancelled */
                            currentPeriod: {
                                /**
                                 * Format: date-time
                                 * @description By the business's clock
                                 */
                                periodStart: string;
                                /**
                                 * Format: date-time
                                 * @description By the business's clock
                                 */
                                periodEnd: string;
                            } | null;
                            /** @description By the business's clock */
                            nextInvoiceAt: string | null;
                            /** @description The unpaid invoice */
                            openInvoiceId: string | null;
                            /** @description Null unless it is billed by seats */
                            seats: number | null;
                            customer: {
                                /** Format: email */
                                email: string;
                                firstName: string;
                                lastName: string;
                                /** @example +1 555 0100 */
                                phone: string;
                            };
                            card: {
                                brand: string;
                                last4: string;
                            };
                            orderId: string | null;
                            externalId: string | null;
                            /** @description The end of the period with which it will be cancelled */
                            cancelAt: string | null;
                            /** @description By the business's clock */
                            cancelledAt: string | null;
                            cancelReason: ("requested" | "unpaid") | null;
                            needsAttention: boolean;
                            /**
                             * Format: date-time
                             * @description By the business's clock
                             */
                            createdAt: string;
                        };
                    };
                };
            };
        };
    };
    "payment-links.createMethodLink": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The subscription's
                             */
                            id: string;
                            url: string;
                            /**
                             * Format: date-time
                             * @description 24 hours after it was made
                             */
                            expiredAt: string;
                        };
                    };
                };
            };
        };
    };
    "payment-links.setTestClock": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: date-time
                     * @description Not before the clock's moment, at most ten years after it
                     */
                    now: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC
                             */
                            now: string;
                        };
                    };
                };
            };
        };
    };
    "webhooks.endpoints": {
        parameters: {
            query?: {
                /** @description Page number, from 1 */
                page?: number;
                /** @description Results per page, 50 by default */
                limit?: number;
            };
            header?: never;
            path: {
                businessId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** @example https://example.com/webhooks */
                            url: string;
                            description: string | null;
                            eventTypes: ("WITHDRAWAL" | "COLLECTION" | "NOTIFICATION" | "REFUND" | "SUBSCRIPTION" | "INVOICE" | "ENDPOINT" | "TEST")[];
                            disabled: boolean;
                            disabledReason: string | null;
                            /** Format: date-time */
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
            };
        };
    };
    "webhooks.createEndpoint": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example https://example.com/webhooks */
                    url: string;
                    description?: string;
                    eventTypes?: ("WITHDRAWAL" | "COLLECTION" | "NOTIFICATION" | "REFUND" | "SUBSCRIPTION" | "INVOICE" | "ENDPOINT" | "TEST")[];
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** @example https://example.com/webhooks */
                            url: string;
                            description: string | null;
                            eventTypes: ("WITHDRAWAL" | "COLLECTION" | "NOTIFICATION" | "REFUND" | "SUBSCRIPTION" | "INVOICE" | "ENDPOINT" | "TEST")[];
                            disabled: boolean;
                            disabledReason: string | null;
                            /** Format: date-time */
                            createdAt: string;
                            /** @description whsec_…, shown only once */
                            secret: string;
                        };
                    };
                };
            };
        };
    };
    "webhooks.endpoint": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** @example https://example.com/webhooks */
                            url: string;
                            description: string | null;
                            eventTypes: ("WITHDRAWAL" | "COLLECTION" | "NOTIFICATION" | "REFUND" | "SUBSCRIPTION" | "INVOICE" | "ENDPOINT" | "TEST")[];
                            disabled: boolean;
                            disabledReason: string | null;
                            /** Format: date-time */
                            createdAt: string;
                        };
                    };
                };
            };
        };
    };
    "webhooks.deleteEndpoint": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                        };
                    };
                };
            };
        };
    };
    "webhooks.updateEndpoint": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example https://example.com/webhooks */
                    url?: string;
                    description?: string;
                    eventTypes?: ("WITHDRAWAL" | "COLLECTION" | "NOTIFICATION" | "REFUND" | "SUBSCRIPTION" | "INVOICE" | "ENDPOINT" | "TEST")[];
                    disabled?: boolean;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** @example https://example.com/webhooks */
                            url: string;
                            description: string | null;
                            eventTypes: ("WITHDRAWAL" | "COLLECTION" | "NOTIFICATION" | "REFUND" | "SUBSCRIPTION" | "INVOICE" | "ENDPOINT" | "TEST")[];
                            disabled: boolean;
                            disabledReason: string | null;
                            /** Format: date-time */
                            createdAt: string;
                        };
                    };
                };
            };
        };
    };
    "webhooks.rotateSecret": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** @example https://example.com/webhooks */
                            url: string;
                            description: string | null;
                            eventTypes: ("WITHDRAWAL" | "COLLECTION" | "NOTIFICATION" | "REFUND" | "SUBSCRIPTION" | "INVOICE" | "ENDPOINT" | "TEST")[];
                            disabled: boolean;
                            disabledReason: string | null;
                            /** Format: date-time */
                            createdAt: string;
                            /** @description whsec_…, shown only once */
                            secret: string;
                        };
                    };
                };
            };
        };
    };
    "webhooks.testEndpoint": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The event's id
                             */
                            id: string;
                        };
                    };
                };
            };
        };
    };
    "webhooks.replay": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: date-time
                     * @description Inclusive, in the past
                     */
                    since: string;
                    /**
                     * @description Only those; both by default
                     * @enum {string}
                     */
                    status?: "DELIVERED" | "DEAD_LETTER";
                };
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The endpoint's id
                             */
                            id: string;
                            /** @description The number of deliveries that will be sent again */
                            count: number;
                        };
                    };
                };
            };
        };
    };
    "webhooks.deliveries": {
        parameters: {
            query?: {
                status?: "PENDING" | "DELIVERED" | "DEAD_LETTER";
                eventType?: "WITHDRAWAL" | "COLLECTION" | "NOTIFICATION" | "REFUND" | "SUBSCRIPTION" | "INVOICE" | "ENDPOINT" | "TEST";
                transactionId?: string;
                /** @description Created then or later */
                since?: string;
                /** @description nextCursor of the previous page */
                cursor?: string;
                /** @description Results per page, 50 by default */
                limit?: number;
            };
            header?: never;
            path: {
                businessId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            eventId: string;
                            /** @enum {string} */
                            eventType: "WITHDRAWAL" | "COLLECTION" | "NOTIFICATION" | "REFUND" | "SUBSCRIPTION" | "INVOICE" | "ENDPOINT" | "TEST";
                            transactionId: string | null;
                            /** @enum {string} */
                            status: "PENDING" | "DELIVERED" | "DEAD_LETTER";
                            deadLetterReason: ("exhausted" | "superseded" | "refused" | "disabled" | "deleted" | "expired") | null;
                            /** Format: date-time */
                            createdAt: string;
                            nextAttemptAt: string | null;
                            /** @description The last attempts. If a list would be too long, their responses are left out, then all except the last attempt */
                            attempts: {
                                /** Format: date-time */
                                at: string;
                                statusCode: number | null;
                                durationMs: number;
                                error: string | null;
                                /** @description Null after an answer with 2xx */
                                errorClass: ("dns" | "address" | "connection" | "tls" | "timeout" | "protocol" | "status" | "secret") | null;
                                /** @description The beginning of the answer's body, as text */
                                response: string | null;
                            }[];
                        }[];
                        meta: {
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    "webhooks.delivery": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                id: string;
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            eventId: string;
                            /** @enum {string} */
                            eventType: "WITHDRAWAL" | "COLLECTION" | "NOTIFICATION" | "REFUND" | "SUBSCRIPTION" | "INVOICE" | "ENDPOINT" | "TEST";
                            transactionId: string | null;
                            /** @enum {string} */
                            status: "PENDING" | "DELIVERED" | "DEAD_LETTER";
                            deadLetterReason: ("exhausted" | "superseded" | "refused" | "disabled" | "deleted" | "expired") | null;
                            /** Format: date-time */
                            createdAt: string;
                            nextAttemptAt: string | null;
                            attempts: {
                                /** Format: date-time */
                                at: string;
                                statusCode: number | null;
                                durationMs: number;
                                error: string | null;
                                /** @description Null after an answer with 2xx */
                                errorClass: ("dns" | "address" | "connection" | "tls" | "timeout" | "protocol" | "status" | "secret") | null;
                                /** @description The beginning of the answer's body, as text */
                                response: string | null;
                            }[];
                        };
                    };
                };
            };
        };
    };
    "webhooks.replayDelivery": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                businessId: string;
                id: string;
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            eventId: string;
                            /** @enum {string} */
                            eventType: "WITHDRAWAL" | "COLLECTION" | "NOTIFICATION" | "REFUND" | "SUBSCRIPTION" | "INVOICE" | "ENDPOINT" | "TEST";
                            transactionId: string | null;
                            /** @enum {string} */
                            status: "PENDING" | "DELIVERED" | "DEAD_LETTER";
                            deadLetterReason: ("exhausted" | "superseded" | "refused" | "disabled" | "deleted" | "expired") | null;
                            /** Format: date-time */
                            createdAt: string;
                            nextAttemptAt: string | null;
                            attempts: {
                                /** Format: date-time */
                                at: string;
                                statusCode: number | null;
                                durationMs: number;
                                error: string | null;
                                /** @description Null after an answer with 2xx */
                                errorClass: ("dns" | "address" | "connection" | "tls" | "timeout" | "protocol" | "status" | "secret") | null;
                                /** @description The beginning of the answer's body, as text */
                                response: string | null;
                            }[];
                        };
                    };
                };
            };
        };
    };
}
