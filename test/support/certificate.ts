// Certificates for servers under test (X.509 v3, RFC 5280). They are made at run time, so the
// repository has no key and no certificate expires in it.

import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

export interface Certificate {
  cert: string;
  key: string;
}

/** A self-signed certificate for the name, valid between the dates. */
export function aCertificate({
  name,
  from = new Date(Date.now() - 3_600_000),
  to = new Date(Date.now() + 3_600_000),
}: {
  name: string;
  from?: Date;
  to?: Date;
}): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(oid("2a8648ce3d040302"));
  const subject = sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from(name)))));
  // The name again as dNSName of subjectAltName, because clients check that one.
  const names = sequence(der(0x82, Buffer.from(name)));
  const extensions = sequence(sequence(oid("551d11"), der(0x04, names)));
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(8)]);
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    algorithm,
    subject,
    sequence(time(from), time(to)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, extensions),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign("sha256", body, privateKey)]);
  const base64 = sequence(body, algorithm, der(0x03, signature)).toString("base64");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}

/** A DER value: its tag, length and content. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
const time = (date: Date) => der(0x18, Buffer.from(date.toISOString().replace(/[-:T]|\.\d+/g, "")));
