import { randomUUID } from 'node:crypto';
import {
  queueNameOf,
  queueSubjectOf,
  type RequestContract,
  type RequestInput,
  type ServiceName,
} from '@postern/contracts';
import type { NatsLink } from '../connection.js';
import type { RequestContext } from '../context.js';
import { FRAME_VERSION, type RequestFrame } from '../frames.js';
import { PublishWindow } from './publish-window.js';

/** Leaves requests in the queue of a service, which handles them when it is available. */
export class RequestQueue {
  readonly #windows = new Map<ServiceName, PublishWindow>();

  constructor(private readonly link: NatsLink) {}

  /**
   * Resolves when NATS has stored the request. The service handles it at least once; its reply is discarded.
   * @throws when NATS is unavailable or has no space, the queue does not exist, or NATS does not respond within two seconds.
   */
  async add<C extends RequestContract>(contract: C, payload: RequestInput<C>, context: RequestContext): Promise<void> {
    const { service } = contract;
    if (!contract.queued) throw new Error(`${contract.subject} is not a request that may be queued`);
    if (!this.link.connected) throw new Error('NATS is unavailable');
    const id = randomUUID();
    const frame: RequestFrame = { v: FRAME_VERSION, i: id, w: contract.deadlineMs, c: context, p: payload };
    const message = { subject: queueSubjectOf(contract), id, payload: JSON.stringify(frame) };
    const { refusal } = await this.#windowOf(service).publish([message]);
    if (refusal) throw new Error(`the queue ${queueNameOf(service)} accepts no request: ${refusal.reason}`);
  }

  #windowOf(service: ServiceName): PublishWindow {
    const known = this.#windows.get(service);
    if (known) return known;
    const window = new PublishWindow(this.link, queueNameOf(service));
    this.#windows.set(service, window);
    return window;
  }
}
