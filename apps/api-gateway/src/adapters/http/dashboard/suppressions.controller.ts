import { Controller, Delete, Get, Param, Query, UseGuards } from '@nestjs/common';
import { liftSuppression, listSuppressions } from '@postern/contracts';
import { z } from 'zod';
import { Services } from '../../../ports.js';
import { id, pageQuery } from '../input/parameters.js';
import { Answers } from '../openapi/describe.js';
import { OwnedServiceGuard } from './owned-service.guard.js';
import { SessionGuard } from './session.guard.js';
import { type Session, SignedIn } from './session.js';

const ofSuppression = z.object({ service_id: id, address: z.string().min(1).max(320) });

@Controller('dashboard/api/email-services/:service_id/suppressions')
@UseGuards(SessionGuard, OwnedServiceGuard)
export class SuppressionsController {
  constructor(private readonly services: Services) {}

  @Get()
  @Answers(listSuppressions, 'Addresses that bounced hard or complained')
  list(
    @SignedIn() session: Session,
    @Param('service_id', { schema: id }) service_id: string,
    @Query({ schema: pageQuery }) query: z.output<typeof pageQuery>,
  ) {
    return this.services.ask(listSuppressions, { service_id, ...query }, session);
  }

  @Delete(':address')
  @Answers(liftSuppression, 'Take an address off the list')
  lift(@SignedIn() session: Session, @Param({ schema: ofSuppression }) of: z.output<typeof ofSuppression>) {
    return this.services.ask(liftSuppression, of, session);
  }
}
