import { describe, expect, it } from '@jest/globals';
import { DiscardPolicy, RetentionPolicy, StorageType, type StreamConfig } from '@nats-io/jetstream';
import { streamConfig } from './event-stream.js';
import { unsafeSettingsOf } from './unsafe-settings.js';

const OWN: Partial<StreamConfig> = streamConfig('email-send', {});

describe('Settings with which a service does not publish to a stream', () => {
  it('exclude settings of the services, defaults of NATS and choices of an administrator', () => {
    expect(unsafeSettingsOf('email-send', OWN)).toEqual([]);
    const more = { sources: [], max_msgs: -1, max_msgs_per_subject: -1, max_age: 0, sealed: false, deny_delete: false };
    const chosen = { max_bytes: 2 ** 34, num_replicas: 3, duplicate_window: 1, description: 'of email-send' };
    expect(unsafeSettingsOf('email-send', { ...OWN, ...more, ...chosen })).toEqual([]);
  });

  it.each<[string, Partial<StreamConfig>]>([
    ['stores postern.requests.>', { subjects: [...(OWN.subjects ?? []), 'postern.requests.>'] }],
    ['sends what it stores to elsewhere', { republish: { src: '>', dest: 'elsewhere' } }],
    ['copies another stream', { sources: [{ name: 'postern-platform-management' }] }],
    ['copies another stream', { mirror: { name: 'postern-platform-management' } }],
    ['changes subjects', { subject_transform: { src: '>', dest: 'elsewhere' } }],
    ['keeps events in memory', { storage: StorageType.Memory }],
    ['deletes acknowledged events', { retention: RetentionPolicy.Workqueue }],
    ['deletes acknowledged events', { retention: RetentionPolicy.Interest }],
    ['drops the oldest events when it is full', { discard: DiscardPolicy.Old }],
    ['deletes events by their age', { max_age: 1 }],
    ['drops events of one subject', { max_msgs_per_subject: 1 }],
    ['confirms no events', { no_ack: true }],
    ['takes no events', { sealed: true }],
    ['forbids the deletion of events', { deny_purge: true }],
  ])('include those with which it %s', (found, change) => {
    expect(unsafeSettingsOf('email-send', { ...OWN, ...change })).toEqual([found]);
  });
});
