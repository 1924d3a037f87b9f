import { Injectable } from '@nestjs/common';
import { ServiceLog } from '@postern/service-host';
import { Runtime } from '../ports/runtime.js';

/** Longer than a runtime at work needs; a load balancer that is down must not hold up the reading of a service. */
const PATIENCE_MS = 2_000;

/** Where services answer: asked of the runtime once each, for it never changes while this process runs. */
@Injectable()
export class ServiceAddresses {
  readonly #known = new Map<string, string>();

  constructor(
    private readonly runtime: Runtime,
    private readonly log: ServiceLog,
  ) {}

  /** Null while the runtime cannot say. */
  async of({ id, name }: { readonly id: string; readonly name: string }): Promise<string | null> {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    try {
      const url = await inTime(this.runtime.urlOf(id, name));
      this.#known.set(id, url);
      return url;
    } catch (error) {
      this.log.warn({ err: error, webServiceId: id }, 'The runtime does not say where a web service answers');
      return null;
    }
  }
}

async function inTime(url: Promise<string>): Promise<string> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${PATIENCE_MS} ms`)), PATIENCE_MS);
  return Promise.race([url, late]).finally(() => clearTimeout(timer));
}
