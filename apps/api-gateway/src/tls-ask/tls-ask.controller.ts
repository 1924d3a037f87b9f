import { Controller, Get, Query, Req } from '@nestjs/common';
import { askCertificate, DEFAULT_MAX_BODY_BYTES, type ReplyOf } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ReplyCache } from '../infrastructure/http/admission/reply-cache.js';
import { Admits } from '../infrastructure/http/admission/route-admission.js';
import { ERROR_CODE } from '../infrastructure/http/errors/error-code.js';
import { Problem } from '../infrastructure/http/errors/problem.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { requestContextOf } from '../infrastructure/http/server/request-context.js';
import { queryShape } from '../infrastructure/http/validation/query-parameters.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';

const domainQuery = z.object({ domain: z.string().min(1).max(255).describe('The host name of a TLS handshake.') });

/** The request of a TLS proxy before it obtains a certificate, such as Caddy with `on_demand_tls`. */
@Controller('tls')
export class TlsAskController {
  readonly #replies = new ReplyCache<ReplyOf<typeof askCertificate>>({
    subject: askCertificate.subject,
    keptMs: 1_000,
    maxEntries: 10_000,
    maxPending: 100,
  });

  constructor(private readonly services: ServiceClient) {}

  @Get('ask')
  @Admits({ access: 'anyone', maxBodyBytes: DEFAULT_MAX_BODY_BYTES, budget: 'client-frequent' })
  @Describes({
    operation: 'CustomDomains.ask',
    requests: [askCertificate],
    summary: 'Check whether a host name may get a certificate; for TLS proxies that issue certificates on demand',
    description: '200 for the host name or a verified domain of a web service, 404 for any other name.',
    also: { 404: 'The name is neither the host name nor a verified domain of a web service.' },
  })
  async check(
    @Query({ schema: queryShape(domainQuery.shape) }) { domain }: z.output<typeof domainQuery>,
    @Req() request: FastifyRequest,
  ) {
    const name = domain.toLowerCase();
    const { verified } = await this.#replies.get(name, () =>
      this.services.request(askCertificate, { domain: name }, requestContextOf(request)),
    );
    if (!verified) throw new Problem(404, 'There is no such domain.', { [ERROR_CODE]: 'not_found' });
    return { verified };
  }
}
