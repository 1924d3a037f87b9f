import type { Files } from './repository.js';

/**
 * A web service for continuous traffic: delayed responses with `?ms=`, `/instance`, server-sent `/events` and a WebSocket
 * echo. It does not handle SIGTERM.
 */
export const streamingApp = (version: string): Files => ({
  'package.json': '{"name":"story","private":true,"type":"module"}',
  'server.js': `
    import { createHash, randomUUID } from 'node:crypto';
    import { createServer } from 'node:http';
    const version = ['${version}', ...process.argv.slice(2)].join(' ');
    const instance = randomUUID();
    const frame = text => Buffer.concat([Buffer.from([0x81, Buffer.byteLength(text)]), Buffer.from(text)]);

    const server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url, 'http://service');
      if (pathname === '/instance') return response.end(instance);
      if (pathname !== '/events') return setTimeout(() => response.end(version), Number(searchParams.get('ms') ?? 0));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      let number = 0;
      const clock = setInterval(() => response.write('id: ' + ++number + '\\ndata: ' + version + '\\n\\n'), 50);
      response.on('close', () => clearInterval(clock));
    });

    server.on('upgrade', ({ headers }, socket) => {
      const key = headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
      const accept = createHash('sha1').update(key).digest('base64');
      socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n' +
        'Sec-WebSocket-Accept: ' + accept + '\\r\\n\\r\\n');
      socket.on('error', () => {});
      socket.on('data', data => {
        if ((data[0] & 15) !== 1) return socket.end();
        const mask = data.subarray(2, 6);
        socket.write(frame(Buffer.from(data.subarray(6).map((byte, index) => byte ^ mask[index % 4])).toString()));
      });
    });

    server.listen(process.env.PORT);
  `,
});
