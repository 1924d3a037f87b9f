import { Injectable } from '@nestjs/common';
import { notifyWorkspace } from '@postern/contracts';
import { RequestClient } from '@postern/messaging';
import { type OwnerNotification, OwnerNotifications } from './ports.js';

/** Has platform-management queue notifications, over NATS. */
@Injectable()
export class NatsOwnerNotifications extends OwnerNotifications {
  constructor(private readonly requests: RequestClient) {
    super();
  }

  override async notify(notification: OwnerNotification): Promise<void> {
    await this.requests.request(notifyWorkspace, notification);
  }
}
