import { type Operations, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { FollowerPositions, PostgresSetAsideEvents, type ProjectionRunner } from '@postern/event-sourcing/postgres';
import type { Database } from '../database/database.js';
import type { PublishedLog } from '../event-sourcing/published-log.js';
import type { ServiceLog } from '../log/service-log.js';
import { answeredInTime } from './answered-in-time.js';
import { logFindings, RESTORED_WITHIN_DAYS, restartFindings } from './log-findings.js';
import type { Finding, PersonalData } from './ports.js';
import { postgresFindings } from './postgres-findings.js';
import { RecipientErasure } from './recipient-erasure.js';
import { redactor } from './redaction.js';
import type { SealedColumns } from './sealed-columns.js';

type Reply<Name extends keyof Operations> = ReplyOf<Operations[Name]>;

/** `postern doctor` answers within five seconds, whatever hangs. */
const ANSWER_WITHIN_MS = 3_500;

/** Maximum number of values in a log line. */
const NAMED = 100;

export interface ServiceOperationsOptions {
  readonly database: Database;
  readonly projections: ProjectionRunner;
  readonly log: ServiceLog;
  /** For services that publish events. */
  readonly published?: PublishedLog;
  /** For services with encrypted values. */
  readonly sealed?: SealedColumns;
  /** For services that store data about recipients. */
  readonly personal?: PersonalData;
  /** Checks the dependencies of a service besides its database. */
  readonly diagnosis?: { findings(): Promise<readonly Finding[]> };
}

/** Handles operator requests; the `postern` command sends them over NATS. */
export class ServiceOperations {
  readonly #rebuildErrors = new Map<string, string>();

  readonly #erasure: RecipientErasure | undefined;
  readonly #setAside: PostgresSetAsideEvents<{ id: string; type: string }>;
  readonly #positions: FollowerPositions;

  constructor(private readonly options: ServiceOperationsOptions) {
    const { database, projections, personal } = options;
    this.#setAside = new PostgresSetAsideEvents(database.pool);
    this.#positions = new FollowerPositions(database.pool);
    this.#erasure =
      personal &&
      new RecipientErasure({
        pool: database.pool,
        projections,
        personal,
        rebuild: async name => void (await this.rebuild(name).catch(ignoreRebuildUnderWay)),
        rebuildError: name => this.#rebuildErrors.get(name),
      });
  }

  async projections(): Promise<Reply<'listProjections'>> {
    const projections = await this.options.projections.status();
    return {
      projections: projections.map(status => ({ ...status, last_error: this.#rebuildErrors.get(status.name) ?? null })),
    };
  }

  async rebuild(name: string): Promise<Reply<'rebuildProjection'>> {
    const { projections, log } = this.options;
    const status = (await projections.status()).find(projection => projection.name === name);
    if (!status) throw new Refusal('projection_not_found', `there is no projection ${name}`);
    if (status.rebuilding) throw new Refusal('rebuild_under_way', `${name} is already being rebuilt`);
    this.#rebuildErrors.delete(name);
    projections.rebuild(name).then(
      done => done && log.info({ projection: name }, 'A projection was rebuilt'),
      (error: unknown) => {
        this.#rebuildErrors.set(name, error instanceof Error ? error.message : String(error));
        log.error({ err: error, projection: name }, 'A projection could not be rebuilt; the old one stays live');
      },
    );
    return { generation: status.generation };
  }

  async readers(): Promise<Reply<'listReaders'>> {
    const readers = (await this.options.published?.readers()) ?? [];
    return {
      readers: readers.map(({ consumer, lag, askedSecondsAgo }) => ({
        consumer,
        lag: lag.events,
        delay_seconds: lag.seconds,
        asked_seconds_ago: askedSecondsAgo ?? null,
      })),
    };
  }

  async setAsideEvents(limit: number): Promise<Reply<'listSetAsideEvents'>> {
    const { events, total } = await this.#setAside.list(limit);
    return {
      events: events.map(({ consumer, eventId, type, failures, lastError, setAsideAt, retryAt }) => ({
        consumer,
        event_id: eventId,
        type,
        failures,
        last_error: lastError,
        set_aside_at: setAsideAt.toISOString(),
        retry_at: retryAt.toISOString(),
      })),
      total,
    };
  }

  async retrySetAside(eventId: string): Promise<Reply<'retrySetAsideEvent'>> {
    if ((await this.#setAside.retryNow(eventId)) === 0) throw notSetAside(eventId);
    return {};
  }

  async discardSetAside(eventId: string): Promise<Reply<'discardSetAsideEvent'>> {
    const consumers = await this.#setAside.discard(eventId);
    if (consumers.length === 0) throw notSetAside(eventId);
    this.options.log.warn({ event: eventId, consumers }, 'An operator discarded an event that was set aside');
    return { consumers: [...consumers] };
  }

  async sealedValues(): Promise<Reply<'countSealedValues'>> {
    const { sealed } = this.options;
    if (!sealed) return { sealing_key: null, known_keys: [], counts: [] };
    return { sealing_key: sealed.keys.firstId, known_keys: sealed.keys.ids, counts: await sealed.counts() };
  }

  async reencrypt(limit: number): Promise<Reply<'resealValues'>> {
    const { sealed, log } = this.options;
    const { reencrypted, unopened } = (await sealed?.reencrypt(limit)) ?? { reencrypted: 0, unopened: [] };
    // Reported only at the end and limited, because all values of a missing key are affected.
    if (reencrypted > 0 || unopened.length === 0) return { resealed: reencrypted };
    const named = unopened.slice(0, NAMED);
    log.error({ values: unopened.length, unopened: named }, 'Encrypted values cannot be decrypted');
    return { resealed: reencrypted, unopened: named };
  }

  /** A failed step reports the reason to the operator, who may have a legal deadline. */
  async eraseStep({
    address,
    replacement,
    cursor,
  }: RequestOf<Operations['eraseRecipientStep']>): Promise<Reply<'eraseRecipientStep'>> {
    const nothing = { erased: [], kept: [], cursor: null, waiting_for: null, failure: null };
    if (!this.#erasure) return nothing;
    try {
      return await this.#erasure.step({ address, replacement }, cursor);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const failure = (redactor({ address, replacement })(message) as string | undefined) ?? message;
      this.options.log.error({ failure }, 'A step of an erasure failed; it will be retried');
      return { ...nothing, cursor, failure };
    }
  }

  async diagnose(): Promise<Reply<'diagnose'>> {
    const { database, diagnosis, published } = this.options;
    const findings = await Promise.all([
      answeredInTime('PostgreSQL', ANSWER_WITHIN_MS, () => postgresFindings(database.pool)),
      answeredInTime('events read', ANSWER_WITHIN_MS, () => logFindings(published)),
      answeredInTime('event logs', ANSWER_WITHIN_MS, async () =>
        restartFindings(await this.#positions.restarts(RESTORED_WITHIN_DAYS)),
      ),
      answeredInTime('events set aside', ANSWER_WITHIN_MS, async () =>
        setAsideFindings((await this.#setAside.list(1)).total),
      ),
      answeredInTime('what the service depends on', ANSWER_WITHIN_MS, async () => (await diagnosis?.findings()) ?? []),
    ]);
    return { now: new Date().toISOString(), findings: findings.flat() };
  }
}

const notSetAside = (eventId: string): Refusal =>
  new Refusal('event_not_set_aside', `no consumer has set the event ${eventId} aside`);

const setAsideFindings = (total: number): readonly Finding[] =>
  total === 0
    ? []
    : [
        {
          check: 'events set aside',
          verdict: 'bad',
          found: `${total} events could not be handled`,
          advice: 'List them with `postern events list`. They are retried; discard those that can never be handled.',
        },
      ];

const ignoreRebuildUnderWay = (error: unknown): void => {
  if (!(error instanceof Refusal && error.code === 'rebuild_under_way')) throw error;
};
