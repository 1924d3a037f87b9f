import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { KIB, unsubscribeRecipient } from '@postern/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AdmitsRecipients } from '../infrastructure/http/admission/route-admission.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { requestContextOf } from '../infrastructure/http/server/request-context.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';
import { answerPage } from './answer-page.js';
import { INVALID_LINK_PAGE } from './invalid-link-page.js';
import { TrackingLinks } from './tracking-links.js';
import { CONFIRM_UNSUBSCRIBE_PAGE, UNSUBSCRIBED_PAGE } from './unsubscribe-page.js';

/** The hosted page to unsubscribe from messages of an email service. It requires no account. */
@Controller('u')
export class UnsubscribeController {
  constructor(
    private readonly links: TrackingLinks,
    private readonly services: ServiceClient,
  ) {}

  @Get(':token')
  @AdmitsRecipients()
  @Describes({
    summary: 'The page to unsubscribe',
    description: 'Changes nothing: the button on the page sends the POST.',
    requests: [],
    contentType: 'text/html',
    also: { 404: 'The token is not valid.' },
  })
  page(@Param('token') token: string, @Res() reply: FastifyReply) {
    const isValid = this.links.copyOfUnsubscription(token) !== undefined;
    return isValid ? answerPage(reply, 200, CONFIRM_UNSUBSCRIBE_PAGE) : answerPage(reply, 404, INVALID_LINK_PAGE);
  }

  @Post(':token')
  @HttpCode(200)
  @AdmitsRecipients(4 * KIB)
  @Describes({
    summary: 'Unsubscribe',
    description: 'Also the one-click target of `List-Unsubscribe` (RFC 8058). May be repeated. The body is ignored.',
    requests: [],
    contentType: 'text/html',
    also: { 404: 'The token is not valid.', 503: 'The service is unavailable; retry later.' },
  })
  async unsubscribe(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const copy = this.links.copyOfUnsubscription(token);
    if (!copy) return answerPage(reply, 404, INVALID_LINK_PAGE);
    const { emailId: email_id, recipientIndex: recipient_index } = copy;
    const details = { email_id, recipient_index, at: new Date().toISOString() };
    await this.services.request(unsubscribeRecipient, details, requestContextOf(request));
    return answerPage(reply, 200, UNSUBSCRIBED_PAGE);
  }
}
