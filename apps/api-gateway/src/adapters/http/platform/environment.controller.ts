import { Body, Controller, Delete, Get, Param, Post, Put, Res } from '@nestjs/common';
import { deleteVariable, listVariables, setVariable, setVariables, variableInput } from '@postern/contracts';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Services } from '../../../ports.js';
import { Acting, type ActingUser } from '../acting-user.js';
import { id } from '../input/parameters.js';
import { Answers } from '../openapi/describe.js';
import { BULK_RESULT, DELETION, NEW_VARIABLE, VARIABLE } from './examples.js';

const variablesInput = z.strictObject(setVariables.request.pick({ variables: true }).shape);
const ofVariable = z.object({ web_service_id: id, var_id: id });

/** The environment of a web service. A change takes effect at its next start, restart or deployment. */
@Controller('api/v1/web-services/:web_service_id/env')
export class EnvironmentController {
  constructor(private readonly services: Services) {}

  @Get()
  @Answers(listVariables, 'Variables by key, secret values masked', { examples: { reply: [VARIABLE] } })
  list(@Acting() user: ActingUser, @Param('web_service_id', { schema: id }) web_service_id: string) {
    return this.services.ask(listVariables, { user_id: user.userId, web_service_id }, user);
  }

  @Post()
  @Answers(setVariable, 'Set a variable', {
    reply: setVariable.reply.shape.variable,
    also: { 200: 'The key was there and has the new value, under the same id.' },
    examples: { body: NEW_VARIABLE, reply: VARIABLE },
  })
  async set(
    @Acting() user: ActingUser,
    @Param('web_service_id', { schema: id }) web_service_id: string,
    @Body({ schema: variableInput }) body: z.output<typeof variableInput>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const asked = { user_id: user.userId, web_service_id, ...body };
    const { variable, created } = await this.services.ask(setVariable, asked, user);
    reply.code(created ? 201 : 200);
    return variable;
  }

  @Put('bulk')
  @Answers(setVariables, 'Set many variables, all or none; those not named stay', {
    examples: { body: { variables: [NEW_VARIABLE] }, reply: BULK_RESULT },
  })
  setAll(
    @Acting() user: ActingUser,
    @Param('web_service_id', { schema: id }) web_service_id: string,
    @Body({ schema: variablesInput }) body: z.output<typeof variablesInput>,
  ) {
    return this.services.ask(setVariables, { user_id: user.userId, web_service_id, ...body }, user);
  }

  @Delete(':var_id')
  @Answers(deleteVariable, 'Delete a variable', { examples: { reply: DELETION } })
  delete(@Acting() user: ActingUser, @Param({ schema: ofVariable }) of: z.output<typeof ofVariable>) {
    return this.services.ask(deleteVariable, { user_id: user.userId, ...of }, user);
  }
}
