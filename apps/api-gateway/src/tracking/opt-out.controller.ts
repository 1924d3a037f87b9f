import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { KIB, optOutOfCodes, Refusal } from '@postern/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Admits, AdmitsAnyone } from '../infrastructure/http/admission/route-admission.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { requestContextOf } from '../infrastructure/http/server/request-context.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';
import { answerPage } from './answer-page.js';
import { INVALID_LINK_PAGE } from './invalid-link-page.js';
import { CONFIRM_PAGE, DONE_PAGE } from './opt-out-page.js';
import { TrackingLinks } from './tracking-links.js';

/** The opt-out link in a mail with a verification code. It requires no account. */
@Controller('unsubscribe')
export class OptOutController {
  constructor(
    private readonly links: TrackingLinks,
    private readonly services: ServiceClient,
  ) {}

  @Get(':token')
  @AdmitsAnyone()
  @Describes({
    summary: 'The page for opting out of verification codes',
    description: 'Changes nothing: the button on the page sends the POST.',
    requests: [],
    contentType: 'text/html',
    also: { 404: 'The token is not valid.' },
  })
  page(@Param('token') token: string, @Res() reply: FastifyReply) {
    return this.links.isOptOut(token)
      ? answerPage(reply, 200, CONFIRM_PAGE)
      : answerPage(reply, 404, INVALID_LINK_PAGE);
  }

  @Post(':token')
  @HttpCode(200)
  @Admits({ access: 'anyone', maxBodyBytes: 4 * KIB, budget: 'client' })
  @Describes({
    summary: 'Opt out of verification codes permanently',
    description: 'Also the one-click target of `List-Unsubscribe` (RFC 8058). May be repeated. The body is ignored.',
    requests: [],
    contentType: 'text/html',
    also: { 404: 'The token is not valid.', 503: 'The service is unavailable; retry later.' },
  })
  async optOut(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    if (!this.links.isOptOut(token)) return answerPage(reply, 404, INVALID_LINK_PAGE);
    try {
      await this.services.request(optOutOfCodes, { token }, requestContextOf(request));
    } catch (error) {
      if (Refusal.is(error)) return answerPage(reply, 404, INVALID_LINK_PAGE);
      throw error;
    }
    return answerPage(reply, 200, DONE_PAGE);
  }
}
