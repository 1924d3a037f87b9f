import { Body, Controller, Delete, Get, Param, Post, Put, Res } from '@nestjs/common';
import {
  deleteProjectSecret,
  listProjectSecrets,
  projectSecretInput,
  setProjectSecret,
  setProjectSecrets,
} from '@postern/contracts';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Services } from '../../../ports.js';
import { Acting, type ActingUser } from '../acting-user.js';
import { id } from '../input/parameters.js';
import { Answers } from '../openapi/describe.js';
import { BULK_RESULT, DELETION, NEW_SECRET, SECRET, SECRETS_BY_KEY } from './examples.js';

const secretsInput = z.strictObject(setProjectSecrets.request.pick({ secrets: true }).shape);
const ofSecret = z.object({ project_id: id, secret_id: id });

@Controller('api/v1/projects/:project_id/secrets')
export class ProjectSecretsController {
  constructor(private readonly services: Services) {}

  @Get()
  @Answers(listProjectSecrets, 'Secrets by key, their values masked', { examples: { reply: SECRETS_BY_KEY } })
  list(@Acting() user: ActingUser, @Param('project_id', { schema: id }) project_id: string) {
    return this.services.ask(listProjectSecrets, { user_id: user.userId, project_id }, user);
  }

  @Post()
  @Answers(setProjectSecret, 'Set the value of a key in one scope', {
    reply: setProjectSecret.reply.shape.secret,
    also: { 200: 'The key was there in this scope and has the new value, under the same id.' },
    examples: { body: NEW_SECRET, reply: SECRET },
  })
  async set(
    @Acting() user: ActingUser,
    @Param('project_id', { schema: id }) project_id: string,
    @Body({ schema: projectSecretInput }) body: z.output<typeof projectSecretInput>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const asked = { user_id: user.userId, project_id, ...body };
    const { secret, created } = await this.services.ask(setProjectSecret, asked, user);
    reply.code(created ? 201 : 200);
    return secret;
  }

  @Put('bulk')
  @Answers(setProjectSecrets, 'Set many secrets, all or none; those not named stay', {
    examples: { body: { secrets: [NEW_SECRET] }, reply: BULK_RESULT },
  })
  setAll(
    @Acting() user: ActingUser,
    @Param('project_id', { schema: id }) project_id: string,
    @Body({ schema: secretsInput }) body: z.output<typeof secretsInput>,
  ) {
    return this.services.ask(setProjectSecrets, { user_id: user.userId, project_id, ...body }, user);
  }

  @Delete(':secret_id')
  @Answers(deleteProjectSecret, 'Delete the value of a key in one scope', { examples: { reply: DELETION } })
  delete(@Acting() user: ActingUser, @Param({ schema: ofSecret }) of: z.output<typeof ofSecret>) {
    return this.services.ask(deleteProjectSecret, { user_id: user.userId, ...of }, user);
  }
}
