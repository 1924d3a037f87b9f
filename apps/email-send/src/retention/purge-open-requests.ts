import { Injectable } from '@nestjs/common';
import { OpenRequests } from './ports.js';

/** On a timer: deletes requests too old to recognise a retry, and unresolved messages too old for evidence. */
@Injectable()
export class PurgeOpenRequests {
  constructor(private readonly requests: OpenRequests) {}

  run(now = new Date()): Promise<void> {
    return this.requests.purge(now);
  }
}
