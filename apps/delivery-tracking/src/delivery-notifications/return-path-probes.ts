import { Injectable } from '@nestjs/common';
import { returnPathArrivals } from '@postern/contracts';
import { NatsLink } from '@postern/messaging';

/**
 * Notifies the return path probe of an operator that its mail has arrived, over core NATS: only a probe that still waits receives it.
 */
@Injectable()
export class ReturnPathProbes {
  constructor(private readonly link: NatsLink) {}

  arrived(probeId: string): void {
    if (this.link.connected) this.link.nc.publish(returnPathArrivals(probeId));
  }
}
