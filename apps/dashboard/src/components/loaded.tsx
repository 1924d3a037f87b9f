import type { ComponentChildren } from 'preact';
import type { Loading } from '../loading.js';
import { Link } from '../router.js';
import { ErrorNotice } from './notice.js';
import { Page } from './page.js';

interface LoadedProps<Value> {
  readonly of: Loading<Value>;
  /** Heading of the page for screen readers until its content has loaded. */
  readonly title?: string;
  readonly children: (value: Value) => ComponentChildren;
}

/** Whether the resource of a page does not exist, or not in the active workspace. */
const isMissing = <Value,>({ value, error }: Loading<Value>, title: string | undefined): title is string =>
  title !== undefined && value === undefined && error?.status === 404;

/** Shows the loading, failed and loaded state of a read from the API. */
export const Loaded = <Value,>({ of, title, children }: LoadedProps<Value>) => (
  <div class="loaded" aria-busy={of.busy}>
    {title && of.value === undefined && !isMissing(of, title) && <h1 class="visually-hidden">{title}</h1>}
    {isMissing(of, title) && <MissingPage what={title} />}
    {of.error && !isMissing(of, title) && (
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

/** The page of a resource that does not exist, or not in the active workspace. */
export const MissingPage = ({ what }: { readonly what: string }) => (
  <Page title={`${what} not found`}>
    <p>
      It was deleted, or it belongs to another workspace. Choose the workspace in the side bar, or{' '}
      <Link to="/">go to Home</Link>.
    </p>
  </Page>
);
