import {
  ConcurrencyConflict,
  type EventMetadata,
  type Position,
  type RecordedEvent,
  upcast,
} from '@postern/event-sourcing';
import { appendAll, inTransaction, lockStreams, type PostgresEventStore } from '@postern/event-sourcing/postgres';
import type { RequestContext } from '@postern/messaging';
import type pg from 'pg';
import type { DriversCommand, WebServiceCommand } from './aggregate/commands.js';
import type { WebServiceEvent } from './aggregate/events.js';
import { activeDeployment, hasWork, type WebService } from './aggregate/state.js';
import { webService, webServiceStream } from './aggregate/web-service.js';
import type { PlatformObserver } from './platform-observer.js';
import { WebServiceLedger } from './ports.js';
import { RememberedStates, type StateAt } from './state-cache.js';

export interface WebServiceLedgerOptions {
  readonly store: PostgresEventStore;
  readonly waitUntil: (position: Position | undefined) => Promise<void>;
  readonly metadata: () => EventMetadata;
  /** Hears of every event once, from the process that appended it, when it is committed. */
  readonly observer?: Pick<PlatformObserver, 'changed'>;
}

/** Of services with years of deployments a state takes a few megabytes; of most, some kilobytes. */
const REMEMBERED = 200;

/**
 * Who holds a stream's lock decides it alone, over all replicas. Beside the events, in their transaction, lie the
 * service's standing (whose columns hold at most one active deployment and one serving release) and its releases.
 */
export class PostgresWebServiceLedger extends WebServiceLedger {
  readonly #remembered = new RememberedStates<WebService>(REMEMBERED);

  constructor(private readonly options: WebServiceLedgerOptions) {
    super();
  }

  override async stateOf(webServiceId: string): Promise<WebService> {
    return (await this.#load(this.options.store.pool, webServiceStream(webServiceId))).state;
  }

  override async historyOf(webServiceId: string, until: Date): Promise<readonly WebServiceEvent[]> {
    const history = await this.options.store.readStream(webServiceStream(webServiceId));
    // Clocks of replicas may differ, and a history without gaps is what was asked for.
    const later = history.findIndex(({ occurredAt }) => occurredAt > until);
    return (later < 0 ? history : history.slice(0, later)) as readonly (WebServiceEvent & RecordedEvent)[];
  }

  override async execute(webServiceId: string, commandAt: (at: string) => WebServiceCommand): Promise<WebService> {
    const { state, position } = await this.#decide(webServiceId, commandAt);
    await this.options.waitUntil(position);
    return state;
  }

  override async record(webServiceId: string, commandAt: (at: string) => DriversCommand): Promise<WebService> {
    return (await this.#decide(webServiceId, commandAt)).state;
  }

  override async originOf(webServiceId: string, id: string): Promise<RequestContext | undefined> {
    const { rows } = await this.options.store.pool.query<{ id: string; metadata: EventMetadata }>({
      name: 'web-service-origin',
      // From the end, where who asks for it is found soon.
      text: `SELECT id, metadata FROM event_store.events
             WHERE stream_id = $1 AND type = ANY ($2) AND coalesce(data->>'deployment_id', data->>'release_id') = $3
             ORDER BY version DESC LIMIT 1`,
      values: [webServiceStream(webServiceId), REQUESTS, id],
    });
    return rows[0] && { ...rows[0].metadata, causationId: rows[0].id };
  }

  override onChange(listener: () => void): () => void {
    return this.options.store.onAppended(listener);
  }

  async #decide(webServiceId: string, commandAt: (at: string) => WebServiceCommand) {
    const { store, metadata, observer } = this.options;
    const streamId = webServiceStream(webServiceId);
    const decided = await inTransaction(store.pool, async client => {
      await lockStreams(client, [streamId]);
      const { state: before, version } = await this.#load(client, streamId);
      const events = webService.decide(commandAt(new Date().toISOString()), before);
      if (events.length === 0) return { before, events, state: before, version, position: undefined };
      const [appended] = await appendAll(client, [
        { streamId, events, expectedVersion: version, metadata: metadata() },
      ]);
      if (!appended || appended instanceof ConcurrencyConflict) {
        this.#remembered.forget(streamId);
        throw appended ?? new Error('nothing was appended');
      }
      const state = events.reduce(webService.evolve, before);
      await writeStanding(client, before, state);
      await writeReleases(client, events);
      return { before, events, state, version: appended.version, position: appended.position };
    });
    if (decided.position) {
      this.#remembered.remember(streamId, { state: decided.state, version: decided.version });
      observer?.changed(decided.before, decided.events);
      store.announce();
    }
    return decided;
  }

  async #load(connection: pg.Pool | pg.PoolClient, streamId: string): Promise<StateAt<WebService>> {
    const known = this.#remembered.recall(streamId) ?? { state: webService.initial, version: 0 };
    const { rows } = await connection.query<{ type: string; data: object }>({
      name: 'web-service-events-since',
      text: 'SELECT type, data FROM event_store.events WHERE stream_id = $1 AND version > $2 ORDER BY version',
      values: [streamId, known.version],
    });
    const events = rows.map(row => upcast(row, this.options.store.upcasters) as WebServiceEvent);
    const reached = { state: events.reduce(webService.evolve, known.state), version: known.version + rows.length };
    this.#remembered.remember(streamId, reached);
    return reached;
  }
}

const REQUESTS: readonly WebServiceEvent['type'][] = [
  'platform-management.deployment-requested.v1',
  'platform-management.rollback-requested.v1',
  'platform-management.web-service-start-requested.v1',
  'platform-management.web-service-restart-requested.v1',
];

interface Standing {
  readonly active: string | null;
  readonly serving: string | null;
  readonly toDo: boolean;
}

/** What is being stopped serves no more: reconciling must not bring it back. */
const standingOf = (state: WebService): Standing => ({
  active: activeDeployment(state)?.id ?? null,
  serving: state.stopping ? null : (state.serving?.id ?? null),
  toDo: hasWork(state),
});

/** Compare and swap, beside the version of the stream: a second active deployment finds no row to write to. */
async function writeStanding(client: pg.PoolClient, before: WebService, after: WebService): Promise<void> {
  const [was, is] = [standingOf(before), standingOf(after)];
  if (before.id === undefined) {
    await client.query('INSERT INTO web_service_standings (web_service_id, to_do) VALUES ($1, false)', [after.id]);
    return;
  }
  if (was.active === is.active && was.serving === is.serving && was.toDo === is.toDo) return;
  const { rowCount } = await client.query(
    `UPDATE web_service_standings SET active_deployment_id = $3, serving_release_id = $4, to_do = $5
     WHERE web_service_id = $1 AND active_deployment_id IS NOT DISTINCT FROM $2`,
    [after.id, was.active, is.active, is.serving, is.toDo],
  );
  if (rowCount !== 1) throw new Error(`web service ${after.id} has another active deployment than its events say`);
}

async function writeReleases(client: pg.PoolClient, events: readonly WebServiceEvent[]): Promise<void> {
  for (const event of events) {
    if (event.type !== 'platform-management.release-begun.v1') continue;
    const { release_id, web_service_id, deployment_id, artefact_reference, commit, configuration_id, at } = event.data;
    await client.query(
      `INSERT INTO releases (id, web_service_id, deployment_id, artefact_reference, commit, configuration_id, begun_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [release_id, web_service_id, deployment_id, artefact_reference, commit, configuration_id, at],
    );
  }
}
