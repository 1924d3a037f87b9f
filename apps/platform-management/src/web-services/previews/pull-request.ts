import type { PullRequestAction } from './pull-request-event.js';

/** What is known about a pull or merge request from its events. */
export interface PullRequest {
  readonly isOpen: boolean;
  /** When the Git host opened or closed it; undefined if its events do not say. */
  readonly changedAt: Date | undefined;
}

/** An event of the request, as far as it opens or closes it. */
interface Change {
  readonly action: PullRequestAction;
  readonly changedAt: Date | undefined;
}

/**
 * The request after an event, or why the event is ignored. Git hosts may deliver events late or in another order, so an
 * event does not undo a later one, and only a reopened request is open after it was closed.
 */
export function afterEvent(known: PullRequest | undefined, event: Change): PullRequest | { readonly ignored: string } {
  const isLate = known?.changedAt !== undefined && event.changedAt !== undefined && event.changedAt < known.changedAt;
  if (event.action === 'close') {
    if (known?.isOpen && isLate) return { ignored: 'it was reopened after this event' };
    return { isOpen: false, changedAt: event.changedAt ?? known?.changedAt };
  }
  if (known?.isOpen) return { isOpen: true, changedAt: event.action === 'reopen' ? event.changedAt : known.changedAt };
  if (known && (event.action !== 'reopen' || isLate)) return { ignored: 'it was closed after this event' };
  return { isOpen: true, changedAt: event.changedAt };
}
