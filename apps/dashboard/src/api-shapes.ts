import type {
  apiKey,
  attempt,
  createApiKey,
  createSession,
  createWebhook,
  delivery,
  dnsRecord,
  emailCounts,
  emailService,
  emailServiceChanges,
  getEmailStats,
  getMe,
  getTrackedEmail,
  outcomeKind,
  recipientState,
  replaySince,
  rotateWebhookSecret,
  sendingDomain,
  suppression,
  timelineEntry,
  trackedEmail,
  user,
  verifiedRecipient,
  webhook,
  webhookChanges,
  workspace,
} from '@postern/contracts';
import type { z } from 'zod';

// What crosses the dashboard API, derived from the contracts; types only, so nothing of them reaches the browser.
export type ApiKey = z.output<typeof apiKey>;
export type Attempt = z.output<typeof attempt>;
export type CreatedApiKey = z.output<typeof createApiKey.reply>;
export type CreatedSession = z.output<typeof createSession.reply>;
export type CreatedWebhook = z.output<typeof createWebhook.reply>;
export type Delivery = z.output<typeof delivery>;
export type DnsRecord = z.output<typeof dnsRecord>;
export type EmailCounts = z.output<typeof emailCounts>;
export type EmailService = z.output<typeof emailService>;
export type EmailServiceChanges = z.input<typeof emailServiceChanges>;
export type EmailStats = z.output<typeof getEmailStats.reply>;
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

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}
