import { Injectable } from '@nestjs/common';
import { returnPathArrivals } from '@postern/contracts';
import { NatsLink } from '@postern/messaging';
import { ReturnPathArrivals } from '../tracked-emails/ports.js';

/** Says it over NATS to whoever waits. */
@Injectable()
export class NatsReturnPathArrivals extends ReturnPathArrivals {
  constructor(private readonly link: NatsLink) {
    super();
  }

  override tell(probeId: string): void {
    if (this.link.connected) this.link.nc.publish(returnPathArrivals(probeId));
  }
}
