const answering = (expression: string) => `
  import { randomUUID } from 'node:crypto';
  import { createServer } from 'node:http';
  const itself = randomUUID();
  createServer(({ url }, response) => response.end(String(${expression}))).listen(Number(process.env.PORT));
  process.on('SIGTERM', () => process.exit(0));
`;

/** Web services with the single file `server.mjs`, which need only Node.js. */
export const program = {
  answering: (text: string) => answering(JSON.stringify(text)),
  answeringVariable: (name: string) => answering(`process.env.${name}`),
  /** Responds with a value that is unique to the instance. */
  respondingUniquely: answering('itself'),
  printing: (...lines: readonly string[]) =>
    `${answering('itself')}; for (const line of ${JSON.stringify(lines)}) console.log(line);`,
  printingVariable: (name: string) => `${answering('itself')}; console.log('it is ' + process.env.${name});`,
  /** Responds with 200, but with 500 at /health. */
  unhealthy: `
    import { createServer } from 'node:http';
    createServer(({ url }, response) => {
      response.statusCode = url === '/health' ? 500 : 200;
      response.end('hello');
    }).listen(Number(process.env.PORT));
    process.on('SIGTERM', () => process.exit(0));
  `,
  crashing: (words: string) => `console.error(${JSON.stringify(words)}); process.exit(1);`,
  /** Prints a line, and listens on no port. */
  silent: `console.log('here I am'); setInterval(() => {}, 1_000);`,
};
