import { beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { ownWorld } from '../stories.js';
import type { Sender, World } from '../world.js';
import { copiesByRecipient, deliveredEmails, type Sent, underLoad } from './load.js';

export const LOAD_BEFORE_MS = 1_500;
const LOAD_AFTER_MS = 2_500;
/** Minimum before and after the kill, even on a slow machine. */
const MESSAGES_AT_LEAST = 11;
const RECOVERY_WITHIN_MS = 30_000;
export const EVENTS_WITHIN_MS = 60_000;
export const STORY_WITHIN_MS = 170_000;

export interface LoadedWorld {
  readonly world: World;
  readonly sender: Sender;
}

/** A separate Postern, and a production service whose limits the load does not reach. */
export const loadedWorld = async (): Promise<LoadedWorld> => {
  const world = await ownWorld({
    environment: {
      'email-send': {
        POSTERN_PRODUCTION_PER_MINUTE_LIMIT: '1000000',
        POSTERN_PRODUCTION_DAILY_START: '1000000',
        POSTERN_QUOTA_CEILING: '1000000',
      },
    },
    simulator: { POSTERN_SIMULATOR_KEEP_MESSAGES: '50000' },
  });
  return { world, sender: await world.sender('Load', 'crash.test') };
};

export const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

const accepted = (sent: readonly Sent[]) => sent.filter(({ status }) => status === 'sent');

export const killService = async ({ postern }: World, name: string) => {
  const pid = postern.processes()[name];
  if (pid === undefined) throw new Error(`${name} does not run`);
  process.kill(pid, 'SIGKILL');
};

/** Kills a part of a Postern under load, and checks that no message was lost or sent twice. */
export const describeKill = ({ world, sender }: LoadedWorld, story: string, kill: () => Promise<void>) =>
  describe(`when ${story} is killed under load`, () => {
    let sent: readonly Sent[];

    beforeAll(async () => {
      const name = story.toLowerCase().replaceAll(/[^a-z]+/g, '-');
      sent = await underLoad(sender, name, async soFar => {
        const untilMoreGoThrough = () => {
          const enough = accepted(soFar).length + MESSAGES_AT_LEAST;
          return waitFor(() => accepted(soFar).length >= enough, {
            timeoutMs: RECOVERY_WITHIN_MS,
            intervalMs: 50,
            describe: () => `${enough} messages to go through, of ${soFar.length} that were answered`,
          });
        };
        await Promise.all([pause(LOAD_BEFORE_MS), untilMoreGoThrough()]);
        await kill();
        await Promise.all([pause(LOAD_AFTER_MS), untilMoreGoThrough()]);
      });
      await waitFor(async () => (await sender.send(AFTERWARDS).catch(() => undefined))?.status === 200, {
        timeoutMs: RECOVERY_WITHIN_MS,
        intervalMs: 250,
        describe: 'a message to go through again',
      });
    }, STORY_WITHIN_MS);

    const answered = () => accepted(sent);

    it('messages are sent before and after', () => expect(answered().length).toBeGreaterThan(20));

    it('every message with a response of 200 has its record', async () => {
      const copies = await copiesByRecipient(world.postern.mailboxUrl);
      for (const { id, status, recipient } of sent.filter(message => message.id !== undefined)) {
        const { status: code, body } = await sender.get(id as string);
        // An unknown outcome becomes `sent` when a delivery notification proves it.
        const proven = status === 'failed' && body['status'] === 'sent' && copies.get(recipient) === 1;
        expect({ id, code, status: body['status'] }).toEqual({ id, code: 200, status: proven ? 'sent' : status });
      }
    });

    it('every accepted message was handed to the relay exactly once', async () => {
      const copies = await copiesByRecipient(world.postern.mailboxUrl);
      expect(answered().filter(({ recipient }) => copies.get(recipient) !== 1)).toEqual([]);
      expect(sent.filter(({ recipient }) => (copies.get(recipient) ?? 0) > 1)).toEqual([]);
    });

    it('a message with an unknown outcome is reported as unknown', () => {
      for (const { status, message } of sent.filter(({ status }) => status === 'failed'))
        expect({ status, message }).toEqual({ status: 'failed', message: expect.stringContaining('outcome unknown') });
    });

    it(
      'every accepted message has its delivered event',
      async () => {
        const missing = () => {
          const delivered = deliveredEmails(sender);
          return answered().filter(({ id }) => !delivered.has(id as string));
        };
        await waitFor(() => missing().length === 0, {
          timeoutMs: EVENTS_WITHIN_MS,
          intervalMs: 200,
          describe: () => `the events of ${missing().length} of ${answered().length} messages`,
        });
      },
      STORY_WITHIN_MS,
    );
  });

const AFTERWARDS = { from: 'load@crash.test', to: ['afterwards@mailboxes.test'], subject: 'Still there', text: 'Yes.' };
