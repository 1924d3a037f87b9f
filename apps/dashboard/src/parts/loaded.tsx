import type { ComponentChildren } from 'preact';
import type { Loading } from '../loading.js';
import { ErrorNotice } from './notice.js';

interface LoadedProps<Value> {
  readonly of: Loading<Value>;
  readonly children: (value: Value) => ComponentChildren;
}

/** Waiting, failed or there: the three states of everything that comes from the API. */
export const Loaded = <Value,>({ of, children }: LoadedProps<Value>) => (
  <div class="loaded" aria-busy={of.busy}>
    {of.error && (
      <div class="failed">
        <ErrorNotice error={of.error} />
        <button type="button" onClick={of.reload}>
          Try again
        </button>
      </div>
    )}
    {of.value !== undefined && children(of.value)}
    {of.value === undefined && !of.error && (
      <p class="waiting" role="status">
        Loading…
      </p>
    )}
  </div>
);
