// Loads the modules that the configuration names as rails, acquirers and screening. A module's
// default export is a function that makes its partner.

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Acquirer, Module, Rail, Screening } from "../../partners/types.ts";
import { type Config, ConfigError } from "../config/config.ts";
import type { ContextOf } from "./context.ts";
import { isSandboxModule, SANDBOX } from "./sandbox.ts";
import { FIELD_URL_FORM, fieldOrigin } from "./vault.ts";

const NAME = /^[\w.-]{1,64}$/;
/** The limit of a return window, in milliseconds: longer than any card scheme's or bank's. */
export const LONGEST_WINDOW_MS = 800 * 86_400_000;

/**
 * Loads the rails at these paths, each once.
 * @param paths from the working directory
 * @param contextOf the context that each module is given
 * @throws ConfigError if a module cannot be loaded, makes no rail, has the name of another one, or
 *   is not of the system's mode
 */
export async function loadRails(paths: string[], contextOf: ContextOf): Promise<Map<string, Rail>> {
  const rails = await loadAll<Rail>("RAILS", paths, contextOf, ["submit", "query", "cancel"]);
  for (const [path, { returnWindowMs }] of rails) {
    const isWindow = returnWindowMs >= 0 && returnWindowMs <= LONGEST_WINDOW_MS;
    if (!isWindow) {
      throw new ConfigError(
        `RAILS: the rail of ${path} must have a returnWindowMs from 0 to ${LONGEST_WINDOW_MS}.`,
      );
    }
  }
  return rails;
}

/**
 * Loads the acquirers at these paths; otherwise as `loadRails`. Their vaults' URLs are checked too.
 */
export async function loadAcquirers(
  paths: string[],
  contextOf: ContextOf,
  config: Pick<Config, "production" | "publicUrl">,
): Promise<Map<string, Acquirer>> {
  const methods = ["tokenInfo", "charge", "void", "refund"] as const;
  const acquirers = await loadAll<Acquirer>("ACQUIRER", paths, contextOf, methods);
  for (const [path, { vault }] of acquirers) {
    if (vault && fieldOrigin(vault.fieldUrl, config) === null) {
      throw new ConfigError(
        `ACQUIRER: the vault of ${path} must have a fieldUrl, ${FIELD_URL_FORM}.`,
      );
    }
  }
  return acquirers;
}

/** Loads the screening at this path; otherwise as `loadRails`. A sandbox takes any screening. */
export async function loadScreening(path: string, contextOf: ContextOf): Promise<Screening> {
  const loaded = await loadAll<Screening>("SCREENING", [path], contextOf, ["screen"]);
  return loaded.get(path) as Screening;
}

type Partner = Rail | Acquirer | Screening;

async function loadAll<P extends Partner>(
  variable: string,
  paths: string[],
  contextOf: ContextOf,
  methods: readonly (keyof P & string)[],
): Promise<Map<string, P>> {
  const loaded = new Map<string, P>();
  for (const path of new Set(paths)) {
    const partner = await load<P>(variable, path, contextOf);
    const problem =
      findProblem(partner, methods) ??
      findWrongName(partner, path) ??
      findWrongMode(partner, contextOf(path)) ??
      findNamesake(partner, loaded);
    if (problem) throw new ConfigError(`${variable}: the module ${path} ${problem}.`);
    loaded.set(path, partner);
  }
  return loaded;
}

async function load<P extends Partner>(
  variable: string,
  path: string,
  contextOf: ContextOf,
): Promise<P> {
  try {
    const module = (await import(pathToFileURL(resolve(path)).href)) as {
      default: Module<P>;
    };
    return await module.default(contextOf(path));
  } catch (cause) {
    const reason = (cause as Error).message.split("\n")[0];
    throw new ConfigError(`${variable}: ${path} cannot be loaded (${reason}); correct its path.`, {
      cause,
    });
  }
}

function findProblem<P extends Partner>(
  partner: P | null | undefined,
  methods: readonly (keyof P & string)[],
): string | null {
  const missing = methods.filter((method) => typeof partner?.[method] !== "function");
  return !partner || missing.length > 0 ? `must have the functions ${missing.join(", ")}` : null;
}

/** The name of the sandbox's books is reserved: no other partner may be asked about them. */
function findWrongName({ name }: Partner, path: string): string | null {
  const isForm = typeof name === "string" && NAME.test(name);
  if (isForm && (name !== SANDBOX || isSandboxModule(path))) return null;
  return `must have a name of 1 to 64 letters, digits, dots, hyphens and underscores, other than "${SANDBOX}"`;
}

/** Invariant: sandbox money is never paid out or charged for real, nor real money for test. */
function findWrongMode(partner: Partner, { sandbox }: { sandbox: boolean }): string | null {
  const { test } = partner;
  if (sandbox && test !== true && !("screen" in partner)) {
    return "may move real money (it does not say test: true), so SANDBOX must be false";
  }
  if (!sandbox && test === true) {
    return "is no partner for real money (it says test: true), so SANDBOX must be true";
  }
  return null;
}

function findNamesake(partner: Partner, loaded: Map<string, Partner>): string | null {
  const other = [...loaded].find(([, { name }]) => name === partner.name);
  return other ? `has the name of ${other[0]}, ${partner.name}: names must differ` : null;
}
