// The books at this moment, for operators.

import { ADMIN, type Route, route } from "../http/route.ts";

export const booksRoute: Route = route(
  "GET /v1/admin/books",
  ADMIN,
  "getBooks",
  "wallet-ledger.books",
  {
    example: {
      response: {
        success: true,
        data: {
          at: "2026-01-05T09:30:00.000Z",
          balanced: true,
          currencies: [
            {
              currency: "USD",
              wallets: "74.75",
              collectionAccounts: "25.00",
              fees: "1.31",
              transit: "0.00",
              outside: "-100.00",
              clearing: { ACH: "25.00", CARD_COLLECTION: "-26.06" },
              total: "0.00",
            },
          ],
          lag: { blocks: 3, oldestSeconds: 0.4 },
        },
      },
    },
  },
);
