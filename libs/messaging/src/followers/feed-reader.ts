import {
  type EventContract,
  type EventFeed,
  eventFeed,
  eventPage,
  type LogPosition,
  type ServiceName,
} from '@postern/contracts';
import { z } from 'zod';
import type { RequestClient } from '../request-client.js';
import type { RequestHandlers } from '../server/request-handlers.js';

/** Events are read one by one afterwards, so that an unreadable one does not hide the others. */
const readPage = eventPage.extend({ events: z.array(z.unknown()) });

export type ReadPage = z.output<typeof readPage>;

export interface FeedReaderOptions {
  readonly service: ServiceName;
  readonly consumer: string;
  readonly source: ServiceName;
  readonly contracts: readonly EventContract[];
  readonly requests: Pick<RequestClient, 'request'>;
  /** The request handlers of this process, for a consumer of the service's own events. */
  readonly handlers: Pick<RequestHandlers, 'answer'>;
}

/** Asks a service for pages of its events. */
export class FeedReader {
  readonly #contract: EventFeed;
  readonly #types: string[];

  constructor(private readonly options: FeedReaderOptions) {
    const { source, service, contracts } = options;
    this.#types = contracts.map(({ type }) => type);
    this.#contract = eventFeed(source, service, this.#types);
  }

  /** The page after a position; `handled` is earlier while a consumer reads ahead. */
  async read(after: LogPosition | null, handled: LogPosition | null): Promise<ReadPage> {
    const { service, consumer, source, requests, handlers } = this.options;
    const request = { consumer, types: this.#types, after, handled };
    const reply =
      source === service
        ? await handlers.answer(this.#contract, request)
        : await requests.request(this.#contract, request);
    return readPage.parse(reply);
  }
}
