import { Controller, Get } from '@nestjs/common';
import { platformKey } from '@postern/contracts';
import { Acting, type ActingUser } from '../acting-user.js';
import { Describes } from '../openapi/describe.js';
import { KEY } from './examples.js';

/** What the calling key may do. Its admission has already told, so nobody is asked again. */
@Controller('api/v1/users/me/api-key')
export class OwnKeyController {
  @Get()
  @Describes({
    summary: 'The calling key, without the key itself',
    asks: [],
    reply: platformKey,
    examples: { reply: KEY },
  })
  get(@Acting() user: ActingUser) {
    return user.platformKey;
  }
}
