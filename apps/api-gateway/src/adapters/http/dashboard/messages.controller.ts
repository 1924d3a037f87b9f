import { Controller, Get, Param, Query, UseGuards } from '@nestjs/common';
import { getEmailStats, getTrackedEmail, listEmails } from '@postern/contracts';
import { z } from 'zod';
import { Services } from '../../../ports.js';
import { id, pageQuery } from '../input/parameters.js';
import { Answers } from '../openapi/describe.js';
import { OwnedServiceGuard } from './owned-service.guard.js';
import { SessionGuard } from './session.guard.js';
import { type Session, SignedIn } from './session.js';

const emailsQuery = pageQuery.extend(
  listEmails.request.pick({ search: true, state: true, result: true, from: true, to: true }).shape,
);
const statsQuery = z.strictObject(getEmailStats.request.pick({ from: true, to: true }).shape);
const ofEmail = z.object({ service_id: id, email_id: id });

@Controller('dashboard/api/email-services/:service_id')
@UseGuards(SessionGuard, OwnedServiceGuard)
export class MessagesController {
  constructor(private readonly services: Services) {}

  @Get('emails')
  @Answers(listEmails, 'Messages with the state of every recipient, newest first')
  list(
    @SignedIn() session: Session,
    @Param('service_id', { schema: id }) service_id: string,
    @Query({ schema: emailsQuery }) query: z.output<typeof emailsQuery>,
  ) {
    return this.services.ask(listEmails, { service_id, ...query }, session);
  }

  @Get('emails/:email_id')
  @Answers(getTrackedEmail, 'One message with its timeline')
  get(@SignedIn() session: Session, @Param({ schema: ofEmail }) of: z.output<typeof ofEmail>) {
    return this.services.ask(getTrackedEmail, of, session);
  }

  @Get('stats')
  @Answers(getEmailStats, 'Counts and rates by UTC day')
  stats(
    @SignedIn() session: Session,
    @Param('service_id', { schema: id }) service_id: string,
    @Query({ schema: statsQuery }) query: z.output<typeof statsQuery>,
  ) {
    return this.services.ask(getEmailStats, { service_id, ...query }, session);
  }
}
