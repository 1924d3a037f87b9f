import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const builtAt = readFileSync('dist/built-at.txt', 'utf8');
const greeting = process.env.GREETING ?? 'Hello from a web service that Postern built and runs.';

const server = createServer((request, response) => {
  console.log(`${request.method} ${request.url}`);
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.end(`${greeting}\nBuilt at ${builtAt}, answered by process ${process.pid}.\n`);
});

server.listen(Number(process.env.PORT), () => console.log(`listening on ${process.env.PORT}`));
process.on('SIGTERM', () => server.close());
