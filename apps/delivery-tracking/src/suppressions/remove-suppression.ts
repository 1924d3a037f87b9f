import { Injectable } from '@nestjs/common';
import type { liftSuppression, RequestOf } from '@postern/contracts';
import { EventStore, handleCommand } from '@postern/event-sourcing';
import { addressSuppression, suppressionStream } from './address-suppression.js';
import { ReadModels } from '../tracked-emails/ports.js';
import { signalMetadata } from '../tracked-emails/signal-metadata.js';

/** Takes an address off a service's list; refuses `suppression_not_found`. The list shows it when this resolves. */
@Injectable()
export class LiftSuppression {
  constructor(
    private readonly store: EventStore,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ service_id, address }: RequestOf<typeof liftSuppression>): Promise<Record<string, never>> {
    const data = { service_id, address: address.trim().toLowerCase(), at: new Date().toISOString() };
    const stream = suppressionStream(service_id, data.address);
    await handleCommand(this.store, addressSuppression, stream, { kind: 'lift', data }, signalMetadata());
    await this.readModels.caughtUp();
    return {};
  }
}
