import { setTimeout as pause } from 'node:timers/promises';
import type { ReplyOf, RequestContract, RequestInput } from '@postern/contracts';
import { TrackingTokens } from '@postern/mail';
import { type Log, ServiceUnavailable } from '@postern/messaging';
import { connectWith, type NatsConnection } from '@postern/service-host';
import { CellUnreachable, type ServiceClient, type ServiceContext } from '../infrastructure/service-client/ports.js';
import type { CellSettings } from './cell-settings.js';

/** Time after an attempt that NATS refused, for example because of a wrong password. */
const REFUSED_PAUSE_MS = 10_000;
const RESPONDS_WITHIN_MS = 1_500;

const NOT_THIS = new Error('not this cell');

/**
 * The first cell to which the question is answered with yes, so that an unreachable one delays only its own callers.
 * Undefined if all say no. Rejects if a cell that may say yes is unreachable.
 */
export const firstCellThat = async (
  cells: readonly Cell[],
  question: (cell: Cell) => Promise<boolean>,
): Promise<Cell | undefined> => {
  const answers = cells.map(async cell => {
    if (await question(cell)) return cell;
    throw NOT_THIS;
  });
  try {
    return await Promise.any(answers);
  } catch (error) {
    const failure = (error as AggregateError).errors.find(one => one !== NOT_THIS);
    if (failure) throw failure;
    return undefined;
  }
};

/** One complete set of back services, with its own PostgreSQL and NATS. */
export class Cell implements ServiceClient {
  readonly tokens: TrackingTokens;
  /** Requests since the start; refusals are answers. */
  readonly requests = { answered: 0, unreachable: 0 };
  #connection: NatsConnection | undefined;
  #connecting: Promise<this> | undefined;

  constructor(
    readonly settings: CellSettings,
    private readonly natsMinPayloadBytes: number,
    private readonly log: Log,
  ) {
    this.tokens = TrackingTokens.fromSecrets(settings.linkSecrets.map(one => one.reveal()));
  }

  get name(): string {
    return this.settings.name;
  }

  /** Undefined until NATS was reached for the first time. */
  get connection(): NatsConnection | undefined {
    return this.#connection;
  }

  /** Resolves once NATS was reached. A cell that refuses the gateway must not stop it for the others. */
  connect(): Promise<this> {
    this.#connecting ??= this.#connect();
    return this.#connecting;
  }

  async #connect(): Promise<this> {
    const settings = { ...this.settings, natsMinPayloadBytes: this.natsMinPayloadBytes };
    while (!this.#connection) {
      try {
        this.#connection = await connectWith(settings, 'api-gateway', this.log);
      } catch (error) {
        this.log.error({ err: error, cell: this.name }, 'The NATS servers of a cell refuse the gateway');
        await pause(REFUSED_PAUSE_MS, undefined, { ref: false });
      }
    }
    return this;
  }

  /** @throws CellUnreachable instead of ServiceUnavailable. */
  async request<C extends RequestContract>(
    contract: C,
    request: RequestInput<C>,
    context: ServiceContext,
  ): Promise<ReplyOf<C>> {
    let isUnreachable = false;
    try {
      if (!this.#connection) throw new ServiceUnavailable(contract.subject, 'disconnected', false);
      return await this.#connection.requests.request(contract, request, context);
    } catch (error) {
      isUnreachable = error instanceof ServiceUnavailable;
      throw isUnreachable ? new CellUnreachable(this.name, error as ServiceUnavailable) : error;
    } finally {
      this.requests[isUnreachable ? 'unreachable' : 'answered']++;
    }
  }

  /** @throws if NATS does not respond. */
  async check(): Promise<void> {
    if (!this.#connection) throw new Error('not connected yet');
    await this.#connection.link.roundTrip(RESPONDS_WITHIN_MS);
  }

  async close(): Promise<void> {
    this.#connection?.requests.close();
    await this.#connection?.link.close();
  }
}
