import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { CONFIG } from '@postern/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.js';
import { AdmitsAnyone } from '../infrastructure/http/admission/route-admission.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { BuiltPages } from '../infrastructure/http/server/built-pages.js';

/** The static pages of the documentation; a path without an extension is a page, also with a slash at its end. */
@Controller('docs')
export class DocumentationPagesController {
  readonly #pages: BuiltPages;

  constructor(@Inject(CONFIG) config: GatewayConfig) {
    this.#pages = new BuiltPages(config.documentationDir, 'The documentation');
  }

  @Get()
  @AdmitsAnyone()
  @Describes({ summary: 'The documentation', requests: [], contentType: 'text/html' })
  firstPage(@Res() reply: FastifyReply) {
    return this.#pages.page(reply, 'index.html');
  }

  @Get('*')
  @AdmitsAnyone()
  @Describes({ summary: 'Pages and files of the documentation', requests: [], contentType: 'text/html' })
  file(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const path = (request.params as { '*': string })['*'].replace(/\/+$/, '');
    if (!BuiltPages.isFile(path)) return this.#pages.page(reply, `${path || 'index'}.html`);
    return this.#pages.file(reply, path);
  }
}
