// The variables and functions by which the examples of the guides run, for bash and zsh: those of
// docs/integrate/setup.md, with more variables of the demo.

/** @param values of the variables; without quotes, as ids, tokens and addresses are */
export function shellDefinitions(values: Record<string, string>): string {
  const variables = Object.entries(values).map(([name, value]) => `export ${name}='${value}'\n`);
  return variables.join("") + FUNCTIONS;
}

const FUNCTIONS = `
get() { curl -sS -w '\\n' "$PAYRAIL_URL$1" -H "Authorization: Bearer \${AS:-$MERCHANT}" "\${@:2}"; }
post() { get "$1" -X POST -H 'Content-Type: application/json' -H 'Prefer: handling=strict' "\${@:2}"; }
put() { get "$1" -X PUT -H 'Content-Type: application/json' -H 'Prefer: handling=strict' "\${@:2}"; }
patch() { get "$1" -X PATCH -H 'Content-Type: application/json' -H 'Prefer: handling=strict' "\${@:2}"; }
field() { grep -o "\\"$1\\":\\"[^\\"]*" | sed -n '1s/.*":"//p'; }
`;
