import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Controller, Get, Inject, NotFoundException, Req, Res } from '@nestjs/common';
import { CONFIG } from '@postern/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.js';
import { AdmitsAnyone } from '../infrastructure/http/admission/route-admission.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { messagePage } from '../infrastructure/http/server/message-page.js';
import { PAGE_POLICY } from '../infrastructure/http/server/response-headers.js';

/** The build puts a content hash into these names, so they never change. */
const FINGERPRINTED = /^assets\//;

/** The built files of the dashboard; every other path gets `index.html`, and the application routes it. */
@Controller('dashboard')
export class DashboardPagesController {
  private readonly folder: string;

  constructor(@Inject(CONFIG) config: GatewayConfig) {
    this.folder = config.dashboardDir;
  }

  @Get()
  @AdmitsAnyone()
  @Describes({ summary: 'The dashboard', requests: [], contentType: 'text/html' })
  start(@Res() reply: FastifyReply) {
    return this.indexPage(reply);
  }

  @Get('*')
  @AdmitsAnyone()
  @Describes({ summary: 'Files and pages of the dashboard', requests: [], contentType: 'text/html' })
  file(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const path = (request.params as { '*': string })['*'];
    if (/^api(\/|$)/.test(path)) throw new NotFoundException();
    if (!/\.[A-Za-z0-9]+$/.test(path)) return this.indexPage(reply);
    reply.header('content-security-policy', PAGE_POLICY);
    return reply.sendFile(path, this.folder, {
      cacheControl: true,
      immutable: FINGERPRINTED.test(path),
      maxAge: FINGERPRINTED.test(path) ? 31_536_000_000 : 0,
    });
  }

  private indexPage(reply: FastifyReply) {
    reply.header('content-security-policy', PAGE_POLICY);
    if (existsSync(join(this.folder, 'index.html'))) return reply.sendFile('index.html', this.folder, { maxAge: 0 });
    return reply
      .code(503)
      .type('text/html; charset=utf-8')
      .send(messagePage('The dashboard is not built', 'Run <code>npm run build</code> and reload this page.'));
  }
}
