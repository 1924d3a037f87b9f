import { Injectable } from '@nestjs/common';
import { PLATFORM_MANAGEMENT_EVENTS } from '@postern/contracts';
import { type EventBatch, HandlesEvents } from '@postern/messaging';

type Events = EventBatch<(typeof PLATFORM_MANAGEMENT_EVENTS)[number]>;

/** Consumes the published events of platform-management, for specs. */
@Injectable()
export class RecordedEvents {
  static readonly all: Events[number][] = [];

  static ofWebService(id: string): Events {
    return RecordedEvents.all.filter(({ data }) => 'web_service_id' in data && data.web_service_id === id);
  }

  @HandlesEvents(PLATFORM_MANAGEMENT_EVENTS, { consumer: 'spec' })
  record(batch: Events): void {
    RecordedEvents.all.push(...batch);
  }
}
