import { Controller } from '@nestjs/common';
import {
  createEmailService,
  getEmailService,
  listEmailServices,
  type ReplyOf,
  type RequestOf,
  setServiceLimits,
  updateEmailService,
} from '@postern/contracts';
import { HandlesRequest } from '@postern/messaging';
import { CreateEmailService } from '../../commands/create-email-service.js';
import { SetServiceLimits } from '../../commands/set-service-limits.js';
import { UpdateEmailService } from '../../commands/update-email-service.js';
import { EmailServices } from '../../projections/email-services.js';

/** Email services as the dashboard and the operator see them. */
@Controller()
export class EmailServicesController {
  constructor(
    private readonly services: EmailServices,
    private readonly creating: CreateEmailService,
    private readonly updating: UpdateEmailService,
    private readonly limiting: SetServiceLimits,
  ) {}

  @HandlesRequest(createEmailService)
  async create(request: RequestOf<typeof createEmailService>): Promise<ReplyOf<typeof createEmailService>> {
    return this.services.get(await this.creating.execute(request), request.workspace_id);
  }

  @HandlesRequest(listEmailServices)
  list({ workspace_id }: RequestOf<typeof listEmailServices>): Promise<ReplyOf<typeof listEmailServices>> {
    return this.services.ofWorkspace(workspace_id);
  }

  @HandlesRequest(getEmailService)
  get({ service_id, workspace_id }: RequestOf<typeof getEmailService>): Promise<ReplyOf<typeof getEmailService>> {
    return this.services.get(service_id, workspace_id);
  }

  @HandlesRequest(updateEmailService)
  async update(request: RequestOf<typeof updateEmailService>): Promise<ReplyOf<typeof updateEmailService>> {
    await this.updating.execute(request);
    return this.services.get(request.service_id, request.workspace_id);
  }

  @HandlesRequest(setServiceLimits)
  async setLimits(request: RequestOf<typeof setServiceLimits>): Promise<ReplyOf<typeof setServiceLimits>> {
    await this.limiting.execute(request);
    return this.services.get(request.service_id);
  }
}
