import { type ReplyOf, type RequestOf, routeDomains } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Runtime } from '@postern/runtime';

/** Routes custom domains to web services; each request names all of them. */
@Handles(routeDomains)
export class RouteDomains {
  constructor(private readonly runtime: Runtime) {}

  async execute({ domains }: RequestOf<typeof routeDomains>): Promise<ReplyOf<typeof routeDomains>> {
    await this.runtime.routeDomains(
      domains.map(({ domain, web_service_id }) => ({ domain, webServiceId: web_service_id })),
    );
    return {};
  }
}
