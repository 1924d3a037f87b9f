import type { StreamConfig } from '@nats-io/jetstream';
import { type ServiceName, streamSubjectOf } from '@postern/contracts';

/** Settings by which NATS would copy messages into or out of the stream, and which no service uses. */
export const foreignSettingsOf = (service: ServiceName, config: Partial<StreamConfig>): readonly string[] => [
  ...(config.subjects ?? [])
    .filter(subject => subject !== streamSubjectOf(service))
    .map(subject => `stores ${subject}`),
  ...(config.republish ? [`sends what it stores to ${config.republish.dest}`] : []),
  ...(config.mirror || config.sources?.length ? ['copies another stream'] : []),
  ...(config.subject_transform ? ['changes subjects'] : []),
];

/** Settings by which the stream would lose events, or prevent their erasure. */
export const lossySettingsOf = (config: Partial<StreamConfig>): readonly string[] => [
  ...(is(config.storage, 'file') ? [] : ['keeps events in memory']),
  ...(is(config.retention, 'limits') ? [] : ['deletes acknowledged events']),
  ...(is(config.discard, 'new') ? [] : ['drops the oldest events when it is full']),
  ...(isPositive(config.max_age) ? ['deletes events by their age'] : []),
  ...(isPositive(config.max_msgs_per_subject) ? ['drops events of one subject'] : []),
  ...(config.no_ack ? ['confirms no events'] : []),
  ...(config.sealed ? ['takes no events'] : []),
  ...(config.deny_delete || config.deny_purge ? ['forbids the deletion of events'] : []),
];

/** Settings with which the service publishes nothing, because events could be disclosed or lost. */
export const unsafeSettingsOf = (service: ServiceName, config: Partial<StreamConfig>): readonly string[] => [
  ...foreignSettingsOf(service, config),
  ...lossySettingsOf(config),
];

/** An absent setting equals the default of NATS. */
const is = (found: string | undefined, expected: string): boolean => (found ?? expected) === expected;
const isPositive = (value: number | undefined): boolean => (value ?? 0) > 0;
