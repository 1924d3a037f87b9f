import { Controller, Get, Param, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import { DEFAULT_MAX_BODY_BYTES, openShell, terminalSize } from '@postern/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { callerOf } from '../infrastructure/http/access/caller.js';
import { Admits } from '../infrastructure/http/admission/route-admission.js';
import { AuditInterceptor } from '../infrastructure/http/audit/audit.interceptor.js';
import { ERROR_CODE } from '../infrastructure/http/errors/error-code.js';
import { Problem } from '../infrastructure/http/errors/problem.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { mayUpgrade } from '../infrastructure/http/server/websocket-upgrades.js';
import { queryShape } from '../infrastructure/http/validation/query-parameters.js';
import { Shells } from './shells.js';

const parameters = z.object({ web_service_id: z.uuid().describe('Id of the web service.') });
const shellQuery = z.object({
  columns: terminalSize.shape.columns.default(80),
  rows: terminalSize.shape.rows.default(24),
  command: openShell.request.shape.command.describe('Runs instead of an interactive shell; stored as it is.'),
});

/** Shells of web services over WebSockets. Not derived from a contract, because the response is no message. */
@Controller('api/v1/web-services')
@UseInterceptors(AuditInterceptor)
export class ShellController {
  constructor(private readonly shells: Shells) {}

  @Get(':web_service_id/shell')
  @Admits({
    access: 'platform-key',
    role: 'member',
    writes: true,
    maxBodyBytes: DEFAULT_MAX_BODY_BYTES,
    budget: 'caller',
    isEndless: true,
  })
  @Describes({
    operation: 'Runs.shell',
    operationId: 'openShell',
    requests: [openShell],
    summary: 'Open a shell with a terminal, as a WebSocket',
    description:
      'The shell, or the command, runs like a one-off command, in the live release with its environment, with a terminal instead of a log. Binary frames are bytes of the terminal; the client sends at most 64 KiB in a frame. The text frame `{"resize": {"columns": 120, "rows": 40}}` sets the size. The last frame is the text `{"exit": {"code": 0, "reason": null}}`; `code` is null if the command was ended, and `reason` says why. The command and its programs end with the connection, if the client does not answer a ping within 30 seconds, after 15 minutes without input and output, after 1 GiB of output, and after an hour. The close code 1012 means that Postern restarts. Needs a key with the scope write, which is checked once a minute and counts as one call then.',
    contentType: 'application/octet-stream',
    isText: true,
    examples: { reply: '$ ' },
    also: { 426: 'The request is no WebSocket handshake.' },
    codes: { 426: ['websocket_required'] },
  })
  async open(
    @Req() request: FastifyRequest,
    @Param({ schema: parameters }) { web_service_id: webServiceId }: z.output<typeof parameters>,
    @Query({ schema: queryShape(shellQuery.shape) }) query: z.output<typeof shellQuery>,
    @Res() reply: FastifyReply,
  ): Promise<{ id: string }> {
    if (!mayUpgrade(request.raw))
      throw new Problem(426, 'This is a WebSocket. Use `postern shell`, or a WebSocket client.', {
        [ERROR_CODE]: 'websocket_required',
        upgrade: 'websocket',
      });
    const shell = await this.shells.open(callerOf(request), { webServiceId, ...query });
    reply.hijack();
    void this.shells.serve(request, shell);
    return { id: shell.run.id };
  }
}
