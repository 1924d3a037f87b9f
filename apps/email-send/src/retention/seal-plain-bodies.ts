import { Injectable } from '@nestjs/common';
import { Every } from '@postern/service-host';
import { PlainBodies } from './ports.js';

/** Seals bodies that a replica of the release before sealed bodies has stored. */
@Injectable()
export class SealPlainBodies {
  constructor(private readonly bodies: PlainBodies) {}

  @Every(60_000, 'seal bodies in clear')
  run(): Promise<void> {
    return this.bodies.sealAll();
  }
}
