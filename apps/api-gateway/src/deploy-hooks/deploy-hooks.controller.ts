import { Controller, HttpCode, Param, Post, Req, UseInterceptors } from '@nestjs/common';
import { DEPLOY_HOOK_HEADERS, MIB, receiveDeployHook } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';
import { Admits } from '../infrastructure/http/admission/route-admission.js';
import { AuditInterceptor } from '../infrastructure/http/audit/audit.interceptor.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { requestContextOf } from '../infrastructure/http/server/request-context.js';
import { ReceivedBody } from '../infrastructure/http/validation/received-body.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';

/**
 * The URLs of deploy hooks. The token is their only credential. Not derived from contracts, because they use the raw
 * body.
 */
@Controller('hooks/deploy')
export class DeployHooksController {
  constructor(private readonly services: ServiceClient) {}

  @Post(':token')
  @HttpCode(202)
  @UseInterceptors(AuditInterceptor)
  @Admits({ access: 'deploy-hook', maxBodyBytes: MIB, budget: 'client-hooks' })
  @Describes({
    operation: 'DeployHooks.receive',
    requests: [receiveDeployHook],
    summary: 'Deploy a web service; for Git hosts',
    description:
      'Without headers of a Git host, deploys the configured branch and ignores the body. Push events of GitHub, GitLab, Gitea, Forgejo and Bitbucket are checked against the secret of the hook and deploy only for a push to that branch. Events of pull and merge requests create, deploy and delete previews. The same event again changes nothing.',
  })
  receive(@Param('token') token: string, @Req() request: FastifyRequest) {
    const { body } = request;
    const isReceived = body instanceof ReceivedBody;
    return this.services.request(
      receiveDeployHook,
      {
        token: token.slice(0, 200),
        headers: hookHeadersOf(request),
        content_type: isReceived ? body.contentType.slice(0, 200) : '',
        body: isReceived ? body.bytes.toString('base64') : '',
      },
      requestContextOf(request),
    );
  }
}

const hookHeadersOf = ({ headers }: FastifyRequest) =>
  Object.fromEntries(
    DEPLOY_HOOK_HEADERS.flatMap(name => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value.slice(0, 500)]] : [];
    }),
  );
