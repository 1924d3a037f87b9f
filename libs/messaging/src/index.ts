export { Backoff } from './backoff.js';
export { connectNats, type LinkStatus, NatsLink, type NatsOptions } from './connection.js';
export {
  currentContext,
  onReplyReceived,
  type RequestContext,
  type RequestDeadline,
  requestDeadline,
  runInContext,
} from './context.js';
export {
  isUnanswered,
  PayloadTooLarge,
  RemoteFault,
  ServiceUnavailable,
  TemporarilyUnavailable,
  type UnavailableReason,
  withoutEffect,
} from './faults.js';
export type { EventRetries } from './followers/event-batches.js';
export type { FollowerStatus } from './followers/event-follower.js';
export type { FollowerMove, FollowerStore } from './followers/follower-store.js';
export type { SetAsideEvent, SetAsideEvents, SetAsideFailure } from './followers/set-aside-events.js';
export type { RefusalBody, RequestKey } from './frames.js';
export { guarded, reportCallbackError, runDetached } from './guard.js';
export { RequestQueue } from './jetstream/request-queue.js';
export { type Log, silentLog } from './log.js';
export { RequestClient, type RequestOptions } from './request-client.js';
export { type EventBatch, Handles, HandlesEvents, HandlesEventsInTransaction } from './server/handlers.js';
export type { KeyedReply, KeyedRequests } from './server/keyed-requests.js';
export { type EventsOfHandler, type HandlerExtras, handlesMessages, POSTERN_TRANSPORT } from './server/patterns.js';
export { PosternServer, type PosternServerOptions } from './server/postern-server.js';
export { RequestHandlers } from './server/request-handlers.js';
export type { ServerIdentity } from './server-identity.js';
export {
  inSharedSpan,
  inSpan,
  recordedTraceId,
  type SpanOptions,
  startSpan,
  type TraceSpan,
  type TracingSettings,
  traceContextOf,
  traceWith,
} from './tracing.js';
