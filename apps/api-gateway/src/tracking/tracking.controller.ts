import { domainToASCII } from 'node:url';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { recordClick, recordOpen } from '@postern/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AdmitsRecipients } from '../infrastructure/http/admission/route-admission.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { clientAddressOf } from '../infrastructure/http/server/client-address.js';
import { requestContextOf } from '../infrastructure/http/server/request-context.js';
import { answerPage } from './answer-page.js';
import { EngagementRecorder } from './engagement-recorder.js';
import { INVALID_LINK_PAGE } from './invalid-link-page.js';
import { type TrackedCopy, TrackingLinks } from './tracking-links.js';

/** One transparent pixel, 43 bytes, GIF89a. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');

const NO_STORE = 'no-store, no-cache, must-revalidate, private, max-age=0';

/** Pixels and tracked links of emails. HEAD requests are not recorded, because no person sees their result. */
@Controller()
export class TrackingController {
  constructor(
    private readonly links: TrackingLinks,
    private readonly recorder: EngagementRecorder,
  ) {}

  @Get('o/:token')
  @AdmitsRecipients()
  @Describes({
    summary: 'The tracking pixel of one copy of an email',
    description: 'Always returns the same image, even for an invalid token.',
    requests: [],
    contentType: 'image/gif',
  })
  async pixel(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const copy = this.links.copyOfPixel(token.replace(/\.gif$/, ''));
    if (copy && request.method === 'GET') {
      await this.recorder.record(
        { contract: recordOpen, details: detailsOf(request, copy) },
        requestContextOf(request),
      );
    }
    // Webmail on other sites must be able to load the image.
    return reply
      .headers({ 'cache-control': NO_STORE, pragma: 'no-cache', 'cross-origin-resource-policy': 'cross-origin' })
      .type('image/gif')
      .send(PIXEL);
  }

  @Get('c/:token')
  @AdmitsRecipients()
  @Describes({
    summary: 'A tracked link of one copy of an email',
    description: 'Redirects only to the target of a signed token.',
    requests: [],
    contentType: 'text/html',
    also: { 302: 'Redirects to the target.', 404: 'The token is not valid.' },
  })
  async link(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const link = this.links.copyAndTargetOfLink(token);
    if (!link || !/^https?:\/\//i.test(link.url)) return answerPage(reply, 404, INVALID_LINK_PAGE);
    if (request.method === 'GET') {
      const details = { ...detailsOf(request, link), url: link.url };
      await this.recorder.record({ contract: recordClick, details }, requestContextOf(request));
    }
    return reply
      .code(302)
      .headers({ 'cache-control': NO_STORE, location: headerValueOf(link.url) })
      .send();
  }
}

const detailsOf = (request: FastifyRequest, { emailId, recipientIndex }: TrackedCopy) => ({
  email_id: emailId,
  recipient_index: recipientIndex,
  user_agent: (request.headers['user-agent'] ?? '').slice(0, 1_000),
  ...(isPrefetch(request) ? { prefetch: true as const } : {}),
  ip: clientAddressOf(request),
  at: new Date().toISOString(),
});

/** Browsers and proxies that load a link before a person follows it say so (the fetch standard; older ones by other names). */
const isPrefetch = ({ headers }: FastifyRequest): boolean =>
  ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].some(name =>
    /prefetch|prerender|preview/i.test(String(headers[name])),
  );

/**
 * The author's URL with its host in A-labels (RFC 9110 §10.2.2, RFC 5890) and other characters that a header cannot contain
 * encoded; the rest is unchanged.
 */
const headerValueOf = (url: string): string => {
  const [, scheme = '', userInfo = '', host = '', rest = ''] =
    /^(https?:\/\/)([^/?#]*@)?([^/?#:]*)(.*)$/isu.exec(url.toWellFormed()) ?? [];
  const ascii = /[^\x00-\x7f]/.test(host) ? domainToASCII(host) || host : host;
  return `${scheme}${userInfo}${ascii}${rest}`.replace(/[^\x21-\x7e]/gu, encodeURIComponent);
};
