import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, sep } from 'node:path';

/**
 * Serves its working directory on the port in PORT. It is copied into the images of static sites, so it imports only
 * Node.js.
 */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.htm': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'application/xml',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.pdf': 'application/pdf',
  '.mp4': 'video/mp4',
};

const root = await realpath('.');

/** Does not serve hidden files or follow links out of the site. */
const find = async (path: string): Promise<{ file: string; size: number } | undefined> => {
  if (path.includes('\0') || path.split('/').some(part => part.startsWith('.'))) return undefined;
  const bare = path.replace(/\/+$/, '');
  for (const candidate of [path.endsWith('/') ? '' : bare, `${bare}/index.html`, `${bare}.html`, `${bare}.htm`]) {
    if (candidate === '') continue;
    const file = await realpath(join(root, candidate)).catch(() => undefined);
    const found = file?.startsWith(root + sep) ? await stat(file) : undefined;
    if (file && found?.isFile()) return { file, size: found.size };
  }
  return undefined;
};

const decoded = (url: string): string => {
  try {
    return decodeURIComponent(url.split(/[?#]/)[0] ?? '');
  } catch {
    return '\0';
  }
};

const server = createServer(async (request, response) => {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return;
  }
  const found = await find(decoded(request.url ?? '/'));
  if (!found) {
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('Not found\n');
    return;
  }
  const type = TYPES[extname(found.file).toLowerCase()] ?? 'application/octet-stream';
  response.writeHead(200, { 'content-type': type, 'content-length': found.size, 'cache-control': 'no-cache' });
  if (request.method === 'HEAD') response.end();
  else
    createReadStream(found.file)
      .on('error', () => response.destroy())
      .pipe(response);
});

server.listen(Number(process.env.PORT));
process.on('SIGTERM', () => server.close(() => process.exit()));
