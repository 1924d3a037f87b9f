import { MASKED_VALUE, type ReplyOf, type RequestOf, setProjectSecret } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { ProjectOwners } from '../../projects/ports.js';
import { NamedValueRepository } from './named-value-repository.js';
import { valueToSet } from './value-requests.js';

/** Creates or updates one secret of a project. */
@Handles(setProjectSecret)
export class SetProjectSecret {
  constructor(
    private readonly projects: ProjectOwners,
    private readonly values: NamedValueRepository,
  ) {}

  async execute(request: RequestOf<typeof setProjectSecret>): Promise<ReplyOf<typeof setProjectSecret>> {
    const { project_id, key, value, scope } = request;
    await this.projects.requireOwner(request, project_id);
    const [set] = await this.values.set('project_secrets', project_id, [valueToSet(request)]);
    if (!set) throw new Error(`setting the project secret ${key} returned no result`);
    return {
      secret: { id: set.id, key, scope, value: set.isSecret ? MASKED_VALUE : value, is_secret: set.isSecret },
      created: set.created,
    };
  }
}
