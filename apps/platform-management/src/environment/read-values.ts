import { Injectable } from '@nestjs/common';
import { type listProjectSecrets, type listVariables, MASKED_VALUE, type ReplyOf } from '@postern/contracts';
import { NamedValueReadings, Ownership } from './ports.js';

/** Reads variables and secrets, the secret ones masked. */
@Injectable()
export class ReadValues {
  constructor(
    private readonly ownership: Ownership,
    private readonly values: NamedValueReadings,
  ) {}

  async ofWebService(userId: string, webServiceId: string): Promise<ReplyOf<typeof listVariables>> {
    await this.ownership.ofWebService(userId, webServiceId);
    const values = await this.values.of(webServiceId);
    return values.map(({ id, key, value = MASKED_VALUE, isSecret }) => ({ id, key, value, is_secret: isSecret }));
  }

  async ofProject(userId: string, projectId: string): Promise<ReplyOf<typeof listProjectSecrets>> {
    await this.ownership.ofProject(userId, projectId);
    const byKey = Object.groupBy(await this.values.of(projectId), ({ key }) => key);
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
