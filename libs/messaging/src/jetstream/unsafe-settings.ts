import type { StreamConfig } from '@nats-io/jetstream';
import { type ServiceName, streamSubjectOf } from '@postern/contracts';

/** Settings of a stream by which NATS would read or send for somebody, and which no service makes. */
export const foreignSettingsOf = (service: ServiceName, config: Partial<StreamConfig>): readonly string[] => [
  ...(config.subjects ?? [])
    .filter(subject => subject !== streamSubjectOf(service))
    .map(subject => `stores ${subject}`),
  ...(config.republish ? [`sends what it stores to ${config.republish.dest}`] : []),
  ...(config.mirror || config.sources?.length ? ['copies another stream'] : []),
  ...(config.subject_transform ? ['changes subjects'] : []),
];

/** Settings of a stream by which it would lose events, or keep them from being erased. */
export const lossySettingsOf = (config: Partial<StreamConfig>): readonly string[] => [
  ...(is(config.storage, 'file') ? [] : ['keeps events in memory']),
  ...(is(config.retention, 'limits') ? [] : ['deletes events that consumers have taken']),
  ...(is(config.discard, 'new') ? [] : ['drops the oldest events when it is full']),
  ...(isPositive(config.max_age) ? ['deletes events by their age'] : []),
  ...(isPositive(config.max_msgs_per_subject) ? ['drops events of one subject'] : []),
  ...(config.no_ack ? ['confirms no events'] : []),
  ...(config.sealed ? ['takes no events'] : []),
  ...(config.deny_delete || config.deny_purge ? ['does not let events be deleted'] : []),
];

/** Settings with which the service publishes nothing, because what it publishes could be read elsewhere or lost. */
export const unsafeSettingsOf = (service: ServiceName, config: Partial<StreamConfig>): readonly string[] => [
  ...foreignSettingsOf(service, config),
  ...lossySettingsOf(config),
];

/** Absent is the setting that NATS has without one. */
const is = (found: string | undefined, expected: string): boolean => (found ?? expected) === expected;
const isPositive = (value: number | undefined): boolean => (value ?? 0) > 0;
