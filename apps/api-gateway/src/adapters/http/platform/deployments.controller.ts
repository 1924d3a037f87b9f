import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  createDeployment,
  deploymentInput,
  getDeployment,
  listDeployments,
  rollBackDeployment,
} from '@postern/contracts';
import { z } from 'zod';
import { Services } from '../../../ports.js';
import { Acting, type ActingUser } from '../acting-user.js';
import { id, pageOf } from '../input/parameters.js';
import { Answers } from '../openapi/describe.js';
import { DEPLOYMENT, NEW_DEPLOYMENT, onePageOf, ROLLBACK } from './examples.js';

const deploymentsQuery = pageOf(10);
const branchChoice = deploymentInput.prefault({});
export const ofDeployment = z.object({ web_service_id: id, deployment_id: id });
export type OfDeployment = z.output<typeof ofDeployment>;

@Controller('api/v1/web-services/:web_service_id/deployments')
export class DeploymentsController {
  constructor(protected readonly services: Services) {}

  @Get()
  @Answers(listDeployments, 'Deployments, newest first', { examples: { reply: onePageOf(DEPLOYMENT, 10) } })
  list(
    @Acting() user: ActingUser,
    @Param('web_service_id', { schema: id }) web_service_id: string,
    @Query({ schema: deploymentsQuery }) query: z.output<typeof deploymentsQuery>,
  ) {
    return this.services.ask(listDeployments, { user_id: user.userId, web_service_id, ...query }, user);
  }

  @Post()
  @HttpCode(202)
  @Answers(createDeployment, 'Build and release the newest commit of a branch', {
    description: 'Without a body: of the configured branch. Poll the deployment until it is `live` or over.',
    examples: { body: { branch: 'main' }, reply: NEW_DEPLOYMENT },
  })
  create(
    @Acting() user: ActingUser,
    @Param('web_service_id', { schema: id }) web_service_id: string,
    @Body({ schema: branchChoice }) body: z.output<typeof branchChoice>,
  ) {
    return this.services.ask(createDeployment, { user_id: user.userId, web_service_id, ...body }, user);
  }

  @Get(':deployment_id')
  @Answers(getDeployment, 'One deployment', { examples: { reply: DEPLOYMENT } })
  get(@Acting() user: ActingUser, @Param({ schema: ofDeployment }) of: OfDeployment) {
    return this.services.ask(getDeployment, { user_id: user.userId, ...of }, user);
  }

  @Post(':deployment_id/rollback')
  @HttpCode(202)
  @Answers(rollBackDeployment, 'Release what an earlier deployment built, without building again', {
    description: 'Answers the new deployment; what runs keeps serving until the new instances answer.',
    examples: { reply: ROLLBACK },
  })
  rollBack(@Acting() user: ActingUser, @Param({ schema: ofDeployment }) of: OfDeployment) {
    return this.services.ask(rollBackDeployment, { user_id: user.userId, ...of }, user);
  }
}
