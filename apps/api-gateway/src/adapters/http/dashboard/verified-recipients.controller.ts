import { Body, Controller, Delete, Get, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import {
  addVerifiedRecipient,
  listVerifiedRecipients,
  preAddRecipient,
  removeVerifiedRecipient,
  verifyRecipient,
} from '@postern/contracts';
import { z } from 'zod';
import { Services } from '../../../ports.js';
import { id } from '../input/parameters.js';
import { Answers } from '../openapi/describe.js';
import { SessionGuard } from './session.guard.js';
import { type Session, SignedIn } from './session.js';

const newRecipient = z.strictObject(addVerifiedRecipient.request.pick({ address: true }).shape);
const enteredCode = z.strictObject(verifyRecipient.request.pick({ code: true }).shape);
const ofRecipient = z.object({ service_id: id, recipient_id: id });
type OfRecipient = z.output<typeof ofRecipient>;

@Controller('dashboard/api/email-services/:service_id/recipients')
@UseGuards(SessionGuard)
export class VerifiedRecipientsController {
  constructor(private readonly services: Services) {}

  @Post()
  @Answers(addVerifiedRecipient, 'Send a 6-digit code to an address')
  add(
    @SignedIn() session: Session,
    @Param('service_id', { schema: id }) service_id: string,
    @Body({ schema: newRecipient }) body: z.output<typeof newRecipient>,
  ) {
    return this.services.ask(addVerifiedRecipient, { workspace_id: session.workspaceId, service_id, ...body }, session);
  }

  @Post('me')
  @Answers(preAddRecipient, 'Add the own login address, which needs no code')
  addMyself(@SignedIn() session: Session, @Param('service_id', { schema: id }) service_id: string) {
    const { workspaceId: workspace_id, email: address } = session;
    return this.services.ask(preAddRecipient, { workspace_id, service_id, address }, session);
  }

  @Post(':recipient_id/verify')
  @HttpCode(200)
  @Answers(verifyRecipient, 'Enter the code')
  verify(
    @SignedIn() session: Session,
    @Param({ schema: ofRecipient }) of: OfRecipient,
    @Body({ schema: enteredCode }) body: z.output<typeof enteredCode>,
  ) {
    return this.services.ask(verifyRecipient, { workspace_id: session.workspaceId, ...of, ...body }, session);
  }

  @Get()
  @Answers(listVerifiedRecipients, 'Verified recipients and those that await their code')
  list(@SignedIn() session: Session, @Param('service_id', { schema: id }) service_id: string) {
    return this.services.ask(listVerifiedRecipients, { workspace_id: session.workspaceId, service_id }, session);
  }

  @Delete(':recipient_id')
  @Answers(removeVerifiedRecipient, 'Remove a recipient; it stops receiving sandbox mail at once')
  remove(@SignedIn() session: Session, @Param({ schema: ofRecipient }) of: OfRecipient) {
    return this.services.ask(removeVerifiedRecipient, { workspace_id: session.workspaceId, ...of }, session);
  }
}
