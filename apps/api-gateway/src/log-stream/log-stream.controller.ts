import { Controller, Get, Headers, Param, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import { admitPlatformCall, DEFAULT_MAX_BODY_BYTES, followLogs, Refusal } from '@postern/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { callerOf } from '../infrastructure/http/access/caller.js';
import { platformKeyHashOf } from '../infrastructure/http/access/platform-key.js';
import { operationOfRoute } from '../infrastructure/http/access/route-operations.js';
import { CurrentSession, type Session } from '../infrastructure/http/access/session.js';
import { RequiresSession } from '../infrastructure/http/access/session-authentication.js';
import { endOfSession } from '../infrastructure/http/access/session-end.js';
import { Admits } from '../infrastructure/http/admission/route-admission.js';
import { Describes, type OperationDescription } from '../infrastructure/http/openapi/describe.js';
import { queryShape } from '../infrastructure/http/validation/query-parameters.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';
import { LogFollower } from './log-follower.js';

const CHECK_SESSION_MS = 5_000;
/** Longer than for sessions, because a check of a platform key counts as a call. */
const CHECK_KEY_MS = 60_000;

const streamQuery = z.object({
  tail: z.int().min(1).max(1_000).default(100).describe('Number of earlier lines that the stream begins with.'),
});
const parameters = z.object({ web_service_id: z.uuid().describe('Id of the web service.') });
type Path = z.output<typeof parameters>;
type Options = z.output<typeof streamQuery>;

const EXAMPLE = `id: 1769860800000-96
data: {"timestamp":"2026-01-31T12:00:00.000Z","instance":"web-1","stream":"stdout","message":"GET / 200"}

`;

/** @param end the condition under which the credential ends the stream, as part of a sentence. */
const described = (end: string): OperationDescription => ({
  operation: 'LogsAndMetrics.stream',
  operationId: 'followLogs',
  requests: [followLogs],
  summary: 'Follow the log of a web service as server-sent events',
  description: `Each event is one line as JSON, with an id. A reader that connects again with \`Last-Event-ID\` gets the lines since then. A comment every 15 seconds keeps the connection open. The stream ends with the event \`end\` when the web service is deleted, or ${end} A stream that has more to send than its rate allows falls behind; it loses no lines. A reader that takes nothing for a minute is disconnected, and continues with \`Last-Event-ID\`. At most 10 streams for each workspace.`,
  contentType: 'text/event-stream',
  isText: true,
  examples: { reply: EXAMPLE },
  also: { 429: 'The workspace reads too many streams.' },
  codes: { 429: ['too_many_streams'] },
  requestHeaders: { 'Last-Event-ID': { required: false, description: 'The id of the last line that was received.' } },
});

/** Not derived from a contract, because the response has no end. */
@Controller('dashboard/api/web-services')
export class DashboardLogStreamController {
  constructor(
    private readonly services: ServiceClient,
    private readonly log: LogFollower,
  ) {}

  @Get(':web_service_id/logs/stream')
  @RequiresSession('session', { isEndless: true })
  @Describes(described('the session ends.'))
  stream(
    @CurrentSession() session: Session,
    @Param({ schema: parameters }) { web_service_id: webServiceId }: Path,
    @Query({ schema: queryShape(streamQuery.shape) }) { tail }: Options,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const reader = { caller: session, webServiceId, tail, lastEventId, checkMs: CHECK_SESSION_MS };
    return this.log.follow({ ...reader, isOver: () => endOfSession(this.services, session) }, reply);
  }
}

/** The same stream for programs with a platform key. */
@Controller('api/v1/web-services')
export class PlatformLogStreamController {
  constructor(
    private readonly services: ServiceClient,
    private readonly log: LogFollower,
  ) {}

  @Get(':web_service_id/logs/stream')
  @Admits({
    access: 'platform-key',
    role: 'viewer',
    maxBodyBytes: DEFAULT_MAX_BODY_BYTES,
    budget: 'caller',
    isEndless: true,
  })
  @Describes(described('the key is no longer valid. Each minute of a stream counts as one call.'))
  stream(
    @Req() request: FastifyRequest,
    @Param({ schema: parameters }) { web_service_id: webServiceId }: Path,
    @Query({ schema: queryShape(streamQuery.shape) }) { tail }: Options,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const caller = callerOf(request);
    const call = {
      key_hash: platformKeyHashOf(request),
      required: 'read',
      operation: operationOfRoute(request),
      role: 'viewer',
    } as const;
    const isOver = async () => {
      try {
        await this.services.request(admitPlatformCall, call, caller);
        return undefined;
      } catch (error) {
        // A key at its rate limit is still valid, and so is one that cannot be checked at the moment.
        const isRefused = Refusal.is(error) && error.code !== 'rate_limit_reached';
        return isRefused ? 'the platform key is no longer valid' : undefined;
      }
    };
    const reader = { caller, webServiceId, tail, lastEventId, checkMs: CHECK_KEY_MS };
    return this.log.follow({ ...reader, isOver }, reply);
  }
}
