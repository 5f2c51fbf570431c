// The environment variables that every process of a test inherits.

/**
 * @returns where programs and the user's files are, and the cache of compiled code, because a
 *   process without it spends a second of CPU on reading its code
 */
export function inherited(): NodeJS.ProcessEnv {
  const { PATH, HOME, XDG_CACHE_HOME, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, XDG_CACHE_HOME, NODE_COMPILE_CACHE };
}
