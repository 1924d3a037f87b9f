import { createServer } from 'node:http';
import sirv from 'sirv';

/**
 * Serves its working directory on the port in PORT. It runs as a separate instance from this file alone, so it imports no other file
 * of Postern.
 */
const serve = sirv('.', { dev: false, dotfiles: false, etag: true, extensions: ['html', 'htm'] });

const server = createServer((request, response) => {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return;
  }
  serve(request, response, () => {
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('Not found\n');
  });
});

server.listen(Number(process.env.PORT));
process.on('SIGTERM', () => server.close(() => process.exit()));
