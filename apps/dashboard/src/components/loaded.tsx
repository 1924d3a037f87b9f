import type { ComponentChildren } from 'preact';
import type { Loading } from '../loading.js';
import { ErrorNotice } from './notice.js';

interface LoadedProps<Value> {
  readonly of: Loading<Value>;
  /** Heading of the page for screen readers until its content has loaded. */
  readonly title?: string;
  readonly children: (value: Value) => ComponentChildren;
}

/** Shows the loading, failed and loaded state of a read from the API. */
export const Loaded = <Value,>({ of, title, children }: LoadedProps<Value>) => (
  <div class="loaded" aria-busy={of.busy}>
    {title && of.value === undefined && <h1 class="visually-hidden">{title}</h1>}
    {of.error && (
      <div class="failed">
        <ErrorNotice error={of.error} />
        <button type="button" onClick={of.reload}>
          Retry
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
