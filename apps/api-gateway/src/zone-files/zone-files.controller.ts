import { Controller, Get, Param, StreamableFile } from '@nestjs/common';
import { getSendingDomain } from '@postern/contracts';
import { z } from 'zod';
import { CurrentSession, type Session } from '../infrastructure/http/access/session.js';
import { RequiresSession } from '../infrastructure/http/access/session-authentication.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';
import { zoneFileOf } from './zone-file.js';

const path = z.object({ service_id: z.uuid(), domain_id: z.uuid() });

/** Not derived from a contract, because it responds with a file. */
@Controller('dashboard/api/email-services/:service_id/domains/:domain_id/zone-file')
export class ZoneFilesController {
  constructor(private readonly services: ServiceClient) {}

  @Get()
  @RequiresSession()
  @Describes({
    operation: 'SendingDomains.zoneFile',
    requests: [getSendingDomain],
    summary: 'Download the DNS records of a sending domain as a zone file (BIND), for import at a DNS provider',
    description: 'Records that the domain has, or that would be a second one of their kind, are comments.',
    contentType: 'text/dns',
    isText: true,
  })
  async get(@CurrentSession() session: Session, @Param({ schema: path }) parameters: z.output<typeof path>) {
    const request = { ...parameters, workspace_id: session.workspaceId };
    const domain = await this.services.request(getSendingDomain, request, session);
    const name = domain.domain.replace(/[^\w.-]/g, '_');
    return new StreamableFile(Buffer.from(zoneFileOf(domain)), {
      type: 'text/dns; charset=utf-8',
      disposition: `attachment; filename="${name}.zone"`,
    });
  }
}
