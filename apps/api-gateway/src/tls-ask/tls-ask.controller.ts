import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { askCertificate, DEFAULT_MAX_BODY_BYTES, findTrackingHost, type ReplyOf } from '@postern/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ReplyCache } from '../infrastructure/http/admission/reply-cache.js';
import { Admits } from '../infrastructure/http/admission/route-admission.js';
import { TrackingHosts } from '../infrastructure/http/admission/tracking-hosts.js';
import { ERROR_CODE } from '../infrastructure/http/errors/error-code.js';
import { Problem } from '../infrastructure/http/errors/problem.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { requestContextOf } from '../infrastructure/http/server/request-context.js';
import { queryShape } from '../infrastructure/http/validation/query-parameters.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';

const domainQuery = z.object({ domain: z.string().min(1).max(255).describe('The host name of a TLS handshake.') });

/** A certificate authority allows few failed attempts, so a domain that was just verified must be known soon. */
const KEPT_MS = 1_000;

/** The request of a TLS proxy before it obtains a certificate, such as Caddy with `on_demand_tls`. */
@Controller('tls')
export class TlsAskController {
  readonly #trackingHosts: TrackingHosts;
  readonly #replies = new ReplyCache<ReplyOf<typeof askCertificate>>({
    subject: askCertificate.subject,
    keptMs: KEPT_MS,
    maxEntries: 10_000,
    maxPending: 100,
  });

  constructor(private readonly services: ServiceClient) {
    this.#trackingHosts = new TrackingHosts(services, KEPT_MS);
  }

  @Get('ask')
  @Admits({ access: 'anyone', maxBodyBytes: DEFAULT_MAX_BODY_BYTES, budget: 'client-frequent' })
  @Describes({
    operation: 'CustomDomains.ask',
    requests: [askCertificate, findTrackingHost],
    summary: 'Check whether a host name may get a certificate; for TLS proxies that issue certificates on demand',
    description:
      '200 for the host name or a verified domain of a web service and for the verified tracking host of a sending domain, 404 for any other name.',
    responseHeaders: {
      'x-postern-upstream':
        'Which process serves links in messages at this host: `gateway` for a tracking host, else `load-balancer`.',
    },
    also: { 404: 'The name is none of these.' },
  })
  async check(
    @Query({ schema: queryShape(domainQuery.shape) }) { domain }: z.output<typeof domainQuery>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const name = domain.toLowerCase();
    const [tracking, webService] = await Promise.allSettled([
      this.#trackingHosts.has(name, request),
      this.#isOfWebService(name, request),
    ]);
    const upstream = isYes(tracking) ? 'gateway' : isYes(webService) ? 'load-balancer' : undefined;
    if (upstream === undefined) {
      for (const answer of [tracking, webService]) if (answer.status === 'rejected') throw answer.reason;
      throw new Problem(404, 'There is no such domain.', { [ERROR_CODE]: 'not_found' });
    }
    reply.header('x-postern-upstream', upstream);
    return { verified: true };
  }

  async #isOfWebService(name: string, request: FastifyRequest): Promise<boolean> {
    const { verified } = await this.#replies.get(name, () =>
      this.services.request(askCertificate, { domain: name }, requestContextOf(request)),
    );
    return verified;
  }
}

const isYes = (answer: PromiseSettledResult<boolean>): boolean => answer.status === 'fulfilled' && answer.value;
