import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  authenticateSession,
  changePassword,
  createSession,
  createUser,
  createWorkspace,
  endSession,
  getMe,
  switchWorkspace,
} from '@postern/contracts';
import { migrateEventStore, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { connectNats, type NatsLink, RequestClient } from '@postern/messaging';
import { Database, type RunningService, startService } from '@postern/service-host';
import { startNats, startPostgres, type TestNats, type TestPostgres } from '@postern/testing';
import { config } from './config.js';
import { PlatformManagementModule } from './platform-management.module.js';

const OPERATOR = { email: 'Owner@Example.com', password: 'a long enough password' };

let postgres: TestPostgres;
let nats: TestNats;
let replicas: RunningService[];
let link: NatsLink;
let client: RequestClient;

beforeAll(async () => {
  [postgres, nats] = await Promise.all([startPostgres({ durable: false }), startNats()]);
  const environment = {
    POSTERN_NATS_SERVERS: nats.url,
    POSTERN_DATABASE_URL: await postgres.createDatabase(),
    POSTERN_HTTP_PORT: '0',
    POSTERN_LOG_LEVEL: 'silent',
    POSTERN_OPERATOR_EMAIL: OPERATOR.email,
    POSTERN_OPERATOR_PASSWORD: OPERATOR.password,
  };
  const start = () =>
    startService(
      {
        name: 'platform-management',
        config,
        module: PlatformManagementModule,
        database: {
          directory: new URL('../../../prisma/platform-management/migrations', import.meta.url),
          afterwards: migrateEventStore,
        },
      },
      environment,
    );
  replicas = await Promise.all([start(), start()]);
  link = await connectNats({ servers: nats.url, name: 'test' });
  client = new RequestClient(link);
}, 90_000);

afterAll(async () => {
  await Promise.all(replicas.map(replica => replica.stop()));
  await link.close();
  await nats.stop();
  await postgres.stop();
});

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');
const logIn = (email: string, password: string, ip = '192.0.2.1') =>
  client.request(createSession, { email, password, ip });
const whoIs = (token: string) => client.request(authenticateSession, { token_hash: hashOf(token) });
const query = async <Row>(text: string) =>
  (await replicas[0]!.app.get(Database, { strict: false }).pool.query(text)).rows as Row[];

let users = 0;
const newUser = async () => {
  const email = `user-${++users}@example.com`;
  const { token } = await logIn(OPERATOR.email, OPERATOR.password);
  const { user_id } = await whoIs(token);
  const password = 'another long password';
  return { ...(await client.request(createUser, { actor_id: user_id, email, password })), password };
};

describe('the first operator', () => {
  it('is made once, however many replicas start', async () =>
    expect(await query('SELECT email, operator FROM users')).toEqual([{ email: 'owner@example.com', operator: true }]));

  it('logs in, whatever the case of the address, and acts in a workspace', async () => {
    const { token } = await logIn('OWNER@example.com', OPERATOR.password);
    const session = await whoIs(token);
    expect(session).toMatchObject({ email: 'owner@example.com', operator: true });
    expect(await client.request(getMe, session)).toMatchObject({ active_workspace: { name: 'Default' } });
  });
});

describe('a session', () => {
  it('ends when its user logs out', async () => {
    const { token } = await logIn(OPERATOR.email, OPERATOR.password);
    await client.request(endSession, { token_hash: hashOf(token) });
    await expect(whoIs(token)).rejects.toMatchObject({ code: 'session_invalid' });
  });

  it('ends when it expires', async () => {
    const { token } = await logIn(OPERATOR.email, OPERATOR.password);
    await query(`UPDATE sessions SET expires_at = now() WHERE token_hash = '${hashOf(token)}'`);
    await expect(whoIs(token)).rejects.toMatchObject({ code: 'session_invalid' });
  });

  it('moves to another workspace of its user and to no other', async () => {
    const { email, password, id } = await newUser();
    const { token } = await logIn(email, password);
    const mine = await client.request(createWorkspace, { user_id: id, name: 'Second' });
    const foreign = await newUser();

    await client.request(switchWorkspace, { token_hash: hashOf(token), workspace_id: mine.id });
    expect(await whoIs(token)).toMatchObject({ workspace_id: mine.id });
    await expect(
      client.request(switchWorkspace, { token_hash: hashOf(token), workspace_id: foreign.workspaces[0]!.id }),
    ).rejects.toMatchObject({ code: 'workspace_not_found' });
  });
});

describe('a wrong password', () => {
  it('is refused in the same words as an unknown user', async () => {
    const { email } = await newUser();
    const wrong = await logIn(email, 'guess', '192.0.2.2').catch(error => error);
    const unknown = await logIn('nobody@example.com', 'guess', '192.0.2.2').catch(error => error);
    expect(wrong).toMatchObject({ code: 'credentials_wrong' });
    expect(unknown.message).toBe(wrong.message);
  });

  it('is looked at ten times at most, also when thirty come at once; the right one has to wait then too', async () => {
    const { email, password } = await newUser();
    const guesses = await Promise.all(
      Array.from({ length: 30 }, (_, n) => logIn(email, `guess ${n}`, `198.51.100.${n}`).catch(error => error.code)),
    );
    expect(guesses.filter(code => code === 'credentials_wrong')).toHaveLength(10);
    expect(guesses.filter(code => code === 'too_many_attempts')).toHaveLength(20);
    await expect(logIn(email, password)).rejects.toMatchObject({ code: 'too_many_attempts' });
  });

  it('is refused to an address that tries one account after the other', async () => {
    const codes = [];
    for (let n = 0; n < 51; n++)
      codes.push(await logIn(`victim-${n}@example.com`, 'guess', '203.0.113.9').catch(error => error.code));
    expect(codes.slice(0, 50).every(code => code === 'credentials_wrong')).toBe(true);
    expect(codes[50]).toBe('too_many_attempts');
  }, 60_000);

  it('is forgiven by a right one', async () => {
    const { email, password } = await newUser();
    for (let n = 0; n < 9; n++) await logIn(email, 'guess', '192.0.2.3').catch(() => undefined);
    await logIn(email, password, '192.0.2.3');
    await expect(logIn(email, 'guess', '192.0.2.3')).rejects.toMatchObject({ code: 'credentials_wrong' });
  });
});

describe('creating a user', () => {
  it('is for operators only', async () => {
    const { id } = await newUser();
    await expect(
      client.request(createUser, { actor_id: id, email: 'x@example.com', password: 'long enough, really' }),
    ).rejects.toMatchObject({ code: 'not_an_operator' });
  });

  it('succeeds once when ten ask for the same address', async () => {
    const { user_id } = await whoIs((await logIn(OPERATOR.email, OPERATOR.password)).token);
    const request = { actor_id: user_id, email: 'wanted@example.com', password: 'long enough, really' };
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () =>
        client.request(createUser, request).then(
          () => 'made',
          error => error.code,
        ),
      ),
    );
    expect(outcomes.filter(outcome => outcome === 'made')).toHaveLength(1);
    expect(outcomes.filter(outcome => outcome === 'user_exists')).toHaveLength(9);
  });

  it.each(['nobody', 'a@b', 'a b@example.com'])('refuses the address %j', async email => {
    const { user_id } = await whoIs((await logIn(OPERATOR.email, OPERATOR.password)).token);
    await expect(
      client.request(createUser, { actor_id: user_id, email, password: 'long enough, really' }),
    ).rejects.toMatchObject({ code: 'invalid_input', message: expect.stringContaining('email') });
  });
});

it('a change of password needs the present one and ends every session', async () => {
  const { email, password, id } = await newUser();
  const { token } = await logIn(email, password);
  const change = (current: string) =>
    client.request(changePassword, { user_id: id, current_password: current, new_password: 'a brand new password' });

  await expect(change('not it')).rejects.toMatchObject({ code: 'credentials_wrong' });
  await change(password);
  await expect(whoIs(token)).rejects.toMatchObject({ code: 'session_invalid' });
  await expect(logIn(email, password)).rejects.toMatchObject({ code: 'credentials_wrong' });
  await logIn(email, 'a brand new password');
});

it('no password and no hash is in an event', async () => {
  const events = await query<{ data: object }>('SELECT data FROM event_store.events');
  expect(JSON.stringify(events)).not.toMatch(/argon2|password"|long enough/);
});

it('the read model of accounts can be rebuilt from the events', async () => {
  const rows = () => query('SELECT * FROM users NATURAL JOIN memberships m ORDER BY 1, 2');
  const before = await rows();
  await replicas[0]!.app.get(ProjectionRunner, { strict: false }).rebuild('accounts');
  expect(await rows()).toEqual(before);
});
