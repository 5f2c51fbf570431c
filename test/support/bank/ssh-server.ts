// A bank's SSH server, with a host key, one user, and one service: SFTP.

import { createHash, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import ssh2, { type AuthContext, type Connection, type ParsedKey, type Session } from "ssh2";

export interface SshServer {
  port: number;
  /** As `ssh-keygen -lf` prints it. */
  hostKey: string;
  username: string;
  password: string;
  /** Its client's private key. */
  privateKey: string;
  /** Whether it asks for both the key and the password. */
  needsBoth: boolean;
  /** The number of connections that were opened. */
  connections(): number;
  /** The names of the authentication methods that clients have tried. */
  tried: string[];
  cutAll(): void;
  stop(): Promise<void>;
}

/** Starts a server at a port of its own, with a new host key. */
export async function startSshServer(
  serve: (session: Session, connection: Connection) => void,
): Promise<SshServer> {
  const host = newKey();
  const client = newKey();
  const open = new Set<Connection>();
  let opened = 0;

  const server = new ssh2.Server({ hostKeys: [host] }, (connection) => {
    opened += 1;
    open.add(connection);
    // Its types lack the method.
    (connection as Connection & { setNoDelay(): void }).setNoDelay();
    connection.on("error", () => undefined);
    connection.on("close", () => open.delete(connection));
    let hasKey = false;
    connection.on("authentication", (context) => {
      const { method } = context;
      if (method !== "none") ssh.tried.push(method);
      if (!isAllowed(context)) return context.reject(["publickey", "password"]);
      // Without a signature the client only asks whether it may use the key.
      hasKey ||= method === "publickey" && context.signature !== undefined;
      if (ssh.needsBoth && hasKey && method === "publickey") context.reject(["password"], true);
      else if (ssh.needsBoth && !hasKey && method === "password") context.reject(["publickey"]);
      else context.accept();
    });
    connection.on("session", (accept) => serve(accept(), connection));
  });

  function isAllowed(context: AuthContext): boolean {
    if (context.method === "password") return context.password === ssh.password;
    if (context.method !== "publickey") return false;
    const key = parsed(client);
    if (!key.getPublicSSH().equals(context.key.data)) return false;
    const { blob, signature, hashAlgo } = context;
    return !blob || !signature || key.verify(blob, signature, hashAlgo);
  }

  const hash = createHash("sha256").update(parsed(host).getPublicSSH()).digest("base64");
  const ssh: SshServer = {
    port: 0,
    hostKey: `SHA256:${hash.replace(/=+$/, "")}`,
    username: "payrail",
    password: "correct horse",
    privateKey: client,
    needsBoth: false,
    connections: () => opened,
    tried: [],
    cutAll: () => {
      for (const connection of open) connection.end();
    },
    async stop() {
      ssh.cutAll();
      server.close();
      await once(server, "close");
    },
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ssh.port = (server.address() as AddressInfo).port;
  return ssh;
}

/** A new private key. About one in fifty that ssh2 itself generates is malformed. */
function newKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "sec1", format: "pem" }).toString();
}

function parsed(privateKey: string): ParsedKey {
  const key = ssh2.utils.parseKey(privateKey);
  if (key instanceof Error) throw key;
  return key;
}
