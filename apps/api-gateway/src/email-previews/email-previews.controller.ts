import { Controller, Get, Param, Res } from '@nestjs/common';
import { getEmailContent } from '@postern/contracts';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { CurrentSession, type Session } from '../infrastructure/http/access/session.js';
import { RequiresSession } from '../infrastructure/http/access/session-authentication.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';

const path = z.object({ service_id: z.uuid(), email_id: z.uuid() });

/**
 * `sandbox` gives the document an origin of its own and no scripts, also outside of a frame: it is HTML of tenants on the host of
 * the dashboard. Images are loaded over HTTPS only, so that a message cannot call devices in the network of its reader.
 */
const POLICY =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src https: data:; form-action 'none'; base-uri 'none'; " +
  "frame-ancestors 'self'";

/** Not derived from a contract, because it responds with a page. A frame with `srcdoc` would inherit the policy of the dashboard. */
@Controller('dashboard/api/email-services/:service_id/emails/:email_id/preview')
export class EmailPreviewsController {
  constructor(private readonly services: ServiceClient) {}

  @Get()
  @RequiresSession()
  @Describes({
    operation: 'Messages.preview',
    requests: [getEmailContent],
    summary: 'Get the HTML of a message as a page that may load remote images, without scripts',
    contentType: 'text/html',
    isText: true,
  })
  async get(
    @CurrentSession() session: Session,
    @Param({ schema: path }) parameters: z.output<typeof path>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const request = { ...parameters, workspace_id: session.workspaceId };
    const { html } = await this.services.request(getEmailContent, request, session);
    reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY);
    return `<!doctype html>${html ?? ''}`;
  }
}
