import { Controller } from '@nestjs/common';
import {
  deleteVariable,
  listVariables,
  MASKED_VALUE,
  type ReplyOf,
  type RequestOf,
  setVariable,
  setVariables,
} from '@postern/contracts';
import { HandlesRequest } from '@postern/messaging';
import { DeleteValue } from './delete-value.js';
import { ReadValues } from './read-values.js';
import { bulkResultOf, SetValues } from './set-values.js';

/** Environment variables of a web service. */
@Controller()
export class EnvironmentController {
  constructor(
    private readonly reading: ReadValues,
    private readonly setting: SetValues,
    private readonly deleting: DeleteValue,
  ) {}

  @HandlesRequest(listVariables)
  list({ user_id, web_service_id }: RequestOf<typeof listVariables>): Promise<ReplyOf<typeof listVariables>> {
    return this.reading.ofWebService(user_id, web_service_id);
  }

  @HandlesRequest(setVariable)
  async set(request: RequestOf<typeof setVariable>): Promise<ReplyOf<typeof setVariable>> {
    const { user_id, web_service_id, key, value, is_secret } = request;
    const [set] = await this.setting.ofWebService(user_id, web_service_id, [{ key, value, is_secret }]);
    if (!set) throw new Error('nothing was set');
    return {
      variable: { id: set.id, key, value: set.isSecret ? MASKED_VALUE : value, is_secret: set.isSecret },
      created: set.created,
    };
  }

  @HandlesRequest(setVariables)
  async setMany(request: RequestOf<typeof setVariables>): Promise<ReplyOf<typeof setVariables>> {
    const { user_id, web_service_id, variables } = request;
    return bulkResultOf(await this.setting.ofWebService(user_id, web_service_id, variables));
  }

  @HandlesRequest(deleteVariable)
  async delete(request: RequestOf<typeof deleteVariable>): Promise<ReplyOf<typeof deleteVariable>> {
    await this.deleting.ofWebService(request.user_id, request.web_service_id, request.var_id);
    return { id: request.var_id, deleted: true };
  }
}
