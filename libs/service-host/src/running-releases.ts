import { setTimeout as delay } from 'node:timers/promises';
import { NATS_USERS, type NatsUser, RELEASE_ANSWERS, releaseQueriesOf } from '@postern/contracts';
import type { NatsLink } from '@postern/messaging';
import { z } from 'zod';

/** Replicas answer within milliseconds; the wait is for those that are busy. */
const WAIT_MS = 1_500;

const release = z.object({ service: z.string(), version: z.string().min(1).max(100), contract: z.unknown() });

/** A release that runs, and the number of processes that run it. */
export type RunningRelease = z.output<typeof release> & { readonly processes: number };

/** Asks every process which release it runs. A process that does not answer in time is missing. */
export const runningReleases = async (link: NatsLink, waitMs = WAIT_MS): Promise<readonly RunningRelease[]> => {
  const answers = await Promise.all(
    NATS_USERS.filter(user => user !== 'operator').map(user => answersOf(link, user, waitMs)),
  );
  const byName = Map.groupBy(answers.flat(), ({ service, version }) => `${service}@${version}`);
  return [...byName.values()].map(same => ({ ...(same[0] as z.output<typeof release>), processes: same.length }));
};

const answersOf = async (
  link: NatsLink,
  service: NatsUser,
  waitMs: number,
): Promise<readonly z.output<typeof release>[]> => {
  const inbox = link.newInbox(RELEASE_ANSWERS, service);
  const found: z.output<typeof release>[] = [];
  const { promise: nobody, resolve } = Promise.withResolvers<void>();
  const subscription = link.subscribe(inbox, message => {
    if (message.headers?.code === 503) {
      resolve();
      return;
    }
    const answer = release.safeParse(parsed(message.string()));
    if (answer.success && answer.data.service === service) found.push(answer.data);
  });
  const waiting = new AbortController();
  link.nc.publish(releaseQueriesOf(service), '', { reply: inbox });
  await Promise.race([nobody, delay(waitMs, undefined, { signal: waiting.signal }).catch(() => undefined)]);
  waiting.abort();
  subscription.unsubscribe();
  return found;
};

/** Undefined for a text that is not JSON. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
