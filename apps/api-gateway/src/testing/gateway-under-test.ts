import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectNats } from '@postern/messaging';
import { startService } from '@postern/service-host';
import { startNats, type TestNats } from '@postern/testing';
import { ApiGatewayModule } from '../api-gateway.module.js';
import { gatewayConfig } from '../config.js';
import { PublicServer } from '../public-server.js';
import { FakeServices } from './fake-services.js';

export const LINK_SECRET = 'one secret of tracking links for specs only';

export interface GatewayUnderTest {
  readonly url: string;
  readonly port: number;
  /** The operator's port. */
  readonly healthUrl: string;
  readonly server: PublicServer;
  readonly services: FakeServices;
  readonly nats: TestNats;
  /** Stops only the gateway; the fake services keep running. */
  stopGateway(): Promise<boolean>;
  stop(): Promise<void>;
}

/** The gateway on free ports, with fake services behind its own NATS server. */
export const startGateway = async (
  environment: Record<string, string> = {},
  output?: Parameters<typeof startService>[2],
): Promise<GatewayUnderTest> => {
  const folder = await mkdtemp(join(tmpdir(), 'postern-gateway-'));
  const settings = join(folder, 'nats.conf');
  await writeFile(settings, 'max_payload: 16777216\n');
  const nats = await startNats({ args: ['-c', settings] });
  const servicesLink = await connectNats({ servers: nats.url, name: 'fake services' });
  const services = new FakeServices(servicesLink);
  await services.start();
  await servicesLink.nc.flush();
  const service = await startService(
    { name: 'api-gateway', config: gatewayConfig, module: ApiGatewayModule },
    {
      POSTERN_NATS_SERVERS: nats.url,
      POSTERN_PORT: '0',
      POSTERN_PUBLIC_URL: 'http://gateway.test',
      POSTERN_LINK_SECRETS: LINK_SECRET,
      POSTERN_DASHBOARD_DIR: join(folder, 'dashboard'),
      POSTERN_LOG_LEVEL: 'silent',
      ...environment,
    },
    output,
  );
  const server = service.app.get(PublicServer, { strict: false });
  const { port } = server;
  return {
    server,
    services,
    nats,
    port,
    url: `http://127.0.0.1:${port}`,
    healthUrl: `http://127.0.0.1:${service.port}`,
    stopGateway: () => service.stop(),
    async stop() {
      await service.stop();
      await services.stop();
      await servicesLink.close();
      await nats.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
