const listening = (body: string, listen = 'process.env.PORT') => `
  import { createServer } from 'node:http';
  ${body}
  const server = createServer((request, response) => answer(request, response));
  server.listen(${listen});
  process.on('SIGTERM', () => server.close(() => process.exit(0)));
`;

/** Small programs that act as working and as faulty services. */
export const server = {
  answering: (text: string) => listening(`const answer = (_, response) => response.end(${JSON.stringify(text)});`),

  /** Responds with the status of the last request to /become/<status>; 200 before the first one. */
  withStatus: listening(`
    let status = 200;
    const answer = ({ url }, response) => {
      const mood = /^\\/become\\/(\\d+)$/.exec(url);
      if (mood) status = Number(mood[1]);
      response.writeHead(mood ? 200 : status).end(process.env.POSTERN_INSTANCE);
    };`),

  /** Exits with code 7 on /crash. Other requests return the instance id. */
  crashing: listening(`
    const answer = ({ url }, response) => {
      if (url === '/crash') { console.error('out of luck'); process.exit(7); }
      response.end(process.env.POSTERN_INSTANCE);
    };`),

  /** Responds after the number of milliseconds in the query. */
  slow: listening(
    `const answer = ({ url }, response) => setTimeout(() => response.end('late'), Number(url.slice(2)));`,
  ),

  /** Logs each request and responds after the milliseconds in the query; answers a WebSocket with its handshake only. */
  long: (handler = '') => `
    import { createHash } from 'node:crypto';
    import { createServer } from 'node:http';
    const server = createServer((request, response) => {
      if (request.url !== '/') console.log('began ' + request.method);
      request.resume();
      setTimeout(() => response.end('late'), Number(request.url.slice(2)));
    });
    server.on('upgrade', (request, socket) => {
      const key = request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
      const accept = createHash('sha1').update(key).digest('base64');
      socket.on('error', () => {});
      socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\nSec-WebSocket-Accept: ' + accept + '\\r\\n\\r\\n');
    });
    server.listen(process.env.PORT);
    ${handler}`,

  /** Answers with 500 on another port than PORT. */
  failingOnPort: (port: number) =>
    listening('const answer = (_, response) => response.writeHead(500).end();', String(port)),

  silent: 'setInterval(() => {}, 1_000);',

  /** Ignores SIGTERM and starts a child that does so in its own session. Responds with both process ids. */
  ignoringSigterm: `
    import { spawn } from 'node:child_process';
    const child = spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], {
      detached: true, stdio: 'ignore' });
    child.unref();
    ${listening(`const answer = (_, response) => response.end(process.pid + ' ' + child.pid);`).replace(/process\.on.*/, "process.on('SIGTERM', () => {});")}`,

  environment: listening(
    `const answer = (_, response) => response.end(JSON.stringify({ ...process.env, cwd: process.cwd() }));`,
  ),

  /** /say?<text> writes a line; /flood?<bytes> writes that amount of lines. */
  printing: listening(`
    const answer = ({ url }, response) => {
      const [path, text] = url.split('?');
      if (path === '/say') process.stdout.write(decodeURIComponent(text) + '\\n');
      if (path === '/flood') {
        const line = Buffer.alloc(100, 'x'); line[99] = 10;
        const block = Buffer.concat(Array.from({ length: 1_000 }, () => line));
        for (let left = Number(text); left > 0; left -= block.length) process.stdout.write(block);
      }
      response.end('written');
    };`),

  /** Writes a numbered line every 5 ms. */
  counting: listening(`
    let lines = 0;
    setInterval(() => console.log('line ' + (lines += 1)), 5);
    const answer = (_, response) => response.end(String(lines));`),

  /** /eat?<MiB> allocates that amount of memory permanently. */
  allocating: listening(`
    const held = [];
    const answer = ({ url }, response) => {
      const [, mebibytes] = url.split('/eat?');
      for (let eaten = 0; eaten < Number(mebibytes ?? 0); eaten += 1) held.push(Buffer.alloc(2 ** 20, 1));
      response.end(process.env.POSTERN_INSTANCE);
    };`),

  /** /work starts a permanent CPU load, /rest stops it. */
  busy: listening(`
    let working = false;
    const work = () => {
      const until = Date.now() + 20;
      while (Date.now() < until);
      if (working) setImmediate(work);
    };
    const answer = ({ url }, response) => {
      const before = working;
      working = url === '/work' || (working && url !== '/rest');
      if (working && !before) work();
      response.end(process.env.POSTERN_INSTANCE);
    };`),
};
