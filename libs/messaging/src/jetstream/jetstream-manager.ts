import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import type { NatsLink } from '../connection.js';

/** The JetStream management API, if the server is recent enough. */
export const suitableManager = async (link: NatsLink): Promise<JetStreamManager> => {
  const version = link.nc.info?.version ?? '0.0.0';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 2 || (major === 2 && minor < 9))
    throw new Error(`nats-server ${version} is too old: 2.9 or later is required`);
  return jetstreamManager(link.nc, { checkAPI: false, timeout: 2_000 });
};
