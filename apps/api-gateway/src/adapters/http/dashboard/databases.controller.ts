import { Body, Controller, Delete, Param, Post, UseGuards } from '@nestjs/common';
import { createDatabase, databaseInput, deleteDatabase } from '@postern/contracts';
import type { z } from 'zod';
import { Acting, type ActingUser } from '../acting-user.js';
import { id } from '../input/parameters.js';
import { Answers } from '../openapi/describe.js';
import { DatabasesController } from '../platform/databases.controller.js';
import { SessionGuard } from './session.guard.js';

/** Programs may read databases; making and deleting them is left to people. */
@Controller('dashboard/api/databases')
@UseGuards(SessionGuard)
export class DashboardDatabasesController extends DatabasesController {
  @Post()
  @Answers(createDatabase, 'Create a database; the URL with its credentials is shown this once')
  create(@Acting() user: ActingUser, @Body({ schema: databaseInput }) body: z.output<typeof databaseInput>) {
    return this.services.ask(createDatabase, { workspace_id: user.workspaceId, ...body }, user);
  }

  @Delete(':database_id')
  @Answers(deleteDatabase, 'Stop a database and delete its data')
  delete(@Acting() user: ActingUser, @Param('database_id', { schema: id }) database_id: string) {
    return this.services.ask(deleteDatabase, { workspace_id: user.workspaceId, database_id }, user);
  }
}
