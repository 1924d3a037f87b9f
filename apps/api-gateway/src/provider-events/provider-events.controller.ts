import { Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import { MIB, PROVIDER_HEADERS, providerKind, Refusal, receiveProviderEvents } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';
import { Admits } from '../infrastructure/http/admission/route-admission.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { requestContextOf } from '../infrastructure/http/server/request-context.js';
import { ReceivedBody } from '../infrastructure/http/validation/received-body.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';

const TOKEN = /^pe_live_[\w-]{43}$/;

/**
 * The URLs that receive the events of mail providers. Not derived from contracts, because they use the raw body. A call is
 * authenticated by the token, and by the signature or credentials of the provider.
 */
@Controller('providers')
export class ProviderEventsController {
  constructor(private readonly services: ServiceClient) {}

  @Post(':kind/:token')
  @HttpCode(200)
  @Admits({ access: 'anyone', maxBodyBytes: MIB, budget: 'client-frequent' })
  @Describes({
    operation: 'ProviderEndpoints.receive',
    requests: [receiveProviderEvents],
    summary: 'Receive events of a mail provider',
    description:
      'Only for providers. The signature or credential is verified before the events are read. Events of unknown messages are ignored; repeated events change nothing.',
  })
  receive(@Param('kind') name: string, @Param('token') token: string, @Req() request: FastifyRequest) {
    const kind = providerKind.safeParse(name);
    if (!kind.success || !TOKEN.test(token)) {
      throw new Refusal('provider_endpoint_not_found', 'there is no such provider endpoint');
    }
    const { body } = request;
    return this.services.request(
      receiveProviderEvents,
      {
        kind: kind.data,
        token,
        headers: providerHeadersOf(request),
        body: body instanceof ReceivedBody ? body.bytes.toString('base64') : '',
      },
      requestContextOf(request),
    );
  }
}

const providerHeadersOf = ({ headers }: FastifyRequest) =>
  Object.fromEntries(
    PROVIDER_HEADERS.flatMap(name => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value.slice(0, 2_000)]] : [];
    }),
  );
