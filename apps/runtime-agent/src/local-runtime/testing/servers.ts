const listening = (body: string, listen = 'process.env.PORT') => `
  import { createServer } from 'node:http';
  ${body}
  const server = createServer((request, response) => answer(request, response));
  server.listen(${listen});
  process.on('SIGTERM', () => server.close(() => process.exit(0)));
`;

/** Small programs that behave as services do, well and badly. */
export const server = {
  saying: (text: string) => listening(`const answer = (_, response) => response.end(${JSON.stringify(text)});`),

  /** Answers with the status that /become/<status> was asked for last; 200 until then. */
  moody: listening(`
    let status = 200;
    const answer = ({ url }, response) => {
      const mood = /^\\/become\\/(\\d+)$/.exec(url);
      if (mood) status = Number(mood[1]);
      response.writeHead(mood ? 200 : status).end(process.env.POSTERN_INSTANCE);
    };`),

  /** /crash ends it with the code 7; everything else is answered with its id. */
  crashing: listening(`
    const answer = ({ url }, response) => {
      if (url === '/crash') { console.error('out of luck'); process.exit(7); }
      response.end(process.env.POSTERN_INSTANCE);
    };`),

  /** Answers after the time that the query says. */
  slow: listening(
    `const answer = ({ url }, response) => setTimeout(() => response.end('late'), Number(url.slice(2)));`,
  ),

  /** Answers once it is told to end. */
  waiting: listening(`const answer = (_, response) => process.once('SIGTERM', () => response.end('told to end'));`),

  onPort: (port: number) => listening(`const answer = (_, response) => response.end('hello');`, String(port)),

  silent: 'setInterval(() => {}, 1_000);',

  /** Stays whatever it is told, and leaves a child in a session of its own; says which processes both are. */
  stubborn: `
    import { spawn } from 'node:child_process';
    const child = spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], {
      detached: true, stdio: 'ignore' });
    child.unref();
    ${listening(`const answer = (_, response) => response.end(process.pid + ' ' + child.pid);`).replace(/process\.on.*/, "process.on('SIGTERM', () => {});")}`,

  environment: listening(
    `const answer = (_, response) => response.end(JSON.stringify({ ...process.env, cwd: process.cwd() }));`,
  ),

  /** /say?text writes a line; /flood?bytes writes so much of them. */
  talking: listening(`
    const answer = ({ url }, response) => {
      const [path, text] = url.split('?');
      if (path === '/say') process.stdout.write(decodeURIComponent(text) + '\\n');
      if (path === '/flood') {
        const line = Buffer.alloc(100, 'x'); line[99] = 10;
        const block = Buffer.concat(Array.from({ length: 1_000 }, () => line));
        for (let left = Number(text); left > 0; left -= block.length) process.stdout.write(block);
      }
      response.end('said');
    };`),

  /** Writes numbered lines for as long as it lives. */
  counting: listening(`
    let lines = 0;
    setInterval(() => console.log('line ' + (lines += 1)), 5);
    const answer = (_, response) => response.end(String(lines));`),

  /** /eat?MiB holds so much memory from then on. */
  hungry: listening(`
    const held = [];
    const answer = ({ url }, response) => {
      const [, mebibytes] = url.split('/eat?');
      for (let eaten = 0; eaten < Number(mebibytes ?? 0); eaten += 1) held.push(Buffer.alloc(2 ** 20, 1));
      response.end(process.env.POSTERN_INSTANCE);
    };`),

  /** /work makes it busy for good, /rest ends that. */
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
