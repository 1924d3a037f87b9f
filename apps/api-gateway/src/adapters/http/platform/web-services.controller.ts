import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import {
  createWebService,
  getWebService,
  listWebServices,
  restartWebService,
  startWebService,
  stopWebService,
  webServiceInput,
} from '@postern/contracts';
import type { z } from 'zod';
import { Services } from '../../../ports.js';
import { Acting, type ActingUser } from '../acting-user.js';
import { id } from '../input/parameters.js';
import { Answers } from '../openapi/describe.js';
import { NEW_WEB_SERVICE, statusNow, WEB_SERVICE } from './examples.js';

@Controller('api/v1/web-services')
export class WebServicesController {
  constructor(private readonly services: Services) {}

  @Get()
  @Answers(listWebServices, 'All web services of the user, oldest first', { examples: { reply: [WEB_SERVICE] } })
  list(@Acting() user: ActingUser) {
    return this.services.ask(listWebServices, { user_id: user.userId }, user);
  }

  @Post()
  @Answers(createWebService, 'Create a web service; its first deployment starts it', {
    examples: { body: NEW_WEB_SERVICE, reply: WEB_SERVICE },
  })
  create(@Acting() user: ActingUser, @Body({ schema: webServiceInput }) body: z.output<typeof webServiceInput>) {
    return this.services.ask(createWebService, { user_id: user.userId, ...body }, user);
  }

  @Get(':web_service_id')
  @Answers(getWebService, 'One web service', { examples: { reply: WEB_SERVICE } })
  get(@Acting() user: ActingUser, @Param('web_service_id', { schema: id }) web_service_id: string) {
    return this.services.ask(getWebService, { user_id: user.userId, web_service_id }, user);
  }

  @Post(':web_service_id/deploy')
  @HttpCode(202)
  @Answers(startWebService, 'The same as start', {
    description: 'Nothing is built: to release a new commit, create a deployment.',
    examples: { reply: statusNow('starting') },
  })
  deploy(@Acting() user: ActingUser, @Param('web_service_id', { schema: id }) web_service_id: string) {
    return this.start(user, web_service_id);
  }

  @Post(':web_service_id/start')
  @HttpCode(202)
  @Answers(startWebService, 'Start what was deployed last, with the environment of now', {
    examples: { reply: statusNow('starting') },
  })
  start(@Acting() user: ActingUser, @Param('web_service_id', { schema: id }) web_service_id: string) {
    return this.services.ask(startWebService, { user_id: user.userId, web_service_id }, user);
  }

  @Post(':web_service_id/restart')
  @HttpCode(202)
  @Answers(restartWebService, 'Replace the running instances one by one, with the environment of now', {
    examples: { reply: statusNow('restarting') },
  })
  restart(@Acting() user: ActingUser, @Param('web_service_id', { schema: id }) web_service_id: string) {
    return this.services.ask(restartWebService, { user_id: user.userId, web_service_id }, user);
  }

  @Post(':web_service_id/stop')
  @HttpCode(202)
  @Answers(stopWebService, 'Release the instances; environment and disks stay', {
    examples: { reply: statusNow('stopping') },
  })
  stop(@Acting() user: ActingUser, @Param('web_service_id', { schema: id }) web_service_id: string) {
    return this.services.ask(stopWebService, { user_id: user.userId, web_service_id }, user);
  }
}
