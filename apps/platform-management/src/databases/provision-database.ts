import { provisionDatabase, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { CreateDatabase } from './create-database.js';

/** Creates a database without returning its connection URL. */
@Handles(provisionDatabase)
export class ProvisionDatabase {
  constructor(private readonly create: CreateDatabase) {}

  async execute(request: RequestOf<typeof provisionDatabase>): Promise<ReplyOf<typeof provisionDatabase>> {
    const { connection_url: _, ...created } = await this.create.execute(request);
    return created;
  }
}
