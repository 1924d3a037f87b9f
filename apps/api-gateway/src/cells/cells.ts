import { authenticateApiKey, type CallerKind, findCaller, Refusal } from '@postern/contracts';
import { answerReleaseQueries, type NatsConnection, type Release, type ServiceLog } from '@postern/service-host';
import type { GatewayConfig } from '../config.js';
import { ReplyCache } from '../infrastructure/http/admission/reply-cache.js';
import type { ServiceContext } from '../infrastructure/service-client/ports.js';
import { Cell, firstCellThat } from './cell.js';

/** What tells the cell of a caller; `api_key` is the key of an email service. */
export type CredentialKind = CallerKind | 'api_key';

/** Random secrets, which exist in one cell at most and never change it. Addresses do, and mailed tokens are used once. */
const REMEMBERED: ReadonlySet<CredentialKind> = new Set([
  'api_key',
  'session',
  'platform_key',
  'management_key',
  'deploy_hook',
]);
const MAX_REMEMBERED = 50_000;
const UNKNOWN_KEPT_MS = 10_000;
const MAX_UNKNOWN = 10_000;
const MAX_PENDING = 1_000;

/**
 * The cells behind a gateway; none if it serves the services of its own NATS servers only. It remembers which cell has a
 * secret, and never whether the secret is valid: the cell itself authenticates every request.
 */
export class Cells {
  #all: readonly Cell[] = [];
  #home: Cell | undefined;
  readonly #cellOfSecret = new Map<string, Cell>();
  readonly #searches = new ReplyCache<Cell | undefined>({
    subject: findCaller.subject,
    keptMs: UNKNOWN_KEPT_MS,
    maxEntries: MAX_UNKNOWN,
    maxPending: MAX_PENDING,
  });

  get all(): readonly Cell[] {
    return this.#all;
  }

  /** Whose services answer what belongs to no cell, such as static pages; the first one that was reached. */
  get home(): Cell | undefined {
    return this.#home;
  }

  /** Waits for one cell; the others are connected when they can be reached. Undefined without the setting. */
  connect(
    { cells, natsMinPayloadBytes }: GatewayConfig,
    log: ServiceLog,
    release: Release | undefined,
  ): Promise<{ readonly home: Cell; readonly connection: NatsConnection }> | undefined {
    if (!cells) return undefined;
    this.#all = cells.map(settings => new Cell(settings, natsMinPayloadBytes, log));
    return this.#connectAll(log, release);
  }

  async #connectAll(log: ServiceLog, release: Release | undefined) {
    const attempts = this.#all.map(cell => cell.connect());
    const home = await Promise.any(attempts);
    this.#home = home;
    const connection = home.connection!;
    for (const attempt of attempts)
      void attempt.then(async cell => {
        log.info({ cell: cell.name }, 'Connected to a cell');
        const { link } = cell.connection!;
        if (cell === home) return;
        if (release) answerReleaseQueries(link, 'api-gateway', release);
        // Only a new process can recover.
        connection.link.fail(new Error(`the connection to the cell ${cell.name} is lost`, { cause: await link.lost }));
      });
    return { home, connection: { ...connection, check: () => this.#check() } };
  }

  /** The cell with the secret of this SHA-256, or with the address. Rejects if a cell that may have it is unreachable. */
  cellOf(kind: CredentialKind, value: string, context: ServiceContext): Cell | undefined | Promise<Cell | undefined> {
    if (!REMEMBERED.has(kind)) return this.#search(this.#all, kind, value, context);
    return this.knownCellOf(value) ?? this.#searchOnce(kind, value, context);
  }

  /** The remembered cell of the secret with this SHA-256. */
  knownCellOf(secretHash: string): Cell | undefined {
    return this.#cellOfSecret.get(secretHash);
  }

  async #searchOnce(kind: CredentialKind, value: string, context: ServiceContext): Promise<Cell | undefined> {
    const cell = await this.#searches.get(value, () => this.#search(this.#all, kind, value, context));
    if (cell) this.#remember(value, cell);
    return cell;
  }

  /** Whether another cell has an account with this address. */
  async isAddressElsewhere(email: string, own: Cell, context: ServiceContext): Promise<boolean> {
    const others = this.#all.filter(cell => cell !== own);
    return (await this.#search(others, 'email', email, context)) !== undefined;
  }

  /** Closes the connections but that of the host. */
  async close(): Promise<void> {
    await Promise.all(this.#all.filter(cell => cell !== this.#home).map(cell => cell.close()));
  }

  #search(
    cells: readonly Cell[],
    kind: CredentialKind,
    value: string,
    context: ServiceContext,
  ): Promise<Cell | undefined> {
    return firstCellThat(cells, cell => has(cell, kind, value, context));
  }

  #remember(hash: string, cell: Cell): void {
    this.#cellOfSecret.set(hash, cell);
    if (this.#cellOfSecret.size <= MAX_REMEMBERED) return;
    const [oldest] = this.#cellOfSecret.keys();
    if (oldest !== undefined) this.#cellOfSecret.delete(oldest);
  }

  /** The state of each cell. @throws if none can be reached. */
  async #check(): Promise<{ readonly cells: Readonly<Record<string, string>> }> {
    const states = await Promise.all(
      this.#all.map(async cell => [cell.name, await cell.check().then(() => 'reachable', describe)] as const),
    );
    if (states.every(([, state]) => state !== 'reachable'))
      throw new Error(states.map(([name, state]) => `${name}: ${state}`).join('; '));
    return { cells: Object.fromEntries(states) };
  }
}

const describe = (error: unknown): string => `unreachable: ${(error as Error).message}`;

const has = async (cell: Cell, kind: CredentialKind, value: string, context: ServiceContext): Promise<boolean> => {
  if (kind !== 'api_key') return (await cell.request(findCaller, { kind, value }, context)).found;
  try {
    await cell.request(authenticateApiKey, { api_key_hash: value }, context);
    return true;
  } catch (error) {
    if (!Refusal.is(error)) throw error;
    return error.code !== 'api_key_invalid';
  }
};
