import { Injectable } from '@nestjs/common';
import { Runtime } from '@postern/runtime';
import { Every, ServiceLog } from '@postern/service-host';
import pLimit from 'p-limit';
import { CustomDomains } from './custom-domains.js';

type Routes = Awaited<ReturnType<CustomDomains['routes']>>;

/** Sends all verified domains to the runtime after each change, and again every 15 seconds in case an order was lost. */
@Injectable()
export class DomainRoutes {
  /** The repetition sends an empty list only once, because most installations have no custom domains. */
  #sentNone = false;
  /** So that an older list never replaces a newer one. */
  readonly #oneAtATime = pLimit(1);

  constructor(
    private readonly domains: CustomDomains,
    private readonly runtime: Runtime,
    private readonly log: ServiceLog,
  ) {}

  @Every(15_000, 'route custom domains')
  sendAgain(): Promise<void> {
    return this.#oneAtATime(() => this.#route(routes => this.#sentNone && routes.length === 0));
  }

  /** Sends all domains, also an empty list. Never rejects: the list is sent again after a failure. */
  send(): Promise<void> {
    return this.#oneAtATime(() => this.#route(() => false));
  }

  async #route(isSkipped: (routes: Routes) => boolean): Promise<void> {
    try {
      const routes = await this.domains.routes();
      if (!isSkipped(routes)) await this.#send(routes);
    } catch (error) {
      this.log.warn({ err: error }, 'Custom domains could not be routed; it will be repeated');
    }
  }

  async #send(routes: Routes): Promise<void> {
    if (!(await this.runtime.features()).has('customDomains')) return;
    await this.runtime.routeDomains(routes);
    this.#sentNone = routes.length === 0;
  }
}
