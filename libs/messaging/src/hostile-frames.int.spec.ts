import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller } from '@nestjs/common';
import { requestsOf } from '@postern/contracts';
import { startNats, type TestNats } from '@postern/testing';
import fc from 'fast-check';
import { z } from 'zod';
import { connectNats, type NatsLink } from './connection.js';
import type { Log } from './log.js';
import { RequestClient } from './request-client.js';
import { HandlesRequest } from './server/handlers.js';
import { startTinyService, type TinyService } from './testing/tiny-service.js';

const request = requestsOf('email-send');
const greet = request('greet', { request: z.object({ name: z.string() }), reply: z.object({ greeting: z.string() }) });

@Controller()
class Answers {
  @HandlesRequest(greet)
  greet({ name }: z.output<typeof greet.request>) {
    return { greeting: `Hello, ${name}` };
  }
}

const logged: { fields: object; message: string }[] = [];
const note = (fields: object, message: string) => logged.push({ fields, message });
const log: Log = { info() {}, warn: note, error: note };

const hostileFrame = fc.record(
  {
    v: fc.oneof(fc.constant(1), fc.constant(2), fc.jsonValue()),
    i: fc.oneof(fc.string(), fc.jsonValue()),
    w: fc.oneof(fc.double(), fc.integer(), fc.jsonValue()),
    d: fc.oneof(fc.double(), fc.jsonValue()),
    c: fc.oneof(fc.record({ correlationId: fc.string() }), fc.jsonValue()),
    p: fc.oneof(fc.record({ name: fc.string() }), fc.jsonValue()),
    ok: fc.jsonValue(),
    fault: fc.jsonValue(),
    busy: fc.jsonValue(),
    refusal: fc.oneof(fc.record({ code: fc.string(), message: fc.jsonValue() }), fc.jsonValue()),
    a: fc.oneof(fc.integer(), fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const hostileData = fc.oneof(
  fc.uint8Array({ maxLength: 64 }),
  fc.json().map(text => Buffer.from(text)),
  fc.array(hostileFrame, { maxLength: 3 }).map(frames => Buffer.from(JSON.stringify(frames))),
);

describe('Whatever arrives', () => {
  let nats: TestNats;
  let service: TinyService;
  let link: NatsLink;
  let client: RequestClient;

  beforeAll(async () => {
    nats = await startNats();
    service = await startTinyService(nats.url, Answers, { log });
    link = await connectNats({ servers: nats.url, name: 'asker', log });
    client = new RequestClient(link);
  });

  afterAll(async () => {
    client?.close();
    await service?.stop();
    await link?.close();
    await nats?.stop();
  });

  it('as a request, the service answers the next one', async () => {
    const hostile = fc.asyncProperty(hostileData, fc.boolean(), async (data, wantsReply) => {
      link.nc.publish(greet.subject, data, wantsReply ? { reply: 'stranger.1' } : {});
      await expect(client.request(greet, { name: 'Ada' })).resolves.toEqual({ greeting: 'Hello, Ada' });
    });
    await fc.assert(hostile, { numRuns: 200 });
  });
});
