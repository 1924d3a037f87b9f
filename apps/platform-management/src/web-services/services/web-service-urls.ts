import { Injectable } from '@nestjs/common';
import { Runtime } from '@postern/runtime';
import { ServiceLog } from '@postern/service-host';

/** The runtime responds faster unless its load balancer is down, which must not delay reading a web service. */
const TIMEOUT_MS = 2_000;

/** The public URLs of web services, requested from the runtime once each, because they never change. */
@Injectable()
export class WebServiceUrls {
  readonly #cache = new Map<string, string>();

  constructor(
    private readonly runtime: Runtime,
    private readonly log: ServiceLog,
  ) {}

  /** Returns null while the runtime does not respond. */
  async of({ id, name }: { readonly id: string; readonly name: string }): Promise<string | null> {
    const known = this.#cache.get(id);
    if (known !== undefined) return known;
    try {
      const url = await withTimeout(this.runtime.urlOf(id, name));
      this.#cache.set(id, url);
      return url;
    } catch (error) {
      this.log.warn({ err: error, webServiceId: id }, 'The runtime did not return the URL of a web service');
      return null;
    }
  }
}

async function withTimeout(url: Promise<string>): Promise<string> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
  return Promise.race([url, late]).finally(() => clearTimeout(timer));
}
