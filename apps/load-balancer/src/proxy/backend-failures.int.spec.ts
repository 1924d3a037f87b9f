import { createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { freePort } from '@postern/testing';
import { BalancerFixture, listening, request, SERVICE } from '../testing/balancer-fixture.js';

describe('A request whose backend fails', () => {
  let balancer: BalancerFixture;

  beforeEach(async () => {
    balancer = await BalancerFixture.start({ headersMs: 400, connectMs: 500 });
  });

  afterEach(() => balancer.stop());

  it('is forwarded to another backend with its body, as long as no backend has received it', async () => {
    const { url, port } = await balancer.serve((incoming, response) => {
      incoming.pipe(response);
    });
    const dead = await freePort();
    await balancer.client.switchTo(
      SERVICE,
      [
        { id: 'dead', host: '127.0.0.1', port: dead },
        { id: 'one', host: '127.0.0.1', port },
      ],
      2,
    );

    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => request(url, { method: 'POST', body: `body ${index}` })),
    );

    expect(answers.map(({ status, body }) => `${status} ${body}`)).toEqual(
      answers.map((_, index) => `200 body ${index}`),
    );
  });

  it('is counted as a server error, like every answer of 500 or above, with the time until the answers', async () => {
    const { url } = await balancer.serve((incoming, response) => {
      if (incoming.url === '/silent') return;
      response.statusCode = incoming.url === '/broken' ? 500 : 404;
      response.end();
    });
    const statuses: number[] = [];
    for (const path of ['/', '/broken', '/silent']) statuses.push((await request(`${url}${path}`)).status);
    expect(statuses).toEqual([404, 500, 504]);
    const route = (await balancer.client.routes()).find(({ id }) => id === SERVICE);
    expect(route?.answers).toMatchObject({ count: 3, serverErrors: 2 });
    // The silent backend was waited for.
    expect(route?.answers.responseMs).toBeGreaterThanOrEqual(400);
  });

  it('may take as long until its first byte as its backend allows', async () => {
    const { port } = await balancer.backend((_, response) => {
      setTimeout(() => response.end('late'), 1_000);
    });
    const { url } = await balancer.serve(() => undefined);
    const backend = { id: 'slow', host: '127.0.0.1', port };
    await balancer.client.switchTo(SERVICE, [{ ...backend, firstByteMs: 5_000 }], 2);
    expect(await request(url)).toMatchObject({ status: 200, body: 'late' });
    await balancer.client.switchTo(SERVICE, [{ ...backend, id: 'impatient', firstByteMs: 100 }], 3);
    expect((await request(url)).status).toBe(504);
  });

  it.each(['POST', 'PUT'])('is not repeated if the connection broke while sending a %s body', async method => {
    let requests = 0;
    const breaking = (socket: Socket) => {
      requests += 1;
      socket.destroy();
    };
    const { url } = await balancer.serve(incoming => incoming.once('data', () => breaking(incoming.socket)));
    const { port } = await balancer.backend(incoming => incoming.once('data', () => breaking(incoming.socket)));
    const [first] = (await balancer.client.routes())[0]?.backends ?? [];
    await balancer.client.switchTo(
      SERVICE,
      [
        { id: 'one', host: '127.0.0.1', port: first!.port },
        { id: 'two', host: '127.0.0.1', port },
      ],
      2,
    );

    const answer = await request(url, { method, body: 'pay 10 €' });

    expect(answer.status).toBe(502);
    expect(requests).toBe(1);
  });

  it('gets a 502 page in plain language if the backend does not accept the connection', async () => {
    const url = await balancer.client.reserve(SERVICE, 'shop');
    await balancer.client.switchTo(SERVICE, [{ id: 'dead', host: '127.0.0.1', port: await freePort() }], 1);

    const answer = await request(url);
    const page = await request(url, { headers: { Accept: 'text/html,*/*' } });

    expect([answer.status, page.status]).toEqual([502, 502]);
    expect(answer.body).toMatch(/^This service did not answer\. .+\n$/);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.body).toContain('<h1>This service did not answer</h1>');
  });

  it('gets 504 if the response does not begin in time', async () => {
    const { url } = await balancer.serve(() => undefined);

    expect((await request(url)).status).toBe(504);
  });

  it('ends with a broken connection if the response breaks off', async () => {
    const { url } = await balancer.serve((incoming, response) => {
      response.writeHead(200, { 'Content-Length': 1_000 });
      response.write('only the beginning', () => incoming.socket.destroy());
    });

    await expect(request(url)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('is a 502 if its connection ends after a GET was read, which runs once', async () => {
    let runs = 0;
    const { url } = await balancer.serve(({ url: path, socket }, response) => {
      if (path === '/') return response.end('ok');
      runs += 1;
      return setTimeout(() => socket.destroy(), 100);
    });
    // The next request uses the same connection.
    expect((await request(url)).status).toBe(200);
    expect((await request(`${url}/report`)).status).toBe(502);
    expect(runs).toBe(1);
  });

  it('succeeds while the backend closes its idle connections', async () => {
    const server = createServer(socket => {
      socket.on('error', () => undefined);
      socket.on('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
        setTimeout(() => socket.destroy(), 5);
      });
    });
    const url = await balancer.client.reserve(SERVICE, 'shop');
    const port = await listening(server);
    await balancer.client.switchTo(SERVICE, [{ id: 'one', host: '127.0.0.1', port }], 1);

    const statuses: number[] = [];
    for (let index = 0; index < 40; index += 1) {
      statuses.push((await request(url)).status);
      await delay(index % 10);
    }
    server.close();

    expect(statuses).toEqual(Array.from({ length: 40 }, () => 200));
  });
});
