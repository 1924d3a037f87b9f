import { Body, Controller, Delete, Get, Param, Post, UseGuards } from '@nestjs/common';
import { createApiKey, listApiKeys, revokeApiKey } from '@postern/contracts';
import { z } from 'zod';
import { Services } from '../../../ports.js';
import { id } from '../input/parameters.js';
import { Answers } from '../openapi/describe.js';
import { SessionGuard } from './session.guard.js';
import { type Session, SignedIn } from './session.js';

const newApiKey = z.strictObject(createApiKey.request.pick({ name: true }).shape);

@Controller('dashboard/api/email-services/:service_id/api-keys')
@UseGuards(SessionGuard)
export class ApiKeysController {
  constructor(private readonly services: Services) {}

  @Post()
  @Answers(createApiKey, 'Create an API key; the key is shown this once')
  create(
    @SignedIn() session: Session,
    @Param('service_id', { schema: id }) service_id: string,
    @Body({ schema: newApiKey }) body: z.output<typeof newApiKey>,
  ) {
    return this.services.ask(createApiKey, { workspace_id: session.workspaceId, service_id, ...body }, session);
  }

  @Get()
  @Answers(listApiKeys, 'API keys, without the keys themselves')
  list(@SignedIn() session: Session, @Param('service_id', { schema: id }) service_id: string) {
    return this.services.ask(listApiKeys, { workspace_id: session.workspaceId, service_id }, session);
  }

  @Delete(':key_id')
  @Answers(revokeApiKey, 'Revoke an API key at once')
  revoke(
    @SignedIn() session: Session,
    @Param('service_id', { schema: id }) service_id: string,
    @Param('key_id', { schema: id }) key_id: string,
  ) {
    return this.services.ask(revokeApiKey, { workspace_id: session.workspaceId, service_id, key_id }, session);
  }
}
