import type { Restart } from '@postern/event-sourcing/postgres';
import type { PublishedLog } from '../event-sourcing/published-log.js';
import { EVENTS_LATE_SECONDS } from '../health/event-flow.js';
import type { Finding } from './ports.js';

export const RESTORED_WITHIN_DAYS = 7;

/** How far the consumers have read the log of this service, judged by the age of what they have not read. */
export const logFindings = async (published: PublishedLog | undefined): Promise<Finding[]> => {
  if (!published) return [];
  const [readers, restores] = await Promise.all([
    published.readers(),
    published.eventLog.restores(RESTORED_WITHIN_DAYS),
  ]);
  const late = readers.filter(({ lag }) => lag.seconds > EVENTS_LATE_SECONDS);
  return [
    ...late.map(
      ({ consumer, lag, askedSecondsAgo }): Finding => ({
        check: 'events read',
        verdict: 'bad',
        found: `${consumer} is ${Math.round(lag.seconds)} seconds behind by ${lag.events} events, and ${askedAgo(askedSecondsAgo)}`,
        advice: 'Check that the service of this consumer is running, and its log.',
      }),
    ),
    ...(late.length === 0 && readers.length > 0
      ? [{ check: 'events read', verdict: 'good', found: `by ${readers.length} consumers without delay` } as const]
      : []),
    ...restores.map(
      ({ cause, at }): Finding => ({
        check: 'event log',
        verdict: 'warning',
        found: `another log began at ${at.toISOString()}: ${cause}`,
        advice:
          'Consumers continue with what this log holds; what was recorded after the backup is not in it (docs/operations.md, "After a restore").',
      }),
    ),
  ];
};

/** The consumers of this service that went back to an earlier position. */
export const restartFindings = (restarts: readonly Restart[]): Finding[] =>
  restarts.map(({ consumer, source, restartedAt }) => ({
    check: `events of ${source}`,
    verdict: 'warning',
    found: `the log of ${source} was restored: ${consumer} continued at ${restartedAt.toISOString()} with the last events that it holds`,
    advice: `Restore ${source} from a newer backup if there is one: this service has handled events that its log lacks.`,
  }));

const askedAgo = (seconds: number | undefined): string =>
  seconds === undefined ? 'it has never asked for them' : `it asked for them ${Math.round(seconds)} seconds ago`;
