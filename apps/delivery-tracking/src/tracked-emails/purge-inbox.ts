import { Injectable } from '@nestjs/common';
import { Inbox } from '@postern/event-sourcing/postgres';
import { Every } from '@postern/service-host';

/** Deletes the records of handled events that are too old to arrive again. */
@Injectable()
export class PurgeInbox {
  constructor(private readonly inbox: Inbox) {}

  @Every(86_400_000, 'purge the inbox')
  run(): Promise<number> {
    return this.inbox.purge();
  }
}
