import type { CustomDomain, Deletion } from '../api-types.js';
import type { CallOptions, CommandOptions } from '../http-client.js';
import { type PlatformCaller, pathOf } from './caller.js';

/** Host names of your own for web services. */
export class CustomDomains {
  readonly #api: PlatformCaller;

  constructor(api: PlatformCaller) {
    this.#api = api;
  }

  list(webServiceId: string, options?: CallOptions): Promise<CustomDomain[]> {
    return this.#api.get(pathOf`/web-services/${webServiceId}/domains`, options);
  }

  /** Adds a domain; it is routed once its DNS records are found. */
  add(webServiceId: string, domain: string, options?: CommandOptions): Promise<CustomDomain> {
    return this.#api.post(pathOf`/web-services/${webServiceId}/domains`, { body: { domain }, ...options });
  }

  /** Looks up the DNS records of a domain. */
  verify(webServiceId: string, domainId: string, options?: CommandOptions): Promise<CustomDomain> {
    return this.#api.post(pathOf`/web-services/${webServiceId}/domains/${domainId}/verify`, options);
  }

  delete(webServiceId: string, domainId: string, options?: CommandOptions): Promise<Deletion> {
    return this.#api.delete(pathOf`/web-services/${webServiceId}/domains/${domainId}`, options);
  }
}
