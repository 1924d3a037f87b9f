import { Controller, Get, Inject, NotFoundException, Req, Res } from '@nestjs/common';
import { CONFIG } from '@postern/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.js';
import { AdmitsAnyone } from '../infrastructure/http/admission/route-admission.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { BuiltPages } from '../infrastructure/http/server/built-pages.js';

/** The built files of the dashboard; every other path gets `index.html`, and the application routes it. */
@Controller('dashboard')
export class DashboardPagesController {
  readonly #pages: BuiltPages;

  constructor(@Inject(CONFIG) config: GatewayConfig) {
    this.#pages = new BuiltPages(config.dashboardDir, 'The dashboard');
  }

  @Get()
  @AdmitsAnyone()
  @Describes({ summary: 'The dashboard', requests: [], contentType: 'text/html' })
  firstPage(@Res() reply: FastifyReply) {
    return this.#pages.page(reply, 'index.html');
  }

  @Get('*')
  @AdmitsAnyone()
  @Describes({ summary: 'Files and pages of the dashboard', requests: [], contentType: 'text/html' })
  file(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const path = (request.params as { '*': string })['*'];
    if (/^api(\/|$)/.test(path)) throw new NotFoundException();
    if (!BuiltPages.isFile(path)) return this.#pages.page(reply, 'index.html');
    return this.#pages.file(reply, path);
  }
}
