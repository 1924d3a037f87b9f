import { Controller } from '@nestjs/common';
import {
  createWebService,
  getWebService,
  listWebServices,
  moderateWebService,
  type ReplyOf,
  type RequestOf,
  restartWebService,
  startWebService,
  stopWebService,
} from '@postern/contracts';
import { HandlesRequest } from '@postern/messaging';
import { ModerateWebService } from '../moderation/moderate-web-service.js';
import { ChangeLifecycle } from './change-lifecycle.js';
import { CreateWebService } from './create-web-service.js';
import { ServiceAddresses } from './web-service-urls.js';
import { type WebServiceRecord, type WebServiceReply, WebServices } from './web-services.projection.js';

/** Web services, their lifecycle, and what an operator may do to them. */
@Controller()
export class WebServicesController {
  constructor(
    private readonly services: WebServices,
    private readonly addresses: ServiceAddresses,
    private readonly creating: CreateWebService,
    private readonly lifecycle: ChangeLifecycle,
    private readonly moderating: ModerateWebService,
  ) {}

  @HandlesRequest(listWebServices)
  async list({ user_id }: RequestOf<typeof listWebServices>): Promise<ReplyOf<typeof listWebServices>> {
    return Promise.all((await this.services.ofUser(user_id)).map(record => this.#reply(record)));
  }

  @HandlesRequest(createWebService)
  async create(request: RequestOf<typeof createWebService>): Promise<ReplyOf<typeof createWebService>> {
    return this.#reply(await this.services.get(await this.creating.execute(request), request.user_id));
  }

  @HandlesRequest(getWebService)
  async get(request: RequestOf<typeof getWebService>): Promise<ReplyOf<typeof getWebService>> {
    return this.#reply(await this.services.get(request.web_service_id, request.user_id));
  }

  @HandlesRequest(startWebService)
  start(request: RequestOf<typeof startWebService>): Promise<ReplyOf<typeof startWebService>> {
    return this.lifecycle.start(request);
  }

  @HandlesRequest(restartWebService)
  restart(request: RequestOf<typeof restartWebService>): Promise<ReplyOf<typeof restartWebService>> {
    return this.lifecycle.restart(request);
  }

  @HandlesRequest(stopWebService)
  stop(request: RequestOf<typeof stopWebService>): Promise<ReplyOf<typeof stopWebService>> {
    return this.lifecycle.stop(request);
  }

  @HandlesRequest(moderateWebService)
  async moderate(request: RequestOf<typeof moderateWebService>): Promise<ReplyOf<typeof moderateWebService>> {
    await this.moderating.execute(request);
    return this.#reply(await this.services.get(request.web_service_id));
  }

  async #reply(record: WebServiceRecord): Promise<WebServiceReply> {
    return { ...record, url: await this.addresses.of(record) };
  }
}
