import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from './api-client.js';
import { SessionContext } from './session.js';

/** The state of a read from the API. A loaded value stays available during a reload and after a failed one. */
export interface Loading<Value> {
  readonly value: Value | undefined;
  readonly error: ApiError | undefined;
  readonly busy: boolean;
  readonly reload: () => void;
  /** Sets the value from the response of a write, without another request. */
  readonly replace: (value: Value) => void;
}

/** Loads again when one of `keys` changes or the user logs in; the response of an outdated request is ignored. */
export const useLoading = <Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  keys: readonly (string | number)[],
): Loading<Value> => {
  const key = JSON.stringify(keys);
  const [state, setState] = useState<{ key: string; value?: Value; error?: ApiError }>({ key });
  const [busy, setBusy] = useState(true);
  const [reloads, setReloads] = useState(0);
  const { logins } = useContext(SessionContext);
  const latest = useRef(load);
  latest.current = load;
  // `reload` changes `reloads`, which runs the effect again with the same keys.
  useEffect(() => {
    const controller = new AbortController();
    setBusy(true);
    latest
      .current(controller.signal)
      .then(value => ({ key, value }))
      .catch((error: unknown) => ({ key, error: asApiError(error) }))
      .then(next => {
        if (controller.signal.aborted) return;
        setState(last => ('error' in next && last.key === key ? { ...last, ...next } : next));
        setBusy(false);
      });
    return () => controller.abort();
  }, [key, reloads, logins]);
  const current = state.key === key ? state : undefined;
  return {
    value: current?.value,
    error: current?.error,
    busy,
    reload: useCallback(() => setReloads(last => last + 1), []),
    replace: useCallback((value: Value) => setState({ key, value }), [key]),
  };
};

/** The state of a write that the user starts. */
export interface Action<Arguments extends readonly unknown[]> {
  readonly busy: boolean;
  readonly error: ApiError | undefined;
  readonly run: (...args: Arguments) => Promise<boolean>;
  readonly clearError: () => void;
}

/** Ignores a second run while the first one is in progress, for example after a double click. */
export const useAction = <Arguments extends readonly unknown[]>(
  work: (...args: Arguments) => Promise<unknown>,
): Action<Arguments> => {
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const running = useRef(false);
  const run = async (...args: Arguments): Promise<boolean> => {
    if (running.current) return false;
    running.current = true;
    setBusy(true);
    setError(undefined);
    try {
      await work(...args);
      return true;
    } catch (failure) {
      setError(asApiError(failure));
      return false;
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { busy, error, run, clearError: () => setError(undefined) };
};

const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError(0, 'Something went wrong. Reload the page and try again.');
