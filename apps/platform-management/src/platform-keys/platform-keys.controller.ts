import { Controller } from '@nestjs/common';
import {
  admitPlatformCall,
  createPlatformKey,
  listPlatformKeys,
  type ReplyOf,
  type RequestOf,
  revokePlatformKey,
} from '@postern/contracts';
import { HandlesRequest } from '@postern/messaging';
import { AdmitPlatformCall } from './admit-platform-call.js';
import { CreatePlatformKey } from './create-platform-key.js';
import { PlatformKeys } from './platform-keys.projection.js';
import { RevokePlatformKey } from './revoke-platform-key.js';

/** Keys of the platform API, and the calls that come with them. */
@Controller()
export class PlatformKeysController {
  constructor(
    private readonly keys: PlatformKeys,
    private readonly admitting: AdmitPlatformCall,
    private readonly creating: CreatePlatformKey,
    private readonly revoking: RevokePlatformKey,
  ) {}

  @HandlesRequest(admitPlatformCall)
  admit(request: RequestOf<typeof admitPlatformCall>): Promise<ReplyOf<typeof admitPlatformCall>> {
    return this.admitting.execute(request);
  }

  @HandlesRequest(createPlatformKey)
  create(request: RequestOf<typeof createPlatformKey>): Promise<ReplyOf<typeof createPlatformKey>> {
    return this.creating.execute(request);
  }

  @HandlesRequest(listPlatformKeys)
  list(request: RequestOf<typeof listPlatformKeys>): Promise<ReplyOf<typeof listPlatformKeys>> {
    return this.keys.list(request);
  }

  @HandlesRequest(revokePlatformKey)
  async revoke(request: RequestOf<typeof revokePlatformKey>): Promise<ReplyOf<typeof revokePlatformKey>> {
    await this.revoking.execute(request);
    return {};
  }
}
