// Data that a page loads and can load again.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";

export interface Loaded<T> {
  /** The last answer; it stays while it is loaded again. */
  data: T | null;
  error: unknown;
  isLoading: boolean;
  reload(): void;
}

/**
 * Loads data when a component appears, and again when its key changes.
 * @param key names the data: another key is other data
 */
export function useLoad<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ key: string; data: T | null; error: unknown }>({
    key,
    data: null,
    error: null,
  });
  const [count, setCount] = useState(0);
  const [isLoading, setIsLoading] = useState(true);
  const latest = useRef(load);
  latest.current = load;

  // A new count loads the same data again.
  useEffect(() => {
    let isCurrent = true;
    setIsLoading(true);
    latest
      .current()
      .then(
        (data) => isCurrent && setState({ key, data, error: null }),
        (error: unknown) => isCurrent && setState((before) => ({ ...before, key, error })),
      )
      .finally(() => isCurrent && setIsLoading(false));
    return () => {
      isCurrent = false;
    };
  }, [key, count]);

  const reload = useCallback(() => setCount((before) => before + 1), []);
  const isOther = state.key !== key;
  return {
    data: isOther ? null : state.data,
    error: isOther ? null : state.error,
    isLoading,
    reload,
  };
}
