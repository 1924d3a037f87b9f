import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNats, type TestNats } from '@postern/testing';

/** A server with the production setting of messages of up to 16 MiB. */
export const startRoomyNats = async (version?: '2.9' | '2.12'): Promise<TestNats> => {
  const conf = join(await mkdtemp(join(tmpdir(), 'postern-nats-conf-')), 'nats.conf');
  await writeFile(conf, 'max_payload: 16777216\n');
  return startNats({ args: ['-c', conf], ...(version ? { version } : {}) });
};
