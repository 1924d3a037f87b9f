import { Controller, Get, Headers, Param, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import { DEFAULT_MAX_BODY_BYTES, followLogs, followRun } from '@postern/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { callerOf } from '../infrastructure/http/access/caller.js';
import { CHECK_KEY_MS, endOfPlatformKey } from '../infrastructure/http/access/platform-key-end.js';
import { CurrentSession, type Session } from '../infrastructure/http/access/session.js';
import { RequiresSession } from '../infrastructure/http/access/session-authentication.js';
import { endOfSession } from '../infrastructure/http/access/session-end.js';
import { Admits } from '../infrastructure/http/admission/route-admission.js';
import { Describes, type OperationDescription } from '../infrastructure/http/openapi/describe.js';
import { queryShape } from '../infrastructure/http/validation/query-parameters.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';
import { LogFollower, type LogReader } from './log-follower.js';

const CHECK_SESSION_MS = 5_000;

const streamQuery = z.object({
  tail: z.int().min(1).max(1_000).default(100).describe('Number of earlier lines that the stream begins with.'),
});
const parameters = z.object({ web_service_id: z.uuid().describe('Id of the web service.') });
const runParameters = parameters.extend({ run_id: z.uuid().describe('Id of the run.') });
type Path = z.output<typeof parameters>;
type RunPath = z.output<typeof runParameters>;
type Options = z.output<typeof streamQuery>;

const EXAMPLE = `id: 1769860800000-96
data: {"timestamp":"2026-01-31T12:00:00.000Z","instance":"web-1","stream":"stdout","message":"GET / 200"}

`;

/** The conditions under which the credential ends a stream, as part of a sentence. */
const SESSION_ENDS = 'the session ends.';
const KEY_ENDS = 'the key is no longer valid. Each minute of a stream counts as one call.';

const ofLog = (end: string): OperationDescription => ({
  operation: 'LogsAndMetrics.stream',
  operationId: 'followLogs',
  requests: [followLogs],
  summary: 'Follow the log of a web service as server-sent events',
  ...stream(`when the web service is deleted, or ${end}`),
});

const ofRun = (end: string): OperationDescription => ({
  operation: 'Runs.stream',
  operationId: 'followRun',
  requests: [followRun],
  summary: 'Follow the output of a one-off command as server-sent events, from its first line',
  ...stream(`when the run has ended, when the web service is deleted, or ${end}`),
});

/** @param end when the stream ends, as part of a sentence. */
const stream = (end: string) => ({
  description: `Each event is one line as JSON, with an id. A reader that connects again with \`Last-Event-ID\` gets the lines since then. A comment every 15 seconds keeps the connection open. The stream ends with the event \`end\` ${end} A stream that has more to send than its rate allows falls behind; it loses no lines. A reader that takes nothing for a minute is disconnected, and continues with \`Last-Event-ID\`. At most 10 streams for each workspace.`,
  contentType: 'text/event-stream',
  isText: true,
  examples: { reply: EXAMPLE },
  also: { 429: 'The workspace reads too many streams.' },
  codes: { 429: ['too_many_streams'] },
  requestHeaders: { 'Last-Event-ID': { required: false, description: 'The id of the last line that was received.' } },
});

/** Not derived from contracts, because the responses have no end. */
@Controller('dashboard/api/web-services')
export class DashboardLogStreamController {
  constructor(
    private readonly services: ServiceClient,
    private readonly log: LogFollower,
  ) {}

  @Get(':web_service_id/logs/stream')
  @RequiresSession('session', { isEndless: true })
  @Describes(ofLog(SESSION_ENDS))
  stream(
    @CurrentSession() session: Session,
    @Param({ schema: parameters }) { web_service_id: webServiceId }: Path,
    @Query({ schema: queryShape(streamQuery.shape) }) { tail }: Options,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    return this.#follow(session, { webServiceId, from: { tail }, lastEventId }, reply);
  }

  @Get(':web_service_id/runs/:run_id/logs/stream')
  @RequiresSession('session', { isEndless: true })
  @Describes(ofRun(SESSION_ENDS))
  streamRun(
    @CurrentSession() session: Session,
    @Param({ schema: runParameters }) { web_service_id: webServiceId, run_id: runId }: RunPath,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    return this.#follow(session, { webServiceId, from: { runId }, lastEventId }, reply);
  }

  #follow(session: Session, what: WhatToRead, reply: FastifyReply): Promise<StreamableFile> {
    const isOver = () => endOfSession(this.services, session);
    return this.log.follow({ ...what, caller: session, checkMs: CHECK_SESSION_MS, isOver }, reply);
  }
}

type WhatToRead = Pick<LogReader, 'webServiceId' | 'from' | 'lastEventId'>;

/** The same access as a call that reads, without an end. */
const READS = {
  access: 'platform-key',
  role: 'viewer',
  maxBodyBytes: DEFAULT_MAX_BODY_BYTES,
  budget: 'caller',
  isEndless: true,
} as const;

/** The same streams for programs with a platform key. */
@Controller('api/v1/web-services')
export class PlatformLogStreamController {
  constructor(
    private readonly services: ServiceClient,
    private readonly log: LogFollower,
  ) {}

  @Get(':web_service_id/logs/stream')
  @Admits(READS)
  @Describes(ofLog(KEY_ENDS))
  stream(
    @Req() request: FastifyRequest,
    @Param({ schema: parameters }) { web_service_id: webServiceId }: Path,
    @Query({ schema: queryShape(streamQuery.shape) }) { tail }: Options,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    return this.#follow(request, { webServiceId, from: { tail }, lastEventId }, reply);
  }

  @Get(':web_service_id/runs/:run_id/logs/stream')
  @Admits(READS)
  @Describes(ofRun(KEY_ENDS))
  streamRun(
    @Req() request: FastifyRequest,
    @Param({ schema: runParameters }) { web_service_id: webServiceId, run_id: runId }: RunPath,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    return this.#follow(request, { webServiceId, from: { runId }, lastEventId }, reply);
  }

  #follow(request: FastifyRequest, what: WhatToRead, reply: FastifyReply): Promise<StreamableFile> {
    const caller = callerOf(request);
    const isOver = () => endOfPlatformKey(this.services, request, { required: 'read', role: 'viewer' });
    return this.log.follow({ ...what, caller, checkMs: CHECK_KEY_MS, isOver }, reply);
  }
}
