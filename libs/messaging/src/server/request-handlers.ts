import { Refusal, type RequestContract } from '@postern/contracts';
import { instruments } from '../instruments.js';
import { inSpan } from '../tracing.js';
import type { RequestHandler } from './request-handler.js';

/** The request handlers of this process, one for each contract. */
export class RequestHandlers {
  readonly #bySubject = new Map<string, RequestHandler>();

  /** @throws when another handler has the contract. */
  add(handler: RequestHandler): void {
    const { subject } = handler.contract;
    const other = this.#bySubject.get(subject);
    if (other) throw new Error(`Two handlers for ${subject}: ${other.owner} and ${handler.owner}`);
    this.#bySubject.set(subject, handler);
  }

  all(): Iterable<RequestHandler> {
    return this.#bySubject.values();
  }

  /**
   * Answers a request in this process, within the request that is being handled: validated, traced and measured as if it
   * had arrived over NATS. Rejects with the error of the handler, for an invalid request, and without a handler.
   */
  async answer({ service, name, subject, request }: RequestContract, payload: unknown): Promise<unknown> {
    const handler = this.#bySubject.get(subject);
    if (!handler) throw new Error(`This process has no handler for ${subject}`);
    const parsed = request.parse(payload);
    const begun = performance.now();
    const measure = (outcome: Readonly<Record<string, string>>) =>
      instruments().requestDuration.record((performance.now() - begun) / 1_000, { 'rpc.method': name, ...outcome });
    try {
      const reply = await inSpan(`${service}/${name}`, {}, () => handler.handle(parsed));
      measure({ outcome: 'ok' });
      return reply ?? null;
    } catch (error) {
      measure(Refusal.is(error) ? { outcome: 'refused', 'error.type': error.code } : { outcome: 'fault' });
      throw error;
    }
  }
}
