// What payrail makes of an account number in two places: a link takes it as an IBAN, and a file has
// it as an IBAN. Each is loaded alone, as by the service that does it.

export interface Numbered {
  number: string;
  /** Of the bank. */
  country: string;
}

type Judge = (account: Numbered) => boolean;

export const JUDGES = {
  async linked(): Promise<Judge> {
    const { checker } = await import("../../shared/contracts/checker.ts");
    const { internationalLink } = await import("../../shared/contracts/international-data.ts");
    const check = checker(internationalLink);
    return ({ number, country }) => {
      try {
        check(bodyOf(number, country));
        return true;
      } catch {
        return false;
      }
    };
  },
  async written(): Promise<Judge> {
    const { creditorElements } = await import("../../partners/bank-files/iso20022/creditor.ts");
    return ({ number, country }) => {
      const { data } = bodyOf(number, country);
      const payment = {
        ...{ id: "", amountMinor: 1, currency: "EUR" as const, reference: "" },
        optionType: "international_bank" as const,
        account: data,
      };
      return JSON.stringify(creditorElements(payment)).includes('"name":"IBAN"');
    };
  },
};

function bodyOf(accountNumber: string, country: string) {
  return {
    label: "Account",
    data: {
      recipientType: "business",
      name: "Analytical Engines",
      email: "ada@example.com",
      accountNumber,
      swiftOrBic: `BANK${country}2L`,
      bankName: "Bank",
      recipientAddress: "1 Main St",
      recipientCity: "Town",
      recipientState: "State",
      recipientCountry: country,
      recipientPostalCode: "10001",
    },
  };
}
