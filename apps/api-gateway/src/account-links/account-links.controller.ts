import { Body, Controller, HttpCode, Post, Req, UseInterceptors } from '@nestjs/common';
import { acceptInvitation, confirmPasswordReset, KIB, requestPasswordReset } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Admits } from '../infrastructure/http/admission/route-admission.js';
import { AuditInterceptor } from '../infrastructure/http/audit/audit.interceptor.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { clientAddressOf } from '../infrastructure/http/server/client-address.js';
import { requestContextOf } from '../infrastructure/http/server/request-context.js';
import { ServiceClient } from '../service-client/ports.js';

const resetRequest = z.strictObject(requestPasswordReset.request.pick({ email: true }).shape);
const resetConfirmation = z.strictObject(confirmPasswordReset.request.shape);
const acceptance = z.strictObject(acceptInvitation.request.shape);

const AdmitsLink = () => Admits({ access: 'anyone', maxBodyBytes: 4 * KIB, budget: 'client' });

/** What people without a session do with links that were mailed to them. Not routes of contracts, which need a caller. */
@Controller('dashboard/api')
@UseInterceptors(AuditInterceptor)
export class AccountLinksController {
  constructor(private readonly services: ServiceClient) {}

  @Post('password-reset')
  @HttpCode(202)
  @AdmitsLink()
  @Describes({
    operation: 'PasswordResets.request',
    requests: [requestPasswordReset],
    summary: 'Request a password reset link',
    description:
      'The response is the same for every address. If the address belongs to a user, a link is emailed that works once, within 30 minutes.',
  })
  request(@Body({ schema: resetRequest }) { email }: z.output<typeof resetRequest>, @Req() request: FastifyRequest) {
    return this.services.request(
      requestPasswordReset,
      { email, ip: clientAddressOf(request) },
      requestContextOf(request),
    );
  }

  @Post('password-reset/confirm')
  @HttpCode(200)
  @AdmitsLink()
  @Describes({
    operation: 'PasswordResets.confirm',
    requests: [confirmPasswordReset],
    summary: 'Set a new password with the token from a password reset email',
    description: 'Ends all sessions of the user. Two-factor authentication stays on.',
  })
  confirm(
    @Body({ schema: resetConfirmation }) body: z.output<typeof resetConfirmation>,
    @Req() request: FastifyRequest,
  ) {
    return this.services.request(confirmPasswordReset, body, requestContextOf(request));
  }

  @Post('invitations/accept')
  @HttpCode(201)
  @AdmitsLink()
  @Describes({
    operation: 'Invitations.accept',
    requests: [acceptInvitation],
    summary: 'Accept an invitation with the token from its email',
    description: 'The user belongs to the workspace of the invitation, and signs in with the address and the password.',
  })
  accept(@Body({ schema: acceptance }) body: z.output<typeof acceptance>, @Req() request: FastifyRequest) {
    return this.services.request(acceptInvitation, body, requestContextOf(request));
  }
}
