import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Runtime } from '@postern/runtime';
import { ServiceLog, Tasks } from '@postern/service-host';
import { CustomDomains } from './ports.js';

const REPEAT_MS = 15_000;

type Routes = Awaited<ReturnType<CustomDomains['routes']>>;

/** Sends all verified domains to the runtime after each change, and on a timer in case an order was lost. */
@Injectable()
export class DomainRoutes implements OnApplicationBootstrap {
  /** The timer sends an empty list only once, because most installations have no custom domains. */
  #sentNone = false;
  #latest: Promise<void> = Promise.resolve();

  constructor(
    private readonly domains: CustomDomains,
    private readonly runtime: Runtime,
    private readonly tasks: Tasks,
    private readonly log: ServiceLog,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every(REPEAT_MS, 'route custom domains', () =>
      this.#inTurn(routes => this.#sentNone && routes.length === 0),
    );
  }

  /** Sends all domains, also an empty list. Never rejects: the timer sends the list again after a failure. */
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
