import { rmSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { ownWorld } from '../stories.js';
import { copiesByRecipient, deliveredEmails, type Sent, underLoad } from './load.js';

const LOAD_BEFORE_MS = 1_500;
const LOAD_AFTER_MS = 2_500;
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
  ['PostgreSQL', () => world.postern.postgres.kill()],
];

describe.each(KILLS)('when %s is killed under load', (story, kill) => {
  let sent: readonly Sent[];

  beforeAll(async () => {
    const name = story.toLowerCase().replaceAll(/[^a-z]+/g, '-');
    sent = await underLoad(sender, name, async () => {
      await new Promise(resolve => setTimeout(resolve, LOAD_BEFORE_MS));
      await kill();
      await new Promise(resolve => setTimeout(resolve, LOAD_AFTER_MS));
    });
    await waitFor(async () => (await sender.send(AFTERWARDS).catch(() => undefined))?.status === 200, {
      timeoutMs: RECOVERY_WITHIN_MS,
      intervalMs: 250,
      describe: 'a message to go through again',
    });
  }, STORY_WITHIN_MS);

  const answered = () => sent.filter(({ status }) => status === 'sent');

  it('messages go through before and after', () => expect(answered().length).toBeGreaterThan(20));

  it('every message with an answer of 200 has its record', async () => {
    const copies = await copiesByRecipient(world.postern.mailboxUrl);
    for (const { id, status, recipient } of sent.filter(message => message.id !== undefined)) {
      const { status: code, body } = await sender.get(id as string);
      // An unknown outcome becomes `sent` when a delivery notification proves it.
      const proven = status === 'failed' && body['status'] === 'sent' && copies.get(recipient) === 1;
      expect({ id, code, status: body['status'] }).toEqual({ id, code: 200, status: proven ? 'sent' : status });
    }
  });

  it('every accepted message was handed to the relay exactly once, and none twice', async () => {
    const copies = await copiesByRecipient(world.postern.mailboxUrl);
    expect(answered().filter(({ recipient }) => copies.get(recipient) !== 1)).toEqual([]);
    expect(sent.filter(({ recipient }) => (copies.get(recipient) ?? 0) > 1)).toEqual([]);
  });

  it('a message whose outcome is unknown says so', () => {
    for (const { status, message } of sent.filter(({ status }) => status === 'failed'))
      expect({ status, message }).toEqual({ status: 'failed', message: expect.stringContaining('outcome unknown') });
  });

  it(
    'every accepted message has its delivered event',
    async () => {
      const missing = () => {
        const told = deliveredEmails(sender);
        return answered().filter(({ id }) => !told.has(id as string));
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
