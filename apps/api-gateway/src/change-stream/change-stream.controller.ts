import { Controller, Get, Res, StreamableFile } from '@nestjs/common';
import { authenticateSession } from '@postern/contracts';
import type { FastifyReply } from 'fastify';
import { CurrentSession, type Session } from '../infrastructure/http/access/session.js';
import { RequiresSession } from '../infrastructure/http/access/session-authentication.js';
import { endOfSession } from '../infrastructure/http/access/session-end.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';
import { ChangeStream } from './change-stream.js';
import { ChangeStreams } from './change-streams.js';

const EXAMPLE = `event: change
data: {"topics":["web-services/0198d3a4-0f4b-7d21-8c55-6a1b2c3d4e02"]}

`;

/** What has changed in the workspace, for pages that show it. Not derived from a contract, because the response has no end. */
@Controller('dashboard/api/changes')
export class ChangeStreamController {
  constructor(
    private readonly services: ServiceClient,
    private readonly streams: ChangeStreams,
  ) {}

  @Get()
  @RequiresSession('session', { isEndless: true })
  @Describes({
    operation: 'Changes.follow',
    operationId: 'followChanges',
    requests: [authenticateSession],
    summary: 'Follow what changes in the workspace as server-sent events',
    description:
      'Each event `change` names resources that have changed: `web-services/<id>`, `email-services/<id>`, `databases/<id>`, or `workspaces/<id>` for anything in the workspace. Read what you show again. Changes while you are not connected are not sent later: read again after each event `open`. A comment every 15 seconds keeps the connection open. The stream ends with the event `end` when the session ends or its workspace changes. At most 20 streams for each user.',
    contentType: 'text/event-stream',
    isText: true,
    examples: { reply: EXAMPLE },
    also: { 429: 'The user or the workspace has too many streams.' },
    codes: { 429: ['too_many_streams'] },
  })
  follow(@CurrentSession() session: Session, @Res({ passthrough: true }) reply: FastifyReply): StreamableFile {
    this.streams.requireRoom(session);
    const stream = new ChangeStream({ isOver: () => endOfSession(this.services, session) });
    reply.raw.once('close', () => stream.end());
    this.streams.add(session, stream);
    reply.header('cache-control', 'no-store').header('x-accel-buffering', 'no');
    return new StreamableFile(stream.body, { type: 'text/event-stream; charset=utf-8' });
  }
}
