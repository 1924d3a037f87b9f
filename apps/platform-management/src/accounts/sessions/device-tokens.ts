import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { KeyRing } from '@postern/service-host';
import { z } from 'zod';

const PURPOSE = 'device-tokens';
const LIFETIME_MS = 180 * 24 * 3_600_000;

const content = z.object({ userId: z.string(), deviceId: z.string(), issuedAt: z.number() });

/** Tokens that are encrypted, so that they need not be stored. */
@Injectable()
export class DeviceTokens {
  constructor(private readonly keys: KeyRing) {}

  tokenOf(userId: string): string {
    const device = { userId, deviceId: randomBytes(12).toString('base64url'), issuedAt: Date.now() };
    return this.keys.seal(JSON.stringify(device), PURPOSE);
  }

  /** The id of the device; undefined if the token is invalid, of another account, or older than 180 days. */
  deviceOf(token: string | undefined, userId: string | undefined): string | undefined {
    const device = token === undefined ? undefined : this.#open(token);
    if (!device || device.userId !== userId || device.issuedAt < Date.now() - LIFETIME_MS) return undefined;
    return device.deviceId;
  }

  #open(token: string): z.output<typeof content> | undefined {
    try {
      return content.parse(JSON.parse(this.keys.open(token, PURPOSE)));
    } catch {
      return undefined;
    }
  }
}
