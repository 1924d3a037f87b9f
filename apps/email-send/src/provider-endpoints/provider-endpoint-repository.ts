import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  MAX_PROVIDER_ENDPOINTS,
  type ProviderCredentials,
  type ProviderEndpoint,
  type ProviderKind,
  Refusal,
} from '@postern/contracts';
import { inTransaction } from '@postern/event-sourcing/postgres';
import { Database, KeyRing } from '@postern/service-host';
import { v7 as uuidv7 } from 'uuid';
import { providerEndpointRow } from './provider-endpoint-row.js';
import {
  COUNT_ENDPOINTS,
  COUNT_EVENTS,
  COUNT_REFUSED,
  DELETE_ENDPOINT,
  FIND_BY_TOKEN,
  FIND_ENDPOINT,
  INSERT_ENDPOINT,
  LIST_ENDPOINTS,
  LOCK_ENDPOINTS,
  ROTATE_ENDPOINT,
  SET_TOPIC,
} from './provider-endpoints.sql.js';

interface Row {
  readonly id: string;
  readonly kind: ProviderKind;
  readonly authentication: ProviderEndpoint['authentication'];
  readonly topic_arn: string | null;
  readonly events: string;
  readonly ignored: string;
  readonly refused: string;
  readonly last_event_at: Date | null;
  readonly created_at: Date;
}

interface CalledRow {
  readonly id: string;
  readonly sealed_credentials: string;
  readonly topic_arn: string | null;
}

/** An endpoint that a provider has called. */
export interface CalledEndpoint {
  readonly id: string;
  readonly credentials: ProviderCredentials;
}

interface NewEndpoint {
  readonly kind: ProviderKind;
  readonly credentials: ProviderCredentials;
  readonly authentication: ProviderEndpoint['authentication'];
}

const PREVIOUS_VALID_MS = 24 * 3_600_000;
const TOKEN = /^pe_live_[\w-]{43}$/;

/** The endpoints for events of mail providers. Tokens are stored as hashes, credentials encrypted. */
@Injectable()
export class ProviderEndpointRepository {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
  ) {}

  /** Refuses `quota_reached`. */
  async create({ kind, credentials, authentication }: NewEndpoint) {
    const id = uuidv7();
    const token = newToken();
    const { topic_arn = null, ...secrets } = credentials;
    const sealed = this.keys.seal(JSON.stringify(secrets), providerEndpointRow(id));
    await inTransaction(this.database.pool, async client => {
      await client.query(LOCK_ENDPOINTS);
      const { rows } = await client.query<{ count: number }>(COUNT_ENDPOINTS);
      if ((rows[0]?.count ?? 0) >= MAX_PROVIDER_ENDPOINTS) {
        throw new Refusal(
          'quota_reached',
          `at most ${MAX_PROVIDER_ENDPOINTS} provider endpoints per installation. Delete unused ones.`,
        );
      }
      await client.query(INSERT_ENDPOINT, [id, kind, hash('sha256', token), sealed, topic_arn, authentication]);
    });
    return { ...(await this.#get(id)), url: pathOf(kind, token) };
  }

  async list(): Promise<ProviderEndpoint[]> {
    const { rows } = await this.database.pool.query<Row>(LIST_ENDPOINTS);
    return rows.map(shown);
  }

  /** Refuses `provider_endpoint_not_found`. */
  async rotate(id: string) {
    const token = newToken();
    const { rows } = await this.database.pool.query<{ previous_until: Date }>(ROTATE_ENDPOINT, [
      id,
      hash('sha256', token),
      PREVIOUS_VALID_MS,
    ]);
    const [row] = rows;
    if (!row) throw notFound();
    const endpoint = await this.#get(id);
    return { ...endpoint, url: pathOf(endpoint.kind, token), previous_url_until: row.previous_until.toISOString() };
  }

  /** Refuses `provider_endpoint_not_found`. */
  async delete(id: string): Promise<void> {
    const { rowCount } = await this.database.pool.query(DELETE_ENDPOINT, [id]);
    if (rowCount === 0) throw notFound();
  }

  /** Refuses `provider_endpoint_not_found`. */
  async called(kind: ProviderKind, token: string): Promise<CalledEndpoint> {
    if (!TOKEN.test(token)) throw notFound();
    const { rows } = await this.database.pool.query<CalledRow>(FIND_BY_TOKEN, [kind, hash('sha256', token)]);
    const [row] = rows;
    if (!row) throw notFound();
    const secrets = JSON.parse(this.keys.open(row.sealed_credentials, providerEndpointRow(row.id))) as object;
    return { id: row.id, credentials: { ...secrets, ...(row.topic_arn === null ? {} : { topic_arn: row.topic_arn }) } };
  }

  async countEvents(id: string, recorded: number, ignored: number): Promise<void> {
    await this.database.pool.query(COUNT_EVENTS, [id, recorded, ignored]);
  }

  async countRefused(id: string): Promise<void> {
    await this.database.pool.query(COUNT_REFUSED, [id]);
  }

  /** The first confirmed topic; whether the endpoint belongs to it now. */
  async setTopic(id: string, topicArn: string): Promise<boolean> {
    const { rowCount } = await this.database.pool.query(SET_TOPIC, [id, topicArn]);
    return rowCount === 1;
  }

  async #get(id: string): Promise<ProviderEndpoint> {
    const { rows } = await this.database.pool.query<Row>(FIND_ENDPOINT, [id]);
    const [row] = rows;
    if (!row) throw notFound();
    return shown(row);
  }
}

const newToken = (): string => `pe_live_${randomBytes(32).toString('base64url')}`;
const pathOf = (kind: ProviderKind, token: string): string => `/providers/${kind}/${token}`;
const notFound = () => new Refusal('provider_endpoint_not_found', 'there is no such provider endpoint');

const shown = (row: Row): ProviderEndpoint => ({
  id: row.id,
  kind: row.kind,
  topic_arn: row.topic_arn,
  authentication: row.authentication,
  events: Number(row.events),
  ignored: Number(row.ignored),
  refused: Number(row.refused),
  last_event_at: row.last_event_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
});
