import { type ReplyOf, type RequestOf, setProjectSecrets } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { ProjectOwners } from '../../projects/ports.js';
import { NamedValueRepository } from './named-value-repository.js';
import { bulkResultOf, valueToSet } from './value-requests.js';

/** Creates or updates several secrets of a project atomically. */
@Handles(setProjectSecrets)
export class SetProjectSecrets {
  constructor(
    private readonly projects: ProjectOwners,
    private readonly values: NamedValueRepository,
  ) {}

  async execute(request: RequestOf<typeof setProjectSecrets>): Promise<ReplyOf<typeof setProjectSecrets>> {
    const { project_id, secrets } = request;
    await this.projects.requireOwner(request, project_id);
    return bulkResultOf(await this.values.set('project_secrets', project_id, secrets.map(valueToSet)));
  }
}
