import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { KeptMessage, Mailboxes } from './mailboxes.js';

/** HTTP server that returns the mailboxes as JSON and as an HTML page. */
export function createMailboxServer(mailboxes: Mailboxes, health: () => object): Server {
  return createServer((request, response) => {
    route(request, response, mailboxes, health).catch(() => {
      if (!response.headersSent) json(response, 500, { error: 'the request failed' });
    });
  });
}

async function route(
  request: IncomingMessage,
  response: ServerResponse,
  mailboxes: Mailboxes,
  health: () => object,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://mailbox');
  const [, resource, id, part] = pathname.split('/');
  if (request.method === 'DELETE' && pathname === '/messages') {
    mailboxes.clear();
    response.writeHead(204).end();
  } else if (request.method !== 'GET') {
    json(response, 405, { error: 'method not allowed' });
  } else if (pathname === '/') {
    html(response, page(await mailboxes.list()));
  } else if (pathname === '/health') {
    json(response, 200, health());
  } else if (pathname === '/messages') {
    json(response, 200, await mailboxes.list(searchParams.get('to') ?? undefined));
  } else if (resource === 'messages' && id && part === 'raw') {
    const source = mailboxes.source(id);
    if (source) response.writeHead(200, { ...safety, 'Content-Type': 'text/plain; charset=utf-8' }).end(source);
    else json(response, 404, { error: 'no such message' });
  } else if (resource === 'messages' && id && part === undefined) {
    const message = await mailboxes.find(id);
    json(response, message ? 200 : 404, message ?? { error: 'no such message' });
  } else {
    json(response, 404, { error: 'not found' });
  }
}

// The content is untrusted: it must not run scripts, load resources or be interpreted as another type.
const safety = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { ...safety, 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

function html(response: ServerResponse, body: string): void {
  response.writeHead(200, { ...safety, 'Content-Type': 'text/html; charset=utf-8' }).end(body);
}

function page(messages: KeptMessage[]): string {
  const rows = messages
    .toReversed()
    .map(
      ({ id, received_at, from, to, subject }) =>
        `<tr><td>${escaped(received_at)}</td><td>${escaped(from)}</td><td>${escaped(to)}</td>` +
        `<td><a href="/messages/${encodeURIComponent(id)}/raw">${escaped(subject || '(no subject)')}</a></td></tr>`,
    );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Mailboxes</title>
<style>body{font:15px system-ui;margin:2rem}td,th{text-align:left;padding:.3rem 1rem .3rem 0;vertical-align:top}</style></head>
<body><h1>Mailboxes</h1>
<p>${messages.length} messages, newest first. Reload the page to refresh.</p>
<table><thead><tr><th>Received</th><th>From</th><th>To</th><th>Subject (source)</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table></body></html>`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escaped = (text: string): string => text.replace(/[&<>"']/g, character => entities[character] ?? '');
