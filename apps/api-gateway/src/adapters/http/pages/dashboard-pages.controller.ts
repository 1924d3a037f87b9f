import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Controller, Get, Inject, NotFoundException, Req, Res } from '@nestjs/common';
import { CONFIG } from '@postern/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../../../config.js';
import { Describes } from '../openapi/describe.js';
import { PAGE_POLICY } from '../server/response-headers.js';
import { notice } from './notice.js';

/** Fingerprinted by the build, so a name never changes its content. */
const FINGERPRINTED = /^assets\//;

/** The dashboard's built files; every other path below it is the application's own and gets its first page. */
@Controller('dashboard')
export class DashboardPagesController {
  private readonly folder: string;

  constructor(@Inject(CONFIG) config: GatewayConfig) {
    this.folder = config.dashboardDir;
  }

  @Get()
  @Describes({ summary: 'The dashboard', asks: [], contentType: 'text/html' })
  start(@Res() reply: FastifyReply) {
    return this.firstPage(reply);
  }

  @Get('*')
  @Describes({ summary: 'Files and pages of the dashboard', asks: [], contentType: 'text/html' })
  file(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const path = (request.params as { '*': string })['*'];
    if (/^api(\/|$)/.test(path)) throw new NotFoundException();
    if (!/\.[A-Za-z0-9]+$/.test(path)) return this.firstPage(reply);
    reply.header('content-security-policy', PAGE_POLICY);
    return reply.sendFile(path, this.folder, {
      cacheControl: true,
      immutable: FINGERPRINTED.test(path),
      maxAge: FINGERPRINTED.test(path) ? 31_536_000_000 : 0,
    });
  }

  private firstPage(reply: FastifyReply) {
    reply.header('content-security-policy', PAGE_POLICY);
    if (existsSync(join(this.folder, 'index.html'))) return reply.sendFile('index.html', this.folder, { maxAge: 0 });
    return reply
      .code(503)
      .type('text/html; charset=utf-8')
      .send(notice('The dashboard is not built', 'Build it with <code>npm run build</code> and load this page again.'));
  }
}
