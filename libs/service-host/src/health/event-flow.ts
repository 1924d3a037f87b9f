import type { FollowerStatus } from '@postern/messaging';
import type { DatabaseTime } from '../database/database-clock.js';
import type { Readiness } from './readiness.js';

/** A consumer handles an event within a second or so; one that has waited for longer than this is late. */
export const EVENTS_LATE_SECONDS = 60;

export interface EventFlowParts {
  readonly readiness: Readiness;
  readonly clock: DatabaseTime;
  readonly followers: () => readonly FollowerStatus[];
}

/** A process is not ready while a consumer of it is late, or while the source of its events does not answer for as long. */
export const guardEventFlow = ({ readiness, clock, followers }: EventFlowParts): void =>
  readiness.add({
    name: 'events',
    check: () => {
      const now = clock.now().getTime();
      const late = followers().flatMap(follower => lateness(follower, now));
      if (late.length > 0) throw new Error(late.join('; '));
    },
  });

const lateness = ({ consumer, source, oldestAt, unansweredMs }: FollowerStatus, now: number): string[] => {
  const waitingS = oldestAt ? (now - oldestAt.getTime()) / 1_000 : 0;
  if (waitingS > EVENTS_LATE_SECONDS)
    return [`${consumer} has not handled an event of ${source} that is ${Math.round(waitingS)} seconds old`];
  const unansweredS = unansweredMs / 1_000;
  return unansweredS > EVENTS_LATE_SECONDS
    ? [`${source} has not answered ${consumer} for ${Math.round(unansweredS)} seconds`]
    : [];
};
