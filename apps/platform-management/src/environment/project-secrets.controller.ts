import { Controller } from '@nestjs/common';
import {
  deleteProjectSecret,
  listProjectSecrets,
  MASKED_VALUE,
  type ReplyOf,
  type RequestOf,
  setProjectSecret,
  setProjectSecrets,
} from '@postern/contracts';
import { HandlesRequest } from '@postern/messaging';
import { DeleteValue } from './delete-value.js';
import { ReadValues } from './read-values.js';
import { bulkResultOf, SetValues } from './set-values.js';

/** Secrets of a project, by scope. */
@Controller()
export class ProjectSecretsController {
  constructor(
    private readonly reading: ReadValues,
    private readonly setting: SetValues,
    private readonly deleting: DeleteValue,
  ) {}

  @HandlesRequest(listProjectSecrets)
  list({ user_id, project_id }: RequestOf<typeof listProjectSecrets>): Promise<ReplyOf<typeof listProjectSecrets>> {
    return this.reading.ofProject(user_id, project_id);
  }

  @HandlesRequest(setProjectSecret)
  async set(request: RequestOf<typeof setProjectSecret>): Promise<ReplyOf<typeof setProjectSecret>> {
    const { user_id, project_id, key, value, scope, is_secret } = request;
    const [set] = await this.setting.ofProject(user_id, project_id, [{ key, value, scope, is_secret }]);
    if (!set) throw new Error('nothing was set');
    return {
      secret: { id: set.id, key, scope, value: set.isSecret ? MASKED_VALUE : value, is_secret: set.isSecret },
      created: set.created,
    };
  }

  @HandlesRequest(setProjectSecrets)
  async setMany(request: RequestOf<typeof setProjectSecrets>): Promise<ReplyOf<typeof setProjectSecrets>> {
    const { user_id, project_id, secrets } = request;
    return bulkResultOf(await this.setting.ofProject(user_id, project_id, secrets));
  }

  @HandlesRequest(deleteProjectSecret)
  async delete(request: RequestOf<typeof deleteProjectSecret>): Promise<ReplyOf<typeof deleteProjectSecret>> {
    await this.deleting.ofProject(request.user_id, request.project_id, request.secret_id);
    return { id: request.secret_id, deleted: true };
  }
}
