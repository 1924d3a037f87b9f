import { Body, Controller, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { moderateWebService, type RequestInput } from '@postern/contracts';
import { z } from 'zod';
import { Services } from '../../../ports.js';
import { id } from '../input/parameters.js';
import { Answers } from '../openapi/describe.js';
import { OperatorGuard } from './operator.guard.js';
import { SessionGuard } from './session.guard.js';
import { type Session, SignedIn } from './session.js';

type Action = RequestInput<typeof moderateWebService>['action'];

const reason = moderateWebService.request.shape.reason.unwrap();
const whyBlocked = z.strictObject({ reason });
/** Services are suspended for one thing only, so that nobody has to write it. */
const whySuspended = z.strictObject({ reason: reason.default('The bandwidth limit was exceeded.') }).prefault({});
const why = z.strictObject({ reason: reason.optional() }).prefault({});

/** What an operator decides about anybody's web service. */
@Controller('dashboard/api/web-services/:web_service_id')
@UseGuards(SessionGuard, OperatorGuard)
export class ModerationController {
  constructor(private readonly services: Services) {}

  @Post('block')
  @HttpCode(200)
  @Answers(moderateWebService, 'Block a web service for what it contains; it is stopped (operators only)')
  block(
    @SignedIn() session: Session,
    @Param('web_service_id', { schema: id }) webServiceId: string,
    @Body({ schema: whyBlocked }) body: z.output<typeof whyBlocked>,
  ) {
    return this.moderate(session, webServiceId, 'block', body);
  }

  @Post('unblock')
  @HttpCode(200)
  @Answers(moderateWebService, 'Lift a block; the service stays stopped until it is started (operators only)')
  unblock(
    @SignedIn() session: Session,
    @Param('web_service_id', { schema: id }) webServiceId: string,
    @Body({ schema: why }) body: z.output<typeof why>,
  ) {
    return this.moderate(session, webServiceId, 'unblock', body);
  }

  @Post('suspend')
  @HttpCode(200)
  @Answers(moderateWebService, 'Suspend a web service for its bandwidth; it is stopped (operators only)')
  suspend(
    @SignedIn() session: Session,
    @Param('web_service_id', { schema: id }) webServiceId: string,
    @Body({ schema: whySuspended }) body: z.output<typeof whySuspended>,
  ) {
    return this.moderate(session, webServiceId, 'suspend', body);
  }

  @Post('resume')
  @HttpCode(200)
  @Answers(moderateWebService, 'End a suspension; the service stays stopped until it is started (operators only)')
  resume(
    @SignedIn() session: Session,
    @Param('web_service_id', { schema: id }) webServiceId: string,
    @Body({ schema: why }) body: z.output<typeof why>,
  ) {
    return this.moderate(session, webServiceId, 'resume', body);
  }

  private moderate(session: Session, web_service_id: string, action: Action, body: { reason?: string | undefined }) {
    return this.services.ask(
      moderateWebService,
      { actor_id: session.userId, web_service_id, action, ...body },
      session,
    );
  }
}
