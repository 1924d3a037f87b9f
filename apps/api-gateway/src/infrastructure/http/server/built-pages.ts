import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { messagePage } from './message-page.js';
import { PAGE_POLICY } from './response-headers.js';

const YEAR_MS = 365 * 24 * 3600 * 1000;

/** A folder of built pages and files. */
export class BuiltPages {
  /** `title` is used in the message for missing pages. */
  constructor(
    private readonly folder: string,
    private readonly title: string,
  ) {}

  /** Whether a path refers to a file rather than a page. */
  static isFile(path: string): boolean {
    return /\.[A-Za-z0-9]+$/.test(path);
  }

  page(reply: FastifyReply, file: string) {
    reply.header('content-security-policy', PAGE_POLICY);
    if (existsSync(join(this.folder, 'index.html'))) return reply.sendFile(file, this.folder, { maxAge: 0 });
    return reply
      .code(503)
      .type('text/html; charset=utf-8')
      .send(messagePage(`${this.title} is not built`, 'Run <code>npm run build</code> and reload this page.'));
  }

  /** Files in `assets` are immutable, because their names contain a content hash. */
  file(reply: FastifyReply, path: string) {
    const immutable = path.startsWith('assets/');
    reply.header('content-security-policy', PAGE_POLICY);
    return reply.sendFile(path, this.folder, { cacheControl: true, immutable, maxAge: immutable ? YEAR_MS : 0 });
  }
}
