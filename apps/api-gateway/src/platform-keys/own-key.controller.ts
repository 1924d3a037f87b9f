import { Controller, Get, Req } from '@nestjs/common';
import { DEFAULT_MAX_BODY_BYTES, platformKey } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';
import { callerOf } from '../infrastructure/http/access/caller.js';
import { Admits } from '../infrastructure/http/admission/route-admission.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';

const EXAMPLE = {
  id: '0198d39f-1a2b-7c3d-8e4f-5a6b7c8d9e00',
  name: 'CI pipeline',
  key_prefix: 'ak_live_a1B2',
  scope: 'write',
  expiry: null,
};

/** Responds with data from the admission of the call, without another request. */
@Controller('api/v1/users/me/api-key')
export class OwnKeyController {
  @Get()
  @Admits({ access: 'platform-key', role: 'viewer', maxBodyBytes: DEFAULT_MAX_BODY_BYTES, budget: 'caller' })
  @Describes({
    summary: 'Get the calling platform key, without its secret',
    operationId: 'getOwnKey',
    description:
      'Use it to check what a key may do before a call that changes something. `scope` is what the key may do now: ' +
      '`read` if its user is a viewer of the workspace. `projects` and `operations` are present if the key is restricted.',
    requests: [],
    reply: platformKey,
    examples: { reply: EXAMPLE },
  })
  get(@Req() request: FastifyRequest) {
    return callerOf(request).platformKey;
  }
}
