// The variables and functions by which the examples of the guides run, for bash and zsh
// (docs/integrate/withdrawals.md explains them).

/** @param values of the variables; without quotes, as ids, tokens and addresses are */
export function shellDefinitions(values: Record<string, string>): string {
  const variables = Object.entries(values).map(([name, value]) => `export ${name}='${value}'\n`);
  return variables.join("") + FUNCTIONS;
}

const FUNCTIONS = `
get() { curl -sS -w '\\n' "$PAYRAIL$1" -H "Authorization: Bearer \${AS:-$MERCHANT}" "\${@:2}"; }
post() { get "$1" -X POST -H 'Content-Type: application/json' -H 'Prefer: handling=strict' "\${@:2}"; }
patch() { get "$1" -X PATCH -H 'Content-Type: application/json' -H 'Prefer: handling=strict' "\${@:2}"; }
field() { node -p "JSON.parse(fs.readFileSync(0)).data.$1"; }
`;
