import { listProjectSecrets, MASKED_VALUE, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { ProjectOwners } from '../../projects/ports.js';
import { NamedValueReader } from './named-value-reader.js';

/** Lists the secrets of a project by key, one entry per scope; secret values are masked. */
@Handles(listProjectSecrets)
export class ListProjectSecrets {
  constructor(
    private readonly projects: ProjectOwners,
    private readonly values: NamedValueReader,
  ) {}

  async execute(request: RequestOf<typeof listProjectSecrets>): Promise<ReplyOf<typeof listProjectSecrets>> {
    const { project_id } = request;
    await this.projects.requireOwner(request, project_id);
    const byKey = Object.groupBy(await this.values.valuesOf(project_id), ({ key }) => key);
    return Object.fromEntries(
      Object.entries(byKey).map(([key, values = []]) => [
        key,
        values.map(({ id, scope = 'production', value = MASKED_VALUE, isSecret }) => ({
          id,
          scope,
          value,
          is_secret: isSecret,
        })),
      ]),
    );
  }
}
