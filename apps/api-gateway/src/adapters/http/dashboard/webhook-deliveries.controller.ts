import { Body, Controller, Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { listDeliveries, replayDelivery, replaySince, testWebhook } from '@postern/contracts';
import { z } from 'zod';
import { Services } from '../../../ports.js';
import { id, pageQuery } from '../input/parameters.js';
import { Answers } from '../openapi/describe.js';
import { OwnedServiceGuard } from './owned-service.guard.js';
import { SessionGuard } from './session.guard.js';
import { type Session, SignedIn } from './session.js';

const ofWebhook = z.object({ service_id: id, webhook_id: id });
const ofDelivery = ofWebhook.extend({ delivery_id: id });
const testEvent = z.strictObject(testWebhook.request.pick({ event: true }).shape);
const since = z.strictObject(replaySince.request.pick({ since: true }).shape);
const deliveriesQuery = pageQuery.extend(listDeliveries.request.pick({ state: true }).shape);

@Controller('dashboard/api/email-services/:service_id/webhooks/:webhook_id')
@UseGuards(SessionGuard, OwnedServiceGuard)
export class WebhookDeliveriesController {
  constructor(private readonly services: Services) {}

  @Post('test')
  @HttpCode(200)
  @Answers(testWebhook, 'Send a test event now')
  test(
    @SignedIn() session: Session,
    @Param({ schema: ofWebhook }) of: z.output<typeof ofWebhook>,
    @Body({ schema: testEvent }) body: z.output<typeof testEvent>,
  ) {
    return this.services.ask(testWebhook, { ...of, ...body }, session);
  }

  @Get('deliveries')
  @Answers(listDeliveries, 'Deliveries with their attempts, newest first')
  list(
    @SignedIn() session: Session,
    @Param({ schema: ofWebhook }) of: z.output<typeof ofWebhook>,
    @Query({ schema: deliveriesQuery }) query: z.output<typeof deliveriesQuery>,
  ) {
    return this.services.ask(listDeliveries, { ...of, ...query }, session);
  }

  @Post('deliveries/:delivery_id/replay')
  @Answers(replayDelivery, 'Send an event again, as a new delivery with the full schedule')
  replay(@SignedIn() session: Session, @Param({ schema: ofDelivery }) of: z.output<typeof ofDelivery>) {
    return this.services.ask(replayDelivery, of, session);
  }

  @Post('replay')
  @HttpCode(200)
  @Answers(replaySince, 'Send every event since a time again')
  replaySince(
    @SignedIn() session: Session,
    @Param({ schema: ofWebhook }) of: z.output<typeof ofWebhook>,
    @Body({ schema: since }) body: z.output<typeof since>,
  ) {
    return this.services.ask(replaySince, { ...of, ...body }, session);
  }
}
