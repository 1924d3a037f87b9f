import { Inject, Injectable, Module } from '@nestjs/common';
import { Refusal, type ReplyOf, type RequestOf, requestsOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { z } from 'zod';
import { ConfigError, type ConfigOf, defineConfig } from '../config/define-config.js';
import { databaseSettings, integer } from '../config/settings.js';
import { Database } from '../database/database.js';
import { CONFIG } from '../host.js';
import { ServiceLog } from '../log/service-log.js';
import type { ServiceOptions } from '../start-service.js';

/** The smallest complete service: one request, one table and one setting. */
const request = requestsOf('email-send');

export const greet = request('greet', {
  request: z.object({ name: z.string(), takesMs: z.int().default(0) }),
  reply: z.object({ times: z.int() }),
  refusals: { unwelcome: 403 },
});

export const greeterConfig = defineConfig({
  ...databaseSettings,
  greetingLimit: integer().default(100).describe('How often a name is greeted.'),
});

@Injectable()
class Greetings {
  constructor(
    private readonly database: Database,
    private readonly log: ServiceLog,
    @Inject(CONFIG) { greetingLimit }: ConfigOf<typeof greeterConfig>,
  ) {
    if (greetingLimit === 0) throw new ConfigError(['POSTERN_GREETING_LIMIT: must not be 0.']);
  }

  @Handles(greet)
  async greet({ name, takesMs }: RequestOf<typeof greet>): Promise<ReplyOf<typeof greet>> {
    if (name === 'Mallory') throw new Refusal('unwelcome', 'not you');
    // Causes an unhandled rejection.
    if (name === 'Loki') setImmediate(() => Promise.reject(new Error('in a callback')));
    // Blocks the event loop forever.
    if (name === 'Medusa') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    this.log.info({ name }, 'Greeting');
    const { rows } = await this.database.pool.query<{ times: number }>(
      `WITH wait AS (SELECT pg_sleep($2::float8 / 1000))
       INSERT INTO greetings (name) SELECT $1 FROM wait
       ON CONFLICT (name) DO UPDATE SET count = greetings.count + 1 RETURNING count AS times`,
      [name, takesMs],
    );
    return { times: rows[0]!.times };
  }
}

@Module({ providers: [Greetings] })
class GreeterModule {}

export const greeter: ServiceOptions<typeof greeterConfig> = {
  name: 'email-send',
  config: greeterConfig,
  module: GreeterModule,
  database: { directory: new URL('../../src/testing/migrations', import.meta.url) },
};
