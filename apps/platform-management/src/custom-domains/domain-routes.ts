import { Injectable } from '@nestjs/common';
import { Runtime } from '@postern/runtime';
import { Every, ServiceLog } from '@postern/service-host';
import { CustomDomains } from './ports.js';

type Routes = Awaited<ReturnType<CustomDomains['routes']>>;

/** Sends all verified domains to the runtime after each change, and again every 15 seconds in case an order was lost. */
@Injectable()
export class DomainRoutes {
  /** The repetition sends an empty list only once, because most installations have no custom domains. */
  #sentNone = false;
  #latest: Promise<void> = Promise.resolve();

  constructor(
    private readonly domains: CustomDomains,
    private readonly runtime: Runtime,
    private readonly log: ServiceLog,
  ) {}

  @Every(15_000, 'route custom domains')
  sendAgain(): Promise<void> {
    return this.#inTurn(routes => this.#sentNone && routes.length === 0);
  }

  /** Sends all domains, also an empty list. Never rejects: the list is sent again after a failure. */
  send(): Promise<void> {
    return this.#inTurn(() => false);
  }

  /** Serialized, so that an older list never replaces a newer one. */
  #inTurn(isSkipped: (routes: Routes) => boolean): Promise<void> {
    this.#latest = this.#latest
      .then(async () => {
        const routes = await this.domains.routes();
        if (!isSkipped(routes)) await this.#send(routes);
      })
      .catch(error => this.log.warn({ err: error }, 'Custom domains could not be routed; it will be repeated'));
    return this.#latest;
  }

  async #send(routes: Routes): Promise<void> {
    if (!(await this.runtime.features()).has('customDomains')) return;
    await this.runtime.routeDomains(routes);
    this.#sentNone = routes.length === 0;
  }
}
