import { hash } from 'node:crypto';
import {
  authenticateApiKey,
  authenticateSession,
  createSession,
  findCaller,
  Refusal,
  recordOpen,
  sendEmail,
} from '@postern/contracts';
import { startService } from '@postern/service-host';
import { apiGateway } from '../api-gateway.module.js';
import { PublicServer } from '../public-server.js';
import { SubmissionListener } from '../submission/submission-listener.js';
import { RECORD, RATE_LIMIT as SENDING_LIMIT } from './email-call.js';
import { type Surroundings, startDependencies } from './gateway-under-test.js';
import { admitAll } from './platform-call.js';

/** A cell of fake services with one tenant. */
export interface FakeCell extends Surroundings {
  readonly name: string;
  readonly linkSecret: string;
  readonly email: string;
  readonly apiKey: string;
  readonly platformKey: string;
  readonly managementKey: string;
  readonly session: string;
  readonly hook: string;
  /** Contract names of the requests that it has got. */
  received(): readonly string[];
}

export const sha256 = (secret: string): string => hash('sha256', secret);

const startCell = async (name: string, letter: string): Promise<FakeCell> => {
  const surroundings = await startDependencies();
  const secret = letter.repeat(43);
  return {
    ...surroundings,
    name,
    linkSecret: `${name} signs its links with this secret only`,
    email: `owner@${name}.example`,
    apiKey: `em_live_${secret}`,
    platformKey: `ak_live_${secret}`,
    managementKey: `em_admin_${secret}`,
    session: `st_live_${secret}`,
    hook: `dh_live_${secret}`,
    received: () => surroundings.services.received.map(({ contract }) => contract),
  };
};

/** Lets the services of a cell know its tenant and nobody else. */
export const knowTenant = (cell: FakeCell): void => {
  const { services, email, apiKey, platformKey, managementKey, session, hook } = cell;
  admitAll(services);
  const known = new Set([email, ...[platformKey, managementKey, session, hook].map(sha256)]);
  services.on(findCaller, ({ value }) => ({ found: known.has(value) }));
  services.on(authenticateApiKey, ({ api_key_hash }) => {
    if (api_key_hash !== sha256(apiKey)) throw new Refusal('api_key_invalid', 'the API key is not valid');
    return { service_id: RECORD.id };
  });
  services.on(sendEmail, () => ({ email: RECORD, rate_limit: SENDING_LIMIT, replayed: false }));
  services.on(createSession, () => ({ token: session, expires_at: '2030-01-02T03:04:05.000Z', device_token: 'd' }));
  services.on(recordOpen, () => ({}));
  services.on(authenticateSession, ({ token_hash }) => {
    if (token_hash !== sha256(session)) throw new Refusal('session_invalid', 'sign in again');
    return {
      user_id: RECORD.id,
      email,
      operator: true,
      role: 'owner' as const,
      workspace_id: '0198c9f0-0000-7000-8000-000000000001',
    };
  });
};

export interface TwoCells {
  readonly url: string;
  readonly healthUrl: string;
  readonly submissionPort: number;
  /** Closed for new users. */
  readonly first: FakeCell;
  readonly second: FakeCell;
  readonly cells: readonly [FakeCell, FakeCell];
  /** `up`, `answered` and `unreachable` of each cell, followed by its name. */
  cellMetrics(): Promise<Record<string, number>>;
  /** Replaces the gateway by one that remembers nothing. */
  restartGateway(): Promise<TwoCells>;
  stop(): Promise<void>;
}

/** One gateway before two cells, each with its own NATS server and fake services. */
export const startTwoCells = async (
  cells?: readonly [FakeCell, FakeCell],
  environment: Readonly<Record<string, string>> = {},
): Promise<TwoCells> => {
  const [first, second] = cells ?? [await startCell('first', 'a'), await startCell('second', 'b')];
  const setting = [first, second].map(({ name, nats, linkSecret }) => ({
    name,
    natsServers: nats.url,
    linkSecrets: [linkSecret],
    ...(name === 'second' ? { open: true } : {}),
  }));
  const { POSTERN_NATS_SERVERS: _, POSTERN_LINK_SECRETS: __, ...others } = first.environment;
  const service = await startService(apiGateway, {
    ...others,
    POSTERN_LOG_LEVEL: 'silent',
    POSTERN_SUBMISSION_PORT: '0',
    POSTERN_SUBMISSION_CLEAR_TEXT_AUTH: 'loopback',
    ...environment,
    POSTERN_CELLS: JSON.stringify(setting),
  });
  return {
    url: `http://127.0.0.1:${service.app.get(PublicServer, { strict: false }).port}`,
    healthUrl: `http://127.0.0.1:${service.port}`,
    submissionPort: service.app.get(SubmissionListener, { strict: false }).port ?? 0,
    first,
    second,
    cells: [first, second],
    async cellMetrics() {
      const text = await (await fetch(`http://127.0.0.1:${service.port}/metrics`)).text();
      const lines = text.matchAll(/^postern_cells_(?:up|requests_total)\{(.*)\} (\d+)/gm);
      return Object.fromEntries(
        [...lines].map(([, labels = '', value]) => {
          const label = (name: string) => new RegExp(`\\b${name}="([a-z]+)"`).exec(labels)?.[1];
          return [`${label('outcome') ?? 'up'} ${label('cell')}`, Number(value)];
        }),
      );
    },
    async restartGateway() {
      await service.stop();
      return startTwoCells([first, second], environment);
    },
    async stop() {
      await service.stop();
      await Promise.all([first.stop(), second.stop()]);
    },
  };
};
