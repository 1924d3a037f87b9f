import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AdmitsAnyone } from '../infrastructure/http/admission/route-admission.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';

/** Paths that browsers and crawlers request by themselves. */
@Controller()
export class RootController {
  @Get()
  @AdmitsAnyone()
  @Describes({ summary: 'Leads to the dashboard', requests: [], contentType: 'text/html' })
  root(@Res() reply: FastifyReply) {
    return reply.redirect('/dashboard', 302);
  }

  @Get('favicon.ico')
  @AdmitsAnyone()
  @Describes({ summary: 'Leads to the icon of the dashboard', requests: [], contentType: 'image/svg+xml' })
  icon(@Res() reply: FastifyReply) {
    return reply.redirect('/dashboard/favicon.svg', 302);
  }

  @Get('llms.txt')
  @AdmitsAnyone()
  @Describes({ summary: 'Leads to the list of documentation pages', requests: [], contentType: 'text/plain' })
  llms(@Res() reply: FastifyReply) {
    return reply.redirect('/docs/llms.txt', 302);
  }

  /** Links of messages and the dashboard are for their readers; only the documentation is for everybody. */
  @Get('robots.txt')
  @AdmitsAnyone()
  @Describes({ summary: 'What crawlers may read', requests: [], contentType: 'text/plain' })
  robots(@Res() reply: FastifyReply) {
    return reply.type('text/plain; charset=utf-8').send('User-agent: *\nAllow: /docs\nDisallow: /\n');
  }
}
