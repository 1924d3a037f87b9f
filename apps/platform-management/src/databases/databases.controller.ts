import { Controller } from '@nestjs/common';
import {
  createDatabase,
  deleteDatabase,
  getDatabase,
  listDatabases,
  type ReplyOf,
  type RequestOf,
} from '@postern/contracts';
import { HandlesRequest } from '@postern/messaging';
import { CreateDatabase } from './create-database.js';
import { ProjectedDatabases } from './databases.projection.js';
import { DeleteDatabase } from './delete-database.js';
import { GetDatabase } from './get-database.js';

/** Databases of a workspace. */
@Controller()
export class DatabasesController {
  constructor(
    private readonly databases: ProjectedDatabases,
    private readonly getting: GetDatabase,
    private readonly creating: CreateDatabase,
    private readonly deleting: DeleteDatabase,
  ) {}

  @HandlesRequest(listDatabases)
  list(request: RequestOf<typeof listDatabases>): Promise<ReplyOf<typeof listDatabases>> {
    return this.databases.list(request);
  }

  @HandlesRequest(getDatabase)
  get(request: RequestOf<typeof getDatabase>): Promise<ReplyOf<typeof getDatabase>> {
    return this.getting.execute(request);
  }

  @HandlesRequest(createDatabase)
  create(request: RequestOf<typeof createDatabase>): Promise<ReplyOf<typeof createDatabase>> {
    return this.creating.execute(request);
  }

  @HandlesRequest(deleteDatabase)
  delete(request: RequestOf<typeof deleteDatabase>): Promise<ReplyOf<typeof deleteDatabase>> {
    return this.deleting.execute(request);
  }
}
