import { rmSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { damageFiles, waitFor } from '@postern/testing';
import PostalMime from 'postal-mime';
import { ownWorld } from '../stories.js';
import { copiesByRecipient, deliveredEmails, type Sent, underLoad } from './load.js';

const LOAD_BEFORE_MS = 1_500;
const LOAD_AFTER_MS = 2_500;
/** Minimum before and after the kill, even on a slow machine. */
const MESSAGES_AT_LEAST = 11;
const RECOVERY_WITHIN_MS = 30_000;
const EVENTS_WITHIN_MS = 60_000;
const STORY_WITHIN_MS = 170_000;

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
const sender = await world.sender('Load', 'crash.test');

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

const accepted = (sent: readonly Sent[]) => sent.filter(({ status }) => status === 'sent');

const killService = async (name: string) => {
  const pid = world.postern.processes()[name];
  if (pid === undefined) throw new Error(`${name} does not run`);
  process.kill(pid, 'SIGKILL');
};

const KILLS: readonly (readonly [story: string, kill: () => Promise<void>])[] = [
  ['email-send', () => killService('email-send')],
  ['the gateway', () => killService('api-gateway')],
  ['delivery-tracking', () => killService('delivery-tracking')],
  ['webhook-dispatch', () => killService('webhook-dispatch')],
  ['platform-management', () => killService('platform-management')],
  ['runtime-agent', () => killService('runtime-agent')],
  ['NATS', () => world.postern.nats.kill()],
  [
    'NATS, with all that it stored',
    async () => {
      await world.postern.nats.kill();
      rmSync(world.postern.home.path('nats'), { recursive: true, force: true });
    },
  ],
  [
    'NATS, with three damaged bytes in each of its files',
    async () => {
      const damaged = damageFiles(world.postern.home.path('nats'), 'flip');
      if (damaged === 0) throw new Error('NATS has no files');
      await pause(LOAD_BEFORE_MS);
      await world.postern.nats.kill();
    },
  ],
  ['PostgreSQL', () => world.postern.postgres.kill()],
];

describe.each(KILLS)('when %s is killed under load', (story, kill) => {
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

describe('when the gateway is killed while delivery-tracking is paused', () => {
  it(
    'the opens and clicks that it answered are recorded',
    async () => {
      const recipient = 'reader@mailboxes.test';
      const message = '<p><a href="https://example.com/">Read</a></p>';
      await world.dashboard.patch(sender.path, { click_tracking: true });
      const { body } = await sender.send({ from: 'load@crash.test', to: [recipient], subject: 'Read me', message });
      const { html = '' } = await PostalMime.parse((await world.mailTo(recipient)).raw);
      const [link, pixel] = [/href="([^"]+)"/, /src="([^"]+)"/].map(pattern => pattern.exec(html)?.[1] ?? 'no link');

      const tracking = world.postern.processes()['delivery-tracking'] as number;
      process.kill(tracking, 'SIGSTOP');
      try {
        expect((await fetch(pixel as string)).status).toBe(200);
        expect((await fetch(link as string, { redirect: 'manual' })).status).toBe(302);
        await killService('api-gateway');
      } finally {
        process.kill(tracking, 'SIGCONT');
      }

      await sender.event('opened', String(body['id']), EVENTS_WITHIN_MS);
      await sender.event('clicked', String(body['id']), EVENTS_WITHIN_MS);
    },
    STORY_WITHIN_MS,
  );
});

const AFTERWARDS = { from: 'load@crash.test', to: ['afterwards@mailboxes.test'], subject: 'Still there', text: 'Yes.' };
