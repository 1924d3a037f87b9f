import { Injectable } from '@nestjs/common';
import { PlainBodies } from './ports.js';

/** On a timer: seals bodies that a replica of the release before sealed bodies has stored. */
@Injectable()
export class SealPlainBodies {
  constructor(private readonly bodies: PlainBodies) {}

  run(): Promise<void> {
    return this.bodies.sealAll();
  }
}
