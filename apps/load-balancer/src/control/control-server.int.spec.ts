import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { controlSocket } from '@postern/load-balancer-client';
import { BalancerFixture, SERVICE } from '../testing/balancer-fixture.js';

describe('The control API', () => {
  let balancer: BalancerFixture;

  beforeEach(async () => {
    balancer = await BalancerFixture.start();
    await balancer.client.reserve(SERVICE, 'shop');
    await balancer.client.switchTo(SERVICE, [{ id: 'one', host: '127.0.0.1', port: 3_000 }], 2);
  });

  afterEach(() => balancer.stop());

  const send = (operation: string, body = ''): Promise<{ status: number; error: string }> => {
    const [method, path] = operation.replace(':id', SERVICE).split(' ');
    return new Promise((resolve, reject) => {
      const outgoing = request({ socketPath: controlSocket(balancer.home), method, path }, async response => {
        const { error } = (await new Response(response).json()) as { error: string };
        resolve({ status: response.statusCode ?? 0, error });
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  };

  it.each(['PUT /x', 'GET /services', 'POST /hosts', 'PUT /services/:id/x', 'PATCH /services/:id'])(
    'answers %s, which is no operation, with 404 and what to do',
    async operation => {
      expect(await send(operation)).toEqual({
        status: 404,
        error: `no operation ${operation.replace(':id', SERVICE)}: use a client of the same version as the load balancer`,
      });
    },
  );

  it('answers a confirmation of another epoch with 409 and what to do', async () => {
    expect(await send('POST /traffic/confirm', JSON.stringify({ epoch: 'earlier', upTo: {} }))).toEqual({
      status: 409,
      error: 'the epoch has changed: read the traffic again',
    });
  });

  it.each([
    ['PUT /services/:id/backends', { backends: [], version: 1 }, 409, 'version 1 is older than 2'],
    ['PUT /services/:id/closed', { reason: 'stopped', version: 1 }, 409, 'version 1 is older than 2'],
    ['POST /services/:id/drain', { backends: ['one'], timeoutMs: 0 }, 400, 'switch to other backends first'],
    ['PUT /services/:id/backends', {}, 400, 'backends'],
    ['PUT /services/not_an_id', { name: 'shop' }, 400, 'is not a valid service id'],
  ])('refuses %s %j with %d: %s', async (operation, order, status, reason) => {
    const answer = await send(operation, JSON.stringify(order));
    expect(answer).toEqual({ status, error: expect.stringContaining(reason) });
  });

  it('refuses an order for a service that is not reserved with 404', async () => {
    const unknown = randomUUID();
    const answer = await send(`PUT /services/${unknown}/backends`, '{"backends":[],"version":1}');
    expect(answer).toEqual({ status: 404, error: `no service ${unknown} is reserved: reserve it first` });
  });

  it('refuses a body that is no JSON or too large', async () => {
    expect(await send('PUT /hosts/', '{')).toEqual({ status: 400, error: 'the body of the order is not JSON' });
    expect(await send('PUT /hosts/', ' '.repeat(4 * 1024 * 1024 + 1))).toEqual({
      status: 400,
      error: 'the order is too large: its body may have 4194304 bytes',
    });
  });
});
