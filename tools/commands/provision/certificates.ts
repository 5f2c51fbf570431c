// Certificates (X.509 v3, RFC 5280) of one's own authority, for the TLS of MongoDB and NATS. Node
// makes keys but no certificates, so node-forge signs them.

import { generateKeyPairSync, randomBytes, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import forge from "node-forge";

const { pki } = forge;
const KEY_BITS = 2_048;
const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3_650;
const SERVER_DAYS = 825;
/** A certificate that ends sooner is made again. */
const RENEWED_BEFORE_DAYS = 30;
/** Begins earlier, so that a server with a slow clock accepts the certificate. */
const BACKDATED_MS = 3_600_000;
const IP_NAME = 7;
const DNS_NAME = 2;

/** PEM text: the private key and the certificate in one, as mongod and nats-server read it. */
export type KeyAndCertificate = string;

export interface Subject {
  /** The common name. */
  name: string;
  /**
   * The organizational unit. MongoDB takes a client for one of its own members if the client's
   * organization and unit are those of its certificate.
   */
  unit: string;
  /** Names and addresses by which clients reach the server. */
  hosts: string[];
}

/** Makes the key and the certificate of an authority. */
export function makeAuthority(): KeyAndCertificate {
  const subject = nameOf("payrail authority", "authority");
  return issue({
    subject,
    days: AUTHORITY_DAYS,
    extensions: [
      { name: "basicConstraints", critical: true, cA: true, pathLenConstraint: 0 },
      { name: "keyUsage", critical: true, keyCertSign: true, cRLSign: true },
      { name: "subjectKeyIdentifier" },
    ],
  });
}

/** Makes a certificate that the authority signs; its owner may be a server and a client. */
export function makeCertificate(
  authority: KeyAndCertificate,
  { name, unit, hosts }: Subject,
): KeyAndCertificate {
  const altNames = hosts.map((host) =>
    isIP(host) ? { type: IP_NAME, ip: host } : { type: DNS_NAME, value: host },
  );
  return issue({
    subject: nameOf(name, unit),
    days: SERVER_DAYS,
    authority,
    extensions: [
      { name: "basicConstraints", critical: true, cA: false },
      { name: "keyUsage", critical: true, digitalSignature: true, keyEncipherment: true },
      { name: "extKeyUsage", serverAuth: true, clientAuth: true },
      ...(altNames.length > 0 ? [{ name: "subjectAltName", altNames }] : []),
    ],
  });
}

/** The certificate in a text that may have a private key beside it. */
export function certificateOf(pem: KeyAndCertificate): string {
  return pem.slice(pem.indexOf("-----BEGIN CERTIFICATE-----"));
}

/** Whether the authority signed the certificate for these hosts, and it stays valid for a while. */
export function isGood(
  pem: KeyAndCertificate,
  authority: KeyAndCertificate,
  hosts: string[],
): boolean {
  const certificate = new X509Certificate(certificateOf(pem));
  const issuer = new X509Certificate(certificateOf(authority));
  const isFor = (host: string) =>
    isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host);
  return (
    certificate.verify(issuer.publicKey) &&
    hosts.every(isFor) &&
    Date.parse(certificate.validTo) > Date.now() + RENEWED_BEFORE_DAYS * DAY_MS
  );
}

interface CertificateRequest {
  subject: forge.pki.CertificateField[];
  days: number;
  extensions: Record<string, unknown>[];
  /** Without one, the certificate signs itself. */
  authority?: KeyAndCertificate;
}

function issue({ subject, days, extensions, authority }: CertificateRequest): KeyAndCertificate {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: KEY_BITS,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const issuer = authority ? pki.certificateFromPem(certificateOf(authority)).subject : null;
  const certificate = pki.createCertificate();
  certificate.publicKey = pki.publicKeyFromPem(publicKey);
  // A positive number in its shortest form: its first byte is neither 0 nor above 7f.
  certificate.serialNumber = `01${randomBytes(16).toString("hex")}`;
  certificate.validity.notBefore = new Date(Date.now() - BACKDATED_MS);
  certificate.validity.notAfter = new Date(Date.now() + days * DAY_MS);
  certificate.setSubject(subject);
  certificate.setIssuer(issuer?.attributes ?? subject);
  certificate.setExtensions(extensions);
  certificate.sign(pki.privateKeyFromPem(authority ?? privateKey), forge.md.sha256.create());
  return `${privateKey}${pki.certificateToPem(certificate).replaceAll("\r", "")}`;
}

function nameOf(name: string, unit: string): forge.pki.CertificateField[] {
  return [
    { name: "organizationName", value: "payrail" },
    { name: "organizationalUnitName", value: unit },
    { name: "commonName", value: name },
  ];
}
