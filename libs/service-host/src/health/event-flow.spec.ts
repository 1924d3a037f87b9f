import { expect, it } from '@jest/globals';
import type { FollowerStatus } from '@postern/messaging';
import { guardEventFlow } from './event-flow.js';
import { Readiness } from './readiness.js';

/** By the clock of the database, which is a day behind that of this machine. */
const NOW = new Date(Date.now() - 86_400_000);

const problemOf = async (status: Partial<FollowerStatus>): Promise<string | undefined> => {
  const readiness = new Readiness();
  const follower = {
    consumer: 'webhook-dispatch-deliveries',
    source: 'delivery-tracking',
    oldestAt: undefined,
    unansweredMs: 0,
    ...status,
  } as const;
  guardEventFlow({ readiness, clock: { now: () => NOW }, followers: () => [follower] });
  try {
    await readiness.checks[0]?.check();
  } catch (error) {
    return (error as Error).message;
  }
};
const before = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000);

it('A process is not ready while an event of its consumers waits for more than a minute', async () => {
  expect(await problemOf({})).toBeUndefined();
  expect(await problemOf({ oldestAt: before(59) })).toBeUndefined();
  expect(await problemOf({ oldestAt: before(61) })).toBe(
    'webhook-dispatch-deliveries has not handled an event of delivery-tracking that is 61 seconds old',
  );
});

it('A process is not ready while the service whose events it reads does not answer', async () => {
  expect(await problemOf({ unansweredMs: 59_000 })).toBeUndefined();
  expect(await problemOf({ unansweredMs: 61_000 })).toBe(
    'delivery-tracking has not answered webhook-dispatch-deliveries for 61 seconds',
  );
});
