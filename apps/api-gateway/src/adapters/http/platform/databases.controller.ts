import { Controller, Get, Param, Query } from '@nestjs/common';
import { getDatabase, listDatabases } from '@postern/contracts';
import type { z } from 'zod';
import { Services } from '../../../ports.js';
import { Acting, type ActingUser } from '../acting-user.js';
import { id, pageOf } from '../input/parameters.js';
import { Answers } from '../openapi/describe.js';
import { DATABASE, DATABASE_WITH_USAGE, onePageOf } from './examples.js';

const databasesQuery = pageOf(50);

/** Databases of the active workspace, to read only. */
@Controller('api/v1/databases')
export class DatabasesController {
  constructor(protected readonly services: Services) {}

  @Get()
  @Answers(listDatabases, 'Relational databases and key-value stores in one list, oldest first', {
    examples: { reply: onePageOf(DATABASE, 50) },
  })
  list(@Acting() user: ActingUser, @Query({ schema: databasesQuery }) query: z.output<typeof databasesQuery>) {
    return this.services.ask(listDatabases, { workspace_id: user.workspaceId, ...query }, user);
  }

  @Get(':database_id')
  @Answers(getDatabase, 'One database with its current usage', { examples: { reply: DATABASE_WITH_USAGE } })
  get(@Acting() user: ActingUser, @Param('database_id', { schema: id }) database_id: string) {
    return this.services.ask(getDatabase, { workspace_id: user.workspaceId, database_id }, user);
  }
}
