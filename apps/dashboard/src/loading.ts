import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from './api-client.js';

/** Something that is asked of the API for a page. A value that is there stays while it is asked for again, and beside an error. */
export interface Loading<Value> {
  readonly value: Value | undefined;
  readonly error: ApiError | undefined;
  readonly busy: boolean;
  readonly reload: () => void;
  /** Takes what a write has answered, which saves asking again. */
  readonly replace: (value: Value) => void;
}

/** Asks whenever one of `keys` changes; an answer that comes after the next question is dropped. */
export const useLoading = <Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  keys: readonly (string | number)[],
): Loading<Value> => {
  const key = JSON.stringify(keys);
  const [state, setState] = useState<{ key: string; value?: Value; error?: ApiError }>({ key });
  const [asking, setAsking] = useState(true);
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  // Another round asks the same question again.
  useEffect(() => {
    const controller = new AbortController();
    setAsking(true);
    latest
      .current(controller.signal)
      .then(value => ({ key, value }))
      .catch((error: unknown) => ({ key, error: asApiError(error) }))
      .then(next => {
        if (controller.signal.aborted) return;
        setState(last => ('error' in next && last.key === key ? { ...last, ...next } : next));
        setAsking(false);
      });
    return () => controller.abort();
  }, [key, round]);
  const current = state.key === key ? state : undefined;
  return {
    value: current?.value,
    error: current?.error,
    busy: asking,
    reload: useCallback(() => setRound(last => last + 1), []),
    replace: useCallback((value: Value) => setState({ key, value }), [key]),
  };
};

/** Asks again every `everyMs` while the page can be seen; undefined stops it. */
export const useRepeated = ({ reload }: Pick<Loading<unknown>, 'reload'>, everyMs: number | undefined): void => {
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) reload();
    }, everyMs);
    return () => clearInterval(timer);
  }, [reload, everyMs]);
};

/** A write that a reader starts: whether it runs, and what the API said against it. */
export interface Action<Arguments extends readonly unknown[]> {
  readonly busy: boolean;
  readonly error: ApiError | undefined;
  readonly run: (...args: Arguments) => Promise<boolean>;
  readonly forget: () => void;
}

/** A second start while the first one runs is ignored: nobody wants two services for a double click. */
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
  return { busy, error, run, forget: () => setError(undefined) };
};

const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError(0, 'The dashboard met a fault of its own. Load the page again.');
