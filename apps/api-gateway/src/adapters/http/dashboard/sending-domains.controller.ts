import { Body, Controller, Delete, Get, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import {
  addSendingDomain,
  getSendingDomain,
  listSendingDomains,
  removeSendingDomain,
  rotateDkimKey,
  verifySendingDomain,
} from '@postern/contracts';
import { z } from 'zod';
import { Services } from '../../../ports.js';
import { id } from '../input/parameters.js';
import { Answers } from '../openapi/describe.js';
import { SessionGuard } from './session.guard.js';
import { type Session, SignedIn } from './session.js';

const newDomain = z.strictObject(addSendingDomain.request.pick({ domain: true }).shape);
const ofDomain = z.object({ service_id: id, domain_id: id });
type OfDomain = z.output<typeof ofDomain>;

@Controller('dashboard/api/email-services/:service_id/domains')
@UseGuards(SessionGuard)
export class SendingDomainsController {
  constructor(private readonly services: Services) {}

  @Post()
  @Answers(addSendingDomain, 'Add a sending domain; the answer lists the DNS records to publish')
  add(
    @SignedIn() session: Session,
    @Param('service_id', { schema: id }) service_id: string,
    @Body({ schema: newDomain }) body: z.output<typeof newDomain>,
  ) {
    return this.services.ask(addSendingDomain, { workspace_id: session.workspaceId, service_id, ...body }, session);
  }

  @Get()
  @Answers(listSendingDomains, 'Sending domains with the state of their DNS records')
  list(@SignedIn() session: Session, @Param('service_id', { schema: id }) service_id: string) {
    return this.services.ask(listSendingDomains, { workspace_id: session.workspaceId, service_id }, session);
  }

  @Get(':domain_id')
  @Answers(getSendingDomain, 'One sending domain')
  get(@SignedIn() session: Session, @Param({ schema: ofDomain }) of: OfDomain) {
    return this.services.ask(getSendingDomain, { workspace_id: session.workspaceId, ...of }, session);
  }

  @Post(':domain_id/verify')
  @HttpCode(200)
  @Answers(verifySendingDomain, 'Look the DNS records up now')
  verify(@SignedIn() session: Session, @Param({ schema: ofDomain }) of: OfDomain) {
    return this.services.ask(verifySendingDomain, { workspace_id: session.workspaceId, ...of }, session);
  }

  @Post(':domain_id/rotate')
  @HttpCode(200)
  @Answers(rotateDkimKey, 'Start a rotation of the DKIM key')
  rotate(@SignedIn() session: Session, @Param({ schema: ofDomain }) of: OfDomain) {
    return this.services.ask(rotateDkimKey, { workspace_id: session.workspaceId, ...of }, session);
  }

  @Delete(':domain_id')
  @Answers(removeSendingDomain, 'Remove a sending domain')
  remove(@SignedIn() session: Session, @Param({ schema: ofDomain }) of: OfDomain) {
    return this.services.ask(removeSendingDomain, { workspace_id: session.workspaceId, ...of }, session);
  }
}
