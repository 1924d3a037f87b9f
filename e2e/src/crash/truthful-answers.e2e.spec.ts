import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSmtpSink, type TestSmtp, waitFor } from '@postern/testing';
import { type ApiAnswer, type Sender, World } from '../world.js';

const STORY_WITHIN_MS = 150_000;
/** The retry pauses of the specification. */
const RETRY_PAUSES_MS = [1_000, 2_000, 4_000, 8_000];
const CLIENTS = 10;

let relay: TestSmtp;
let world: World;
let sender: Sender;

beforeAll(async () => {
  relay = await startSmtpSink();
  world = await World.start({
    environment: {
      'api-gateway': { POSTERN_ANSWER_WITHIN_MS: '6000' },
      'email-send': {
        POSTERN_RELAYS: `smtp://127.0.0.1:${relay.port}?tls=none`,
        POSTERN_PRODUCTION_PER_MINUTE_LIMIT: '1000000',
        POSTERN_PRODUCTION_DAILY_START: '1000000',
        POSTERN_QUOTA_CEILING: '1000000',
      },
    },
  });
  sender = await world.sender('Shop', 'shop.test');
}, 120_000);

afterAll(async () => {
  await world?.stop();
  await relay?.stop();
});

const emailTo = (address: string) => ({
  from: 'Shop <orders@shop.test>',
  to: [address],
  subject: 'Your receipt',
  text: 'You paid 42 €.',
});

const copiesTo = (address: string) =>
  relay.messages.filter(({ to }) => to.some(recipient => recipient.address === address)).length;

const kill = (name: string): number => {
  const pid = world.postern.processes()[name];
  if (pid === undefined) throw new Error(`${name} does not run`);
  process.kill(pid, 'SIGKILL');
  return pid;
};

const isBack = (name: string, killed: number) =>
  waitFor(() => ![undefined, killed].includes(world.postern.processes()[name]), {
    timeoutMs: 30_000,
    intervalMs: 50,
    describe: `${name} to be started again`,
  });

/** Sends a message; a broken connection counts as no response. */
const send = (address: string): Promise<ApiAnswer | undefined> => sender.send(emailTo(address)).catch(() => undefined);

describe('a message whose response is lost because email-send is paused', () => {
  const address = 'paused@customers.test';
  let unknown: ApiAnswer | undefined;

  beforeAll(async () => {
    relay.answer({ stage: 'data', address, delayMs: 1_000, times: 1 });
    const answer = send(address);
    await waitFor(() => relay.counters.received > 0, { timeoutMs: 10_000, intervalMs: 5, describe: 'the hand-over' });
    process.kill(world.postern.processes()['email-send'] as number, 'SIGSTOP');
    unknown = await answer;
  }, STORY_WITHIN_MS);

  it('is answered at the deadline with 503, its id, and an unknown outcome', () => {
    expect(unknown?.status).toBe(503);
    const id = unknown?.headers.get('email-id');
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(unknown?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(unknown?.body).toEqual({ error: expect.stringMatching(new RegExp(`unknown.*GET /emails/${id}`)) });
  });

  it(
    'is replayed to a retry, also after gateway and email-send were killed; nothing is sent twice',
    async () => {
      const killed = ['email-send', 'api-gateway'].map(name => [name, kill(name)] as const);
      for (const [name, pid] of killed) await isBack(name, pid);
      const retry = await waitFor(
        async () => {
          const answer = await send(address);
          return answer?.status === 200 ? answer : undefined;
        },
        { timeoutMs: 60_000, intervalMs: 1_000, describe: 'the retry to be answered' },
      );
      expect(retry.headers.get('idempotent-replayed')).toBe('true');
      expect(retry.body['id']).toBe(unknown?.headers.get('email-id'));
      expect(copiesTo(address)).toBe(1);
      expect((await sender.get(retry.body['id'] as string)).body).toEqual(retry.body);
    },
    STORY_WITHIN_MS,
  );

  it(
    'is complete after the retry: the same message again is a new message',
    async () => {
      // The response is confirmed shortly after it was sent.
      await waitFor(async () => (await send(address))?.headers.get('idempotent-replayed') === null, {
        timeoutMs: 20_000,
        intervalMs: 300,
        describe: 'the same body to be another message',
      });
      expect(copiesTo(address)).toBe(2);
    },
    STORY_WITHIN_MS,
  );
});

/** Sends with the retries that the specification recommends, without a key. */
const sendWithRetries = async (address: string): Promise<ApiAnswer | undefined> => {
  let answer = await send(address);
  for (const pauseMs of RETRY_PAUSES_MS) {
    if (answer === undefined || (answer.status < 500 && answer.status !== 429)) return answer;
    await new Promise(resolve => setTimeout(resolve, pauseMs));
    answer = await send(address);
  }
  return answer;
};

describe.each<[string, () => Promise<unknown>]>([
  ['NATS', () => world.postern.nats.kill()],
  ['email-send', async () => kill('email-send')],
])('when %s is killed while clients send and retry as specified', (story, killIt) => {
  const answers = new Map<string, ApiAnswer | undefined>();

  beforeAll(async () => {
    let going = true;
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let n = 0; going; n++) {
        const address = `${story.toLowerCase()}-${client}-${n}@customers.test`;
        answers.set(address, await sendWithRetries(address));
      }
    });
    await waitFor(() => answers.size > 50, { timeoutMs: 30_000, intervalMs: 20, describe: 'messages before the kill' });
    const before = answers.size;
    await killIt();
    await waitFor(() => answers.size > before + 100, {
      timeoutMs: 90_000,
      intervalMs: 50,
      describe: 'messages after it',
    });
    going = false;
    await Promise.all(clients);
  }, STORY_WITHIN_MS);

  it('no message reaches the relay twice', () =>
    expect([...answers.keys()].filter(address => copiesTo(address) > 1)).toEqual([]));

  it('every message whose record is `sent` reached the relay', () => {
    const sent = [...answers].filter(([, answer]) => answer?.status === 200 && answer.body['status'] === 'sent');
    expect(sent.length).toBeGreaterThan(100);
    expect(sent.filter(([address]) => copiesTo(address) !== 1)).toEqual([]);
  });

  it('a 503 without Email-Id means that nothing was sent', () => {
    const refused = [...answers].filter(
      ([, answer]) => answer && answer.status >= 500 && answer.headers.get('email-id') === null,
    );
    expect(refused.filter(([address]) => copiesTo(address) > 0)).toEqual([]);
  });
});
