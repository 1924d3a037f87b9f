import { Injectable } from '@nestjs/common';
import { returnPathArrivals } from '@postern/contracts';
import { NatsLink } from '@postern/messaging';
import { ReturnPathProbes } from './ports.js';

/** Publishes arrivals over core NATS, so only a probe that is still waiting receives them. */
@Injectable()
export class NatsReturnPathProbes extends ReturnPathProbes {
  constructor(private readonly link: NatsLink) {
    super();
  }

  override arrived(probeId: string): void {
    if (this.link.connected) this.link.nc.publish(returnPathArrivals(probeId));
  }
}
