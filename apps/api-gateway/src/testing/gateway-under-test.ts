import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectNats, RequestClient } from '@postern/messaging';
import { startNats } from '@postern/testing';
import { NatsServices } from '../adapters/nats/nats-services.js';
import type { GatewayConfig } from '../config.js';
import { createGateway, type Gateway } from '../gateway.js';
import { Readiness, Services, TrackingLinks } from '../ports.js';
import { FakeServices } from './fake-services.js';

export interface GatewayUnderTest extends Gateway {
  readonly url: string;
  readonly port: number;
  readonly services: FakeServices;
  stop(): Promise<void>;
}

/** The gateway on a free port, in front of faked services that answer over a NATS server of the test's own. */
export const startGateway = async (changes: Partial<GatewayConfig> = {}): Promise<GatewayUnderTest> => {
  const folder = await mkdtemp(join(tmpdir(), 'postern-gateway-'));
  const settings = join(folder, 'nats.conf');
  await writeFile(settings, 'max_payload: 16777216\n');
  const nats = await startNats({ args: ['-c', settings] });
  const theirs = await connectNats({ servers: nats.url, name: 'fake services' });
  const ours = await connectNats({ servers: nats.url, name: 'api-gateway', neededPayloadBytes: 16 * 1024 * 1024 });
  const services = new FakeServices(theirs);
  await services.start();
  await theirs.nc.flush();
  const client = new RequestClient(ours);
  const config: GatewayConfig = {
    publicUrl: 'http://gateway.test',
    dashboardDir: folder,
    trustedProxies: [],
    maxConnections: 1_000,
    headersTimeoutMs: 10_000,
    requestTimeoutMs: 60_000,
    ...changes,
  };
  const gateway = await createGateway(config, [
    { provide: Services, useValue: new NatsServices(client) },
    { provide: TrackingLinks, useValue: { copyOfPixel: () => undefined, copyAndTargetOfLink: () => undefined } },
    { provide: Readiness, useValue: { isReady: () => true } },
  ]);
  await gateway.app.listen(0, '127.0.0.1');
  const { port } = gateway.app.getHttpServer().address() as AddressInfo;
  return {
    ...gateway,
    services,
    port,
    url: `http://127.0.0.1:${port}`,
    async stop() {
      await gateway.app.close();
      client.close();
      await services.stop();
      await ours.close();
      await theirs.close();
      await nats.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
