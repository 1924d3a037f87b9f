export * from './api-types.js';
export { type Email, Emails, type SendOptions } from './emails.js';
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  PosternError,
  RateLimitError,
  ServerError,
} from './errors.js';
export type { AbortSignalLike, CallOptions, Fetch } from './http-client.js';
export { DeploymentFailedError, DeploymentTimeoutError, type WaitOptions } from './platform/deployments.js';
export type { FollowOptions } from './platform/logs.js';
export type { Platform } from './platform/platform.js';
export { Postern, type PosternOptions } from './postern.js';
export { ScheduledEmails, type ScheduledEmailsFilter } from './scheduled-emails.js';
export type { WebhookReceiver } from './webhooks/receive.js';
export {
  type VerificationFailure,
  type VerifyOptions,
  verifyWebhook,
  type WebhookCall,
  type WebhookHeaders,
  WebhookVerificationError,
} from './webhooks/verify.js';
export { webhookHandler } from './webhooks/web-handler.js';
