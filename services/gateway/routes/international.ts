// The HTTP form of linking an international bank account (docs/rest-api.md, International
// accounts). Its whole body goes to accounts, because accounts checks it after the application
// token in the path.

import type { FastifyRequest } from "fastify";
import { contractOf, type Result } from "../../../shared/contracts.ts";
import { type AnswerForm, envelope } from "../http/route.ts";

const MESSAGE = "International bank account linked";

export const internationalParams = { body: ({ body }: FastifyRequest) => body };

export const internationalAnswer: AnswerForm<Result<"accounts.linkInternational">> = {
  statuses: [200],
  schema: envelope({
    message: { type: "string" },
    data: contractOf("accounts.linkInternational").result.schema,
  }),
  of: (data) => ({ status: 200, body: { success: true, message: MESSAGE, data } }),
};

export const internationalExample = {
  request: {
    label: "Main account",
    data: {
      recipientType: "personal",
      firstName: "Ada",
      lastName: "Lovelace",
      email: "ada@example.com",
      accountNumber: "DE89 3704 0044 0532 0130 00",
      swiftOrBic: "COBADEFF",
      bankName: "Commerzbank",
      recipientAddress: "Unter den Linden 1",
      recipientCity: "Berlin",
      recipientState: "Berlin",
      recipientCountry: "DE",
      recipientPostalCode: "10117",
      nickName: "Savings",
    },
  },
  response: {
    success: true,
    message: MESSAGE,
    data: { id: "0198c0de-7a51-7000-8000-3f1d5a2b9c02" },
  },
};
