import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import {
  awaitOrder,
  cancelOrder,
  documentsOf,
  putDocument,
  type ReplyOf,
  type RequestOf,
  type RuntimeOrder,
  runtimeOrder,
  startOrder,
} from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Tasks } from '@postern/service-host';
import { OrderDocuments } from './order-documents.js';
import { OrderRegistry } from './order-registry.js';

const EXPIRE_EVERY_MS = 1_000;
/** Maximum number of digests in one reply; the client sends these documents and repeats the request. */
const MAX_MISSING = 1_000;

/** Receives the orders of the control plane. */
@Injectable()
export class Orders implements OnApplicationBootstrap {
  constructor(
    private readonly registry: OrderRegistry,
    private readonly documents: OrderDocuments,
    private readonly tasks: Tasks,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every(EXPIRE_EVERY_MS, 'expire orders', async () => {
      this.registry.expire();
      this.documents.cleanUp();
    });
    // Handlers that wait for an order would otherwise delay the shutdown.
    this.tasks.signal.addEventListener('abort', () => void this.registry.stop(), { once: true });
  }

  @Handles(startOrder)
  start({ order_id, client_id, order: given }: RequestOf<typeof startOrder>): ReplyOf<typeof startOrder> {
    const order = given.kind === 'document' ? this.#orderIn(given.digest) : given;
    if (!order) return { missing: given.kind === 'document' ? [given.digest] : [] };
    const missing = this.documents.missing(documentsOf(order));
    if (missing.length === 0) this.registry.start(order_id, client_id, order);
    return { missing: missing.slice(0, MAX_MISSING) };
  }

  @Handles(awaitOrder)
  wait({ order_id, wait_ms }: RequestOf<typeof awaitOrder>): Promise<ReplyOf<typeof awaitOrder>> {
    return this.registry.wait(order_id, wait_ms);
  }

  @Handles(cancelOrder)
  cancel({ order_id, client_id }: RequestOf<typeof cancelOrder>): ReplyOf<typeof cancelOrder> {
    this.registry.cancel(order_id, client_id);
    return {};
  }

  @Handles(putDocument)
  put({ digest, part, parts, text }: RequestOf<typeof putDocument>): ReplyOf<typeof putDocument> {
    this.documents.put(digest, part, parts, text);
    return {};
  }

  #orderIn(digest: string): RuntimeOrder | undefined {
    return this.documents.missing([digest]).length > 0 ? undefined : runtimeOrder.parse(this.documents.read(digest));
  }
}
