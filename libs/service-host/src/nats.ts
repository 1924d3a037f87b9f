import { inboxPrefixOf, type NatsUser } from '@postern/contracts';
import { connectNats, type Log, type NatsLink, RequestClient } from '@postern/messaging';
import type { HostConfig } from './config/define-config.js';
import type { ReadinessCheck } from './health/readiness.js';

/** The connection of a service to NATS. */
export interface NatsConnection {
  readonly link: NatsLink;
  readonly requests: RequestClient;
  /** Whether the service can work; by default, whether NATS responds. */
  readonly check?: ReadinessCheck['check'];
}

/** The settings of a connection to NATS. */
export type NatsSettings = Pick<HostConfig, 'natsServers' | 'natsClearText' | 'natsMinPayloadBytes'> &
  Partial<Pick<HostConfig, 'natsUser' | 'natsPassword' | 'natsToken' | 'natsCaFile' | 'natsCertFile' | 'natsKeyFile'>>;

/** Connects to NATS as one of its users and creates a request client, as configured. */
export const connectWith = async (config: NatsSettings, name: NatsUser, log: Log): Promise<NatsConnection> => {
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

const tlsOf = ({ natsCaFile, natsCertFile, natsKeyFile }: NatsSettings) =>
  natsCaFile || natsCertFile
    ? {
        ...(natsCaFile ? { caFile: natsCaFile } : {}),
        ...(natsCertFile ? { certFile: natsCertFile } : {}),
        ...(natsKeyFile ? { keyFile: natsKeyFile } : {}),
      }
    : undefined;
