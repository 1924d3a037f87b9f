import type {
  apiKey,
  attempt,
  bulkResult,
  createDatabase,
  createSession,
  createWebhook,
  database,
  delivery,
  deployment,
  dnsRecord,
  emailCounts,
  emailService,
  emailServiceChanges,
  getDatabase,
  getEmailStats,
  getLogs,
  getMe,
  getMetricsHistory,
  getTrackedEmail,
  handOverResult,
  listPlatformKeys,
  moderateWebService,
  outcomeKind,
  project,
  projectSecretsByKey,
  recipientState,
  replaySince,
  rotateWebhookSecret,
  secretScope,
  sendingDomain,
  suppression,
  timelineEntry,
  trackedEmail,
  usage,
  user,
  variable,
  verifiedRecipient,
  webhook,
  webhookChanges,
  webService,
  workspace,
} from '@postern/contracts';
import type { z } from 'zod';

// What crosses the dashboard API, derived from the contracts; types only, so nothing of them reaches the browser.
export type ApiKey = z.output<typeof apiKey>;
export type Attempt = z.output<typeof attempt>;
export type CreatedSession = z.output<typeof createSession.reply>;
export type CreatedWebhook = z.output<typeof createWebhook.reply>;
export type Delivery = z.output<typeof delivery>;
export type DnsRecord = z.output<typeof dnsRecord>;
export type EmailCounts = z.output<typeof emailCounts>;
export type EmailService = z.output<typeof emailService>;
export type EmailServiceChanges = z.input<typeof emailServiceChanges>;
export type EmailStats = z.output<typeof getEmailStats.reply>;
export type HandOverResult = z.output<typeof handOverResult>;
export type EmailWithTimeline = z.output<typeof getTrackedEmail.reply>;
export type Me = z.output<typeof getMe.reply>;
export type OutcomeKind = z.output<typeof outcomeKind>;
export type RecipientState = z.output<typeof recipientState>;
export type Replayed = z.output<typeof replaySince.reply>;
export type NewSecret = z.output<typeof rotateWebhookSecret.reply>;
export type SendingDomain = z.output<typeof sendingDomain>;
export type Suppression = z.output<typeof suppression>;
export type TimelineEntry = z.output<typeof timelineEntry>;
export type TrackedEmail = z.output<typeof trackedEmail>;
export type User = z.output<typeof user>;
export type VerifiedRecipient = z.output<typeof verifiedRecipient>;
export type Webhook = z.output<typeof webhook>;
export type WebhookChanges = z.input<typeof webhookChanges>;
export type Workspace = z.output<typeof workspace>;

export type BulkResult = z.output<typeof bulkResult>;
export type CreatedDatabase = z.output<typeof createDatabase.reply>;
export type Database = z.output<typeof database>;
export type DatabaseWithUsage = z.output<typeof getDatabase.reply>;
export type Deployment = z.output<typeof deployment>;
export type Logs = z.output<typeof getLogs.reply>;
export type MetricsHistory = z.output<typeof getMetricsHistory.reply>;
export type ModerationAction = z.input<typeof moderateWebService.request>['action'];
export type PlatformKey = z.output<typeof listPlatformKeys.reply>[number];
export type Project = z.output<typeof project>;
export type ProjectSecrets = z.output<typeof projectSecretsByKey>;
export type SecretScope = z.output<typeof secretScope>;
export type Usage = z.output<typeof usage>;
export type Variable = z.output<typeof variable>;
export type WebService = z.output<typeof webService>;

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}
