import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inboxPrefixOf, type NatsUser } from '@postern/contracts';
import { natsAuthorization } from '@postern/contracts/nats-permissions';
import { startNats, type TestNats } from '@postern/testing';
import { connectNats, type NatsLink } from '../connection.js';
import type { Log } from '../log.js';

export const passwordOf = (user: NatsUser): string => `of-${user}`;

/** Has every permission. */
export const ADMINISTRATOR = { user: 'admin', password: 'admin' };

/** A server with the users of the installation. */
export const startNatsWithUsers = async (version?: '2.9' | '2.12'): Promise<TestNats> => {
  const conf = join(await mkdtemp(join(tmpdir(), 'postern-nats-users-')), 'nats.conf');
  await writeFile(
    conf,
    natsAuthorization(user => JSON.stringify(passwordOf(user)), [ADMINISTRATOR]),
  );
  return startNats({ args: ['-c', conf], ...(version ? { version } : {}) });
};

/** Connects as a service does. */
export const connectAs = (url: string, user: NatsUser, log: Log): Promise<NatsLink> =>
  connectNats({
    servers: url,
    name: user,
    user,
    password: passwordOf(user),
    inboxPrefix: inboxPrefixOf(user),
    clearText: true,
    log,
  });
