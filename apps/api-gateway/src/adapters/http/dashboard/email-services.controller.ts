import { Body, Controller, Get, Param, Patch, Post, UseGuards } from '@nestjs/common';
import {
  createEmailService,
  emailServiceChanges,
  emailServiceName,
  getEmailService,
  listEmailServices,
  setServiceLimits,
  updateEmailService,
} from '@postern/contracts';
import { z } from 'zod';
import { Services } from '../../../ports.js';
import { id } from '../input/parameters.js';
import { Answers } from '../openapi/describe.js';
import { OperatorGuard } from './operator.guard.js';
import { SessionGuard } from './session.guard.js';
import { type Session, SignedIn } from './session.js';

const newLimits = setServiceLimits.request.shape.limits;
const newEmailService = z.strictObject({ name: emailServiceName });

@Controller('dashboard/api/email-services')
@UseGuards(SessionGuard)
export class EmailServicesController {
  constructor(private readonly services: Services) {}

  @Post()
  @Answers(createEmailService, 'Create an email service; it starts in sandbox mode')
  create(@SignedIn() session: Session, @Body({ schema: newEmailService }) body: z.output<typeof newEmailService>) {
    return this.services.ask(
      createEmailService,
      { workspace_id: session.workspaceId, owner_email: session.email, ...body },
      session,
    );
  }

  @Get()
  @Answers(listEmailServices, 'All email services of the workspace')
  list(@SignedIn() session: Session) {
    return this.services.ask(listEmailServices, { workspace_id: session.workspaceId }, session);
  }

  @Get(':service_id')
  @Answers(getEmailService, 'One email service')
  get(@SignedIn() session: Session, @Param('service_id', { schema: id }) service_id: string) {
    return this.services.ask(getEmailService, { workspace_id: session.workspaceId, service_id }, session);
  }

  @Patch(':service_id')
  @Answers(updateEmailService, 'Change name or switches of an email service')
  update(
    @SignedIn() session: Session,
    @Param('service_id', { schema: id }) service_id: string,
    @Body({ schema: emailServiceChanges }) changes: z.output<typeof emailServiceChanges>,
  ) {
    return this.services.ask(updateEmailService, { workspace_id: session.workspaceId, service_id, changes }, session);
  }

  @Patch(':service_id/limits')
  @UseGuards(OperatorGuard)
  @Answers(
    setServiceLimits,
    'Set the limits of anybody’s email service; absent ones are the defaults (operators only)',
    {
      also: { 403: 'Only an operator may do this.' },
    },
  )
  setLimits(
    @SignedIn() session: Session,
    @Param('service_id', { schema: id }) service_id: string,
    @Body({ schema: newLimits }) limits: z.output<typeof newLimits>,
  ) {
    return this.services.ask(setServiceLimits, { service_id, limits }, session);
  }
}
