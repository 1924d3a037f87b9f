import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts/refusal';
import {
  ConcurrencyConflict,
  type CreationLimit,
  type EventMetadata,
  type RecordedEvent,
} from '@postern/event-sourcing';
import { appendAll, type CommandTransactions, inTransaction, lockStreams } from '@postern/event-sourcing/postgres';
import type { RequestContext } from '@postern/messaging';
import { EventSourcing, type WriteOptions } from '@postern/service-host';
import type pg from 'pg';
import { DELETE_BACKUPS_OF } from '../../infrastructure/backups/backups.sql.js';
import { isDeleted } from '../../infrastructure/postgres/deleted-streams.js';
import { READ_MODELS } from '../../infrastructure/postgres/read-models.js';
import { projectNotFound } from '../../projects/ports.js';
import { projectStream } from '../../projects/project.js';
import type { ChangeCommand, ReconcilerCommand, WebServiceCommand } from './aggregate/commands.js';
import type { CreatedData, WebServiceEvent } from './aggregate/events.js';
import { webServiceNotFound } from './aggregate/refusals.js';
import { activeDeployment, hasWork, type WebService } from './aggregate/state.js';
import { webService, webServiceStream } from './aggregate/web-service.js';
import { type CachedState, StateCache } from './state-cache.js';
import { WebServiceMetrics } from './telemetry/web-service-metrics.js';
import {
  DELETE_SUMMARY,
  FIND_ORIGIN,
  INSERT_RELEASE,
  INSERT_SUMMARY,
  UPDATE_SUMMARY,
  WEB_SERVICE_EVENTS_SINCE,
} from './web-services.sql.js';

/** A state takes a few kilobytes, or a few megabytes after years of deployments. */
const CACHED_STATES = 200;

/**
 * Appends events under a lock of the stream, so that one process decides at a time. The same transaction writes the releases and the
 * summary, whose columns permit only one active deployment and one serving release.
 */
@Injectable()
export class WebServiceRepository {
  readonly #states = new StateCache<WebService>(CACHED_STATES);
  readonly #onScaled = new Set<() => void>();
  readonly #writes: WriteOptions;
  readonly #transactions: CommandTransactions;

  constructor(
    eventSourcing: EventSourcing,
    private readonly observer: WebServiceMetrics,
  ) {
    this.#writes = eventSourcing.writeOptions(READ_MODELS.webServices);
    this.#transactions = eventSourcing.transactions(READ_MODELS.webServices);
  }

  async stateOf(webServiceId: string): Promise<WebService> {
    return (await this.#load(this.#writes.store.pool, webServiceStream(webServiceId))).state;
  }

  /** Returns all events of a web service up to a time. */
  async historyOf(webServiceId: string, until: Date): Promise<readonly WebServiceEvent[]> {
    const history = await this.#writes.store.readStream(webServiceStream(webServiceId));
    // Clocks of replicas may differ, so the history ends at the first later event instead of skipping it.
    const later = history.findIndex(({ occurredAt }) => occurredAt > until);
    return (later < 0 ? history : history.slice(0, later)) as readonly (WebServiceEvent & RecordedEvent)[];
  }

  /** Refuses above the limit, and previews of deleted web services. Resolves once the read models contain the web service. */
  async create(limit: CreationLimit, created: CreatedData): Promise<void> {
    const original = created.preview && webServiceStream(created.preview.web_service_id);
    const events = await this.#transactions.execute({
      decider: webService,
      streamId: webServiceStream(created.web_service_id),
      command: { kind: 'create', ...created },
      limit,
      ...(original && { locks: [original] }),
      // A project is deleted under the same lock, and only if it has no web services.
      check: async client => {
        if (original && (await isDeleted(client, original))) throw webServiceNotFound();
        if (await isDeleted(client, projectStream(created.project_id))) throw projectNotFound();
      },
      write: client => client.query(INSERT_SUMMARY, [created.web_service_id]),
    });
    this.observer.eventsCommitted(webService.initial, events);
  }

  /** Changes settings; refuses above the limit. Resolves once the read models contain the change. */
  async change(limit: CreationLimit | undefined, webServiceId: string, command: ChangeCommand): Promise<void> {
    let before = webService.initial;
    const events = await this.#transactions.execute({
      decider: webService,
      streamId: webServiceStream(webServiceId),
      command,
      ...(limit && { limit }),
      write: async (_, __, state) => {
        before = state;
      },
    });
    this.observer.eventsCommitted(before, events);
    if (events.some(isScaling)) for (const listener of this.#onScaled) listener();
  }

  /**
   * Executes one command at a time per web service, over all replicas; concurrent callers wait instead of failing.
   * Resolves once the read models contain the result. Refusals of the decider append no events.
   */
  async execute(webServiceId: string, commandAt: (at: string) => WebServiceCommand): Promise<WebService> {
    const { state, position } = await this.#decide(webServiceId, commandAt);
    await this.#writes.waitUntil(position);
    return state;
  }

  /** Deletes a web service, unless it is deleted or was not created. */
  async deleteIfPresent(webServiceId: string, userId: string): Promise<void> {
    try {
      await this.execute(webServiceId, at => ({ kind: 'delete', userId, at }));
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'web_service_not_found')) throw error;
    }
  }

  /** Like `execute`, without waiting for the read models. */
  async record(webServiceId: string, commandAt: (at: string) => ReconcilerCommand): Promise<WebService> {
    return (await this.#decide(webServiceId, commandAt)).state;
  }

  /** Returns the context of the request for a deployment, rollback, start or restart. */
  async originOf(webServiceId: string, id: string): Promise<RequestContext | undefined> {
    const { rows } = await this.#writes.store.pool.query<{ id: string; metadata: EventMetadata }>({
      name: 'web-service-origin',
      text: FIND_ORIGIN,
      values: [webServiceStream(webServiceId), REQUESTS, id],
    });
    return rows[0] && { ...rows[0].metadata, causationId: rows[0].id };
  }

  /** Calls the listener after this process changes the number of instances of a web service. */
  onScaled(listener: () => void): () => void {
    this.#onScaled.add(listener);
    return () => this.#onScaled.delete(listener);
  }

  /** Calls the listener after this process appends events; polling finds events of other replicas. */
  onChange(listener: () => void): () => void {
    return this.#writes.store.onAppended(listener);
  }

  async #decide(webServiceId: string, commandAt: (at: string) => WebServiceCommand) {
    const { store, metadata } = this.#writes;
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
        this.#states.delete(streamId);
        throw appended ?? new Error('nothing was appended');
      }
      const state = events.reduce(webService.evolve, before);
      if (state.deleted) {
        await client.query(DELETE_SUMMARY, [webServiceId]);
        await client.query(DELETE_BACKUPS_OF, [webServiceId]);
      } else await writeSummary(client, before, state);
      await writeReleases(client, events);
      return { before, events, state, version: appended.version, position: appended.position };
    });
    if (decided.position) {
      this.#states.set(streamId, { state: decided.state, version: decided.version });
      this.observer.eventsCommitted(decided.before, decided.events);
      store.announce();
    }
    return decided;
  }

  async #load(connection: pg.Pool | pg.PoolClient, streamId: string): Promise<CachedState<WebService>> {
    const cached = this.#states.get(streamId) ?? { state: webService.initial, version: 0 };
    const { rows } = await connection.query<{ type: string; data: object }>({
      name: 'web-service-events-since',
      text: WEB_SERVICE_EVENTS_SINCE,
      values: [streamId, cached.version],
    });
    const events = this.#writes.store.upcast(rows) as readonly WebServiceEvent[];
    const reached = { state: events.reduce(webService.evolve, cached.state), version: cached.version + rows.length };
    this.#states.set(streamId, reached);
    return reached;
  }
}

const isScaling = ({ type, data }: WebServiceEvent): boolean =>
  type === 'platform-management.web-service-changed.v1' &&
  ['min_instances', 'max_instances', 'autoscaling', 'processes'].some(name => name in data.changes);

const REQUESTS: readonly WebServiceEvent['type'][] = [
  'platform-management.deployment-requested.v1',
  'platform-management.rollback-requested.v1',
  'platform-management.web-service-start-requested.v1',
  'platform-management.web-service-restart-requested.v1',
];

interface Summary {
  readonly active: string | null;
  readonly serving: string | null;
  readonly hasWork: boolean;
}

/** A web service that is being stopped or deleted has no serving release, so that the reconciliation does not start it again. */
const summaryOf = (state: WebService): Summary => ({
  active: activeDeployment(state)?.id ?? null,
  serving: state.stopping || state.deleting ? null : (state.serving?.id ?? null),
  hasWork: hasWork(state),
});

async function writeSummary(client: pg.PoolClient, before: WebService, after: WebService): Promise<void> {
  const [was, is] = [summaryOf(before), summaryOf(after)];
  if (was.active === is.active && was.serving === is.serving && was.hasWork === is.hasWork) return;
  const { rowCount } = await client.query(UPDATE_SUMMARY, [after.id, was.active, is.active, is.serving, is.hasWork]);
  if (rowCount !== 1) throw new Error(`the active deployment of web service ${after.id} does not match its events`);
}

async function writeReleases(client: pg.PoolClient, events: readonly WebServiceEvent[]): Promise<void> {
  for (const event of events) {
    if (event.type !== 'platform-management.release-begun.v1') continue;
    const { release_id, web_service_id, deployment_id, artefact_reference, commit, configuration_id, settings, at } =
      event.data;
    await client.query(INSERT_RELEASE, [
      release_id,
      web_service_id,
      deployment_id,
      artefact_reference,
      commit,
      configuration_id,
      JSON.stringify(settings),
      at,
    ]);
  }
}
