import { inboxPrefixOf, type NatsUser } from '@postern/contracts';
import { connectNats, type Log, type NatsLink, RequestClient } from '@postern/messaging';
import type { HostConfig } from './config/define-config.js';

/** Connects to NATS as one of its users and creates a request client, as configured. */
export const connectWith = async (
  config: HostConfig,
  name: NatsUser,
  log: Log,
): Promise<{ link: NatsLink; requests: RequestClient }> => {
  const link = await connectNats({
    servers: config.natsServers,
    name,
    log,
    user: config.natsUser,
    password: config.natsPassword?.reveal(),
    token: config.natsToken?.reveal(),
    neededPayloadBytes: config.natsMinPayloadBytes,
    inboxPrefix: inboxPrefixOf(name),
    tls: tlsOf(config),
    clearText: config.natsClearText,
  });
  return { link, requests: new RequestClient(link) };
};

const tlsOf = ({ natsCaFile, natsCertFile, natsKeyFile }: HostConfig) =>
  natsCaFile || natsCertFile
    ? {
        ...(natsCaFile ? { caFile: natsCaFile } : {}),
        ...(natsCertFile ? { certFile: natsCertFile } : {}),
        ...(natsKeyFile ? { keyFile: natsKeyFile } : {}),
      }
    : undefined;
