import { afterEach, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { startNats, type TestNats } from './nats.js';

describe.each(['2.9', '2.12'] as const)('a NATS server %s for a test', version => {
  let nats: TestNats | undefined;
  let connection: NatsConnection | undefined;
  afterEach(async () => {
    await connection?.close();
    await nats?.stop();
  });

  async function publish(server: TestNats): Promise<number> {
    connection = await connect({ servers: server.url });
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: 'mail', subjects: ['mail.>'] }).catch(() => undefined);
    await jetstream(connection).publish('mail.sent', 'x');
    const { state } = await manager.streams.info('mail');
    await connection.close();
    return state.messages;
  }

  it('runs the requested release with JetStream', async () => {
    nats = await startNats({ version });
    expect(nats.version.startsWith(`${version}.`)).toBe(true);
    expect(await publish(nats)).toBe(1);
  });

  it('restarts at the same address with its streams after SIGKILL', async () => {
    nats = await startNats({ version });
    await publish(nats);
    await nats.kill();
    await expect(connect({ servers: nats.url, reconnect: false })).rejects.toThrow();
    await nats.restart();
    expect(await publish(nats)).toBe(2);
  });

  it('restarts without streams when its disk is wiped', async () => {
    nats = await startNats({ version });
    await publish(nats);
    await nats.restart({ wipe: true });
    expect(await publish(nats)).toBe(1);
  });
});
