// The configuration of nats-server with a user for each service. The branch part-nats has the file
// with the permissions by subject; it replaces this one, which grants all subjects.

/** The part of a nats-server's configuration that names certificates, by their paths. */
export interface NatsTls {
  cert_file: string;
  key_file: string;
}

/** A nats-server's configuration with these users; a superset of JSON is its format. */
export function natsConfig(users: { name: string; password: string }[], tls?: NatsTls): string {
  const entries = users.map(({ name, password }) => ({ user: name, password }));
  const config = { authorization: { users: entries }, ...(tls && { tls }) };
  return `${JSON.stringify(config, null, 2)}\n`;
}
