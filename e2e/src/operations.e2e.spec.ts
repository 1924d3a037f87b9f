import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { DashboardClient, type RunningPostern, startPostern } from '@postern/local-start';
import { eventually } from '@postern/testing';
import pg from 'pg';
import { sendMarked, stored } from './marked-emails.js';
import { type Answer, postern } from './operator.js';
import { placesOf, tablesWith } from './stored-texts.js';
import { ownWorld } from './stories.js';

const run = (...args: string[]): Promise<Answer> => postern(world.postern, args);

const world = await ownWorld();
const sender = await world.sender('Shop', 'shop.test');

const send = async (to: string): Promise<string> => {
  const { status, body } = await sender.send({
    from: 'a@shop.test',
    to: [to],
    subject: `For ${to}`,
    text: `Dear ${to}`,
  });
  expect(status).toBe(200);
  const id = body['id'] as string;
  await sender.event('delivered', id);
  return id;
};

/** Reverses the sealed DKIM keys, so that they cannot be decrypted; a second call restores them. */
const corruptDkimKeys = async ({ wiring }: RunningPostern): Promise<void> => {
  const client = new pg.Client({ connectionString: wiring.databaseUrl('email-send') });
  await client.connect();
  await client.query(`UPDATE dkim_keys SET sealed_private_key =
    split_part(sealed_private_key, ':', 1) || ':' || reverse(split_part(sealed_private_key, ':', 2))`);
  await client.end();
};

describe('The doctor', () => {
  it('finds no problem in a healthy installation, and sees a test mail return', async () => {
    const { code, printed } = await run('doctor');
    expect(printed).toContain('✓ message from a return path to itself: through 127.0.0.1');
    expect(printed).toMatch(/✓ relay 127\.0\.0\.1:\d+: answers; SMTPUTF8 yes, DSN yes/);
    expect(printed).toContain('✓ queue postern-delivery-tracking-queue: 0 requests wait, 0% full');
    expect(printed).toMatch(/! PostgreSQL backups: .*archive_mode off/);
    expect(printed).toContain(' 0 failed');
    expect(code).toBe(0);
  });

  it('reports which record to publish if one is missing', async () => {
    world.postern.dns.removeText('spf.postern.test');
    const { code, printed } = await run('doctor', '--no-mail');
    world.postern.dns.setText('spf.postern.test', 'v=spf1 ip4:127.0.0.1 -all');
    expect(printed).toContain('✗ SPF host, TXT spf.postern.test: no such record');
    expect(printed).toContain('1 failed');
    expect(code).toBe(1);
  });

  it('names a service that does not respond', async () => {
    const service = world.postern.services.get('webhook-dispatch');
    await service?.stop();
    const { code, printed } = await run('doctor', '--no-mail');
    await service?.start();
    expect(printed).toMatch(/webhook-dispatch\n {2}✗ responds: /);
    expect(code).toBe(1);
  });
});

describe('An operation', () => {
  it.each([
    ['email-send', ['recipients', 'erasures']],
    ['webhook-dispatch', ['projections', 'rebuild', 'email-send']],
    ['api-gateway', ['keys', 'rotate']],
  ] as const)('is refused with the credential of %s: postern %j', async (service, command) => {
    const { code, printed } = await postern(world.postern, command, {
      POSTERN_NATS_USER: service,
      POSTERN_NATS_PASSWORD: world.postern.wiring.natsPasswords[service],
    });
    expect(code).not.toBe(0);
    expect(printed).not.toContain('rebuilt');
  });

  it('reads the credential of the operator from the home of the local start', async () => {
    const { natsUrl: nats_url, natsCaFile: nats_ca_file } = world.postern.wiring;
    writeFileSync(world.postern.home.path('ready.json'), JSON.stringify({ nats_url, nats_ca_file }));
    const nothing = {
      POSTERN_NATS_SERVERS: '',
      POSTERN_NATS_CA_FILE: '',
      POSTERN_NATS_USER: '',
      POSTERN_NATS_PASSWORD: '',
    };
    const { code, printed } = await postern(
      world.postern,
      ['events', 'status', '--home', world.postern.home.folder],
      nothing,
    );
    expect(printed).toMatch(/email-send +delivery-tracking-emails/);
    expect(code).toBe(0);
  });
});

describe('Read models', () => {
  it('are rebuilt while the service responds, and report their progress', async () => {
    const id = await send('bob@customers.test');
    const { code, printed } = await run('projections', 'rebuild', 'delivery-tracking');
    expect(printed).toMatch(/tracked-emails rebuilt[\s\S]*suppressed-addresses rebuilt/);
    expect(code).toBe(0);
    expect((await run('projections', 'status', 'delivery-tracking')).printed).toMatch(/tracked-emails +2 +0 +running/);
    expect((await world.callDashboardApi('GET', `${sender.path}/emails/${id}`)).body).toMatchObject({ id });
  });

  it('are addressed by name', async () => {
    const { code, printed } = await run('projections', 'rebuild', 'delivery-tracking', 'nothing');
    expect(printed).toContain('Its projections are tracked-emails, suppressed-addresses');
    expect(code).toBe(2);
  });
});

it('Every consumer has read the events of the services, and the operator sees it', async () => {
  await eventually(async () => {
    const { printed } = await run('events', 'status');
    expect(printed).toMatch(/email-send +delivery-tracking-emails +0 +0 s/);
    expect(printed).toMatch(/delivery-tracking +webhook-dispatch-deliveries +0 +0 s/);
  });
});

it('A user whom the operator creates can log in', async () => {
  const { email, password } = world.operatorLogin;
  const environment = { POSTERN_OPERATOR_EMAIL: email, POSTERN_OPERATOR_PASSWORD: password };
  const { code, printed } = await postern(world.postern, ['users', 'create', 'bea@example.com'], environment);
  expect(code).toBe(0);
  const given = /^Password: (\S+)$/m.exec(printed)?.[1] ?? '';
  await new DashboardClient(world.postern.baseUrl).login('bea@example.com', given);
});

const leftOvers = (...texts: string[]): Promise<string[]> => placesOf(world.postern, texts);

const tablesOf = (service: 'email-send' | 'webhook-dispatch', text: string): Promise<string[]> =>
  tablesWith(world.postern, service, text);

const kill = (service: string): void => {
  process.kill(world.postern.processes()[service] as number, 'SIGKILL');
};

interface Erased {
  readonly id: string;
  readonly others: string;
  /** Where the address was stored before the erasure. */
  readonly before: readonly string[];
  readonly keys: readonly string[];
  readonly answer: Answer;
}

const sendAndErase = async (address: string, mark: string, outcome: string): Promise<Erased> => {
  const [id, others] = [await sendMarked(sender, address, mark, outcome), await send(`grace-${mark}@customers.test`)];
  const before = await leftOvers(stored(address));
  const keys = await tablesOf('email-send', mark);
  return { id, others, before, keys, answer: await run('recipients', 'erase', address) };
};

describe('Erasing a recipient', () => {
  const RECIPIENTS: [address: string, mark: string, outcome: string][] = [
    ['Ada.m4rk0@customers.test', 'm4rk0', 'delivered'],
    ['Mary-Jane.m4rk1@north-shop.customers.test', 'm4rk1', 'delivered'],
    ['jörg-m4rk2@bücher-und-mehr.test', 'm4rk2', 'delivered'],
    ["o'neil+m4rk3@customers.test", 'm4rk3', 'delivered'],
    ['Hard-Bounce+m4rk6@simulator.test', 'm4rk6', 'bounced'],
  ];
  const erased = new Map<string, Erased>();

  // An erasure waits between its passes, so all run concurrently.
  beforeAll(async () => {
    const erasures = RECIPIENTS.map(async recipient => erased.set(recipient[0], await sendAndErase(...recipient)));
    await Promise.all(erasures);
  }, 150_000);

  it.each(RECIPIENTS)(
    'removes %s from every table, leaves none in the files of NATS, and affects no other address',
    async (address, mark) => {
      const known = stored(address);
      const other = `grace-${mark}@customers.test`;
      const { id, others, before, keys, answer } = erased.get(address)!;
      expect(before).toEqual(
        expect.arrayContaining([
          `email-send event_store.events: ${known}`,
          `delivery-tracking event_store.events: ${known}`,
          `delivery-tracking public.tracked_emails: ${known}`,
          `webhook-dispatch public.deliveries: ${known}`,
        ]),
      );
      expect(keys).toContain('public.idempotency_keys');
      expect(answer.printed).toMatch(/Completed at \S+: the last pass over all services found nothing/);
      expect(answer.printed).toMatch(/email-send +done +.*\d+ events/);
      expect(answer.printed).not.toContain(mark);
      expect(answer.code).toBe(0);
      // The other message names its recipient, whose address contains the mark too.
      const texts = ['case-', 'dear ', 'results of ', 'clinic-', 'person '].map(start => `${start}${mark}`);
      expect(await leftOvers(address, known, ...texts)).toEqual([]);
      expect((await sender.get(id)).body['to']).toEqual([
        expect.stringMatching(/^erased-[0-9a-f]{16}@erased\.invalid$/),
      ]);
      expect((await sender.get(others)).body['to']).toEqual([other]);
      expect(await tablesOf('webhook-dispatch', other)).toEqual(['public.deliveries']);
    },
  );

  it('runs again on request, under the same id and with the same replacement', async () => {
    const first = await run('recipients', 'erase', 'nobody-yet@customers.test');
    expect(first.printed).toMatch(/Completed at/);
    await sendMarked(sender, 'nobody-yet@customers.test', 'm4rk4');
    const second = await run('recipients', 'erase', 'Nobody-Yet@customers.test');
    const nameOf = ({ printed }: Answer) => /^Erasure .*$/m.exec(printed)?.[0];
    expect(nameOf(second)).toBe(nameOf(first));
    expect(second.code).toBe(0);
    expect(await leftOvers('nobody-yet@customers.test', 'm4rk4')).toEqual([]);
  }, 90_000);

  it('reports which service is missing, and completes by itself after services were stopped or killed', async () => {
    await sendMarked(sender, 'lee-m4rk5@customers.test', 'm4rk5');
    const webhooks = world.postern.services.get('webhook-dispatch');
    await webhooks?.stop();
    const { code, printed } = await run('recipients', 'erase', 'lee-m4rk5@customers.test', '--wait', '3');
    expect(code).toBe(1);
    expect(printed).toMatch(/webhook-dispatch +failed +nothing +webhook-dispatch is not running/);
    const [, id = ''] = /postern recipients erasure (\S+)/.exec(printed) ?? [];
    for (const service of ['email-send', 'delivery-tracking']) kill(service);
    await webhooks?.start();
    await eventually(async () => expect((await run('recipients', 'erasure', id)).printed).toContain('Completed at'), {
      timeoutMs: 90_000,
    });
    expect((await run('recipients', 'erasures')).printed).toMatch(new RegExp(`^${id} +completed`, 'm'));
    expect(await leftOvers('lee-m4rk5@customers.test', 'm4rk5')).toEqual([]);
  }, 150_000);

  it('refuses an invalid address', async () => {
    const { code, printed } = await run('recipients', 'erase', 'ada@');
    expect(printed).toContain('malformed address');
    expect(code).toBe(2);
  });
});

describe('A copy of the stopped PostgreSQL', () => {
  it('is sufficient to continue elsewhere, with a new key in addition to the old one', async () => {
    const id = await send('carl@customers.test');
    const { home } = world.postern;
    await world.postern.stop();
    const folder = mkdtempSync(join(tmpdir(), 'postern-restored-'));
    // Web services run as other users, who need access to the folder.
    chmodSync(folder, 0o755);
    // PostgreSQL requires the file ownership to be kept. NATS is not copied.
    execFileSync('cp', ['-a', home.path('postgres'), home.path('secrets.json'), folder]);

    const [old, young] = [home.secrets().encryptionKey, `young:${randomBytes(32).toString('base64')}`];
    const withKeys = (...keys: string[]) => {
      const environment = { POSTERN_ENCRYPTION_KEYS: keys.join(',') };
      return startPostern({
        home: folder,
        port: 0,
        environment: { 'email-send': environment, 'webhook-dispatch': environment, 'platform-management': environment },
      });
    };
    try {
      const restored = await withKeys(young, old);
      expect((await postern(restored, ['keys', 'status'])).printed).toMatch(/dkim_keys\S+ +local +1 +older/);
      await corruptDkimKeys(restored);
      const partly = await postern(restored, ['keys', 'rotate']);
      expect(partly.printed).toMatch(/cannot decrypt dkim_keys\.\S+ [0-9a-f-]{36}$/m);
      expect(partly.code).toBe(1);
      await corruptDkimKeys(restored);
      const rotated = await postern(restored, ['keys', 'rotate']);
      expect(rotated.printed).toContain('No values use local any more');
      expect(rotated.code).toBe(0);
      await restored.stop();

      const later = await withKeys(young);
      const answer = await fetch(`${later.baseUrl}/emails/${id}`, { headers: { 'api-key': sender.apiKey } });
      expect(await answer.json()).toMatchObject({ id, to: ['carl@customers.test'] });
      const sent = await fetch(`${later.baseUrl}/emails`, {
        method: 'POST',
        headers: { 'api-key': sender.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ from: 'a@shop.test', to: ['carl@customers.test'], subject: 'Again', text: 'Hello.' }),
      });
      expect(sent.status).toBe(200);
      // Signed with the domain's key, which can now be decrypted with the new key alone.
      const mails = await fetch(`${later.mailboxUrl}/messages?to=carl@customers.test`);
      expect(((await mails.json()) as { raw: string }[]).at(-1)?.raw).toMatch(/^DKIM-Signature:/m);
      await later.stop();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 180_000);
});
