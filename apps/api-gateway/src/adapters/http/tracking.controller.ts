import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { recordClick, recordOpen } from '@postern/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EngagementRecorder } from '../../commands/record-engagement.js';
import { type TrackedCopy, TrackingLinks } from '../../ports.js';
import { Describes } from './openapi/describe.js';
import { notice } from './pages/notice.js';
import { askerOf } from './server/asker.js';
import { clientAddressOf } from './server/client-address.js';
import { PAGE_POLICY } from './server/response-headers.js';

/** One transparent pixel, 43 bytes, GIF89a. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');

const NO_STORE = 'no-store, no-cache, must-revalidate, private, max-age=0';

/** Pixels and tracked links of emails. A HEAD is nobody reading. */
@Controller()
export class TrackingController {
  constructor(
    private readonly links: TrackingLinks,
    private readonly recorder: EngagementRecorder,
  ) {}

  @Get('o/:token')
  @Describes({
    summary: 'The tracking pixel of one copy of an email',
    description: 'Always the same picture, for tokens that we did not sign too.',
    asks: [],
    contentType: 'image/gif',
  })
  async pixel(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const copy = this.links.copyOfPixel(token.replace(/\.gif$/, ''));
    if (copy && request.method === 'GET') {
      await this.recorder.record({ contract: recordOpen, seen: seenBy(request, copy) }, askerOf(request));
    }
    // Mail is read on other sites, which have to be able to show the picture.
    return reply
      .headers({ 'cache-control': NO_STORE, pragma: 'no-cache', 'cross-origin-resource-policy': 'cross-origin' })
      .type('image/gif')
      .send(PIXEL);
  }

  @Get('c/:token')
  @Describes({
    summary: 'A tracked link of one copy of an email',
    description: 'Leads only where a token that we signed says.',
    asks: [],
    contentType: 'text/html',
    also: { 302: 'The way to the link.', 404: 'We did not sign this token.' },
  })
  async link(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const link = this.links.copyAndTargetOfLink(token);
    if (!link || !/^https?:\/\//i.test(link.url)) {
      return reply
        .code(404)
        .header('content-security-policy', PAGE_POLICY)
        .type('text/html; charset=utf-8')
        .send(notice('This link is not valid', 'It may have been cut off or changed on its way.'));
    }
    if (request.method === 'GET') {
      const seen = { ...seenBy(request, link), url: link.url };
      await this.recorder.record({ contract: recordClick, seen }, askerOf(request));
    }
    return reply
      .code(302)
      .headers({ 'cache-control': NO_STORE, location: headerSafe(link.url) })
      .send();
  }
}

const seenBy = (request: FastifyRequest, { emailId, recipientIndex }: TrackedCopy) => ({
  email_id: emailId,
  recipient_index: recipientIndex,
  user_agent: (request.headers['user-agent'] ?? '').slice(0, 1_000),
  ip: clientAddressOf(request),
  at: new Date().toISOString(),
});

/** A header holds visible ASCII only; everything else of the author's URL stays as it was written. */
const headerSafe = (url: string): string => url.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent);
