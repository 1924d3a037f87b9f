import { describe, expect, it } from '@jest/globals';
import { type DrainedLine, withDeployments } from './drained-line.js';
import { newlineJson } from './newline-json.js';
import { otlpLogs } from './otlp-logs.js';
import { syslogFrames } from './syslog-messages.js';

const SERVICE = { webServiceId: '019ca2c0-0000-7000-8000-000000000001', name: 'Online shop' };
const DEPLOYMENT = '019ca2c0-0000-7000-8000-000000000002';
const line = (changes: Partial<DrainedLine> = {}): DrainedLine => ({
  id: '1700000000000-42',
  timestamp: new Date('2026-01-02T03:04:05.678Z'),
  instance: 'web-1',
  stream: 'stdout',
  message: 'ready',
  deploymentId: DEPLOYMENT,
  ...changes,
});

/** Splits octet-counting frames (RFC 5425 §4.3). */
const messagesIn = (frames: Buffer): string[] => {
  const messages: string[] = [];
  for (let at = 0; at < frames.length; ) {
    const space = frames.indexOf(' ', at);
    const end = space + 1 + Number(frames.toString('ascii', at, space));
    messages.push(frames.toString('utf8', space + 1, end));
    at = end;
  }
  return messages;
};
const syslog = (changes: Partial<DrainedLine> = {}) => messagesIn(syslogFrames([line(changes)], SERVICE))[0];

describe('a line as newline-delimited JSON', () => {
  it('has documented fields, and an id that is unique among web services', () => {
    const text = newlineJson(
      [line(), line({ stream: 'stderr', message: 'a\nb "c"', deploymentId: undefined })],
      SERVICE,
    );
    expect(text.endsWith('}\n')).toBe(true);
    const [first, second] = text
      .trimEnd()
      .split('\n')
      .map(each => JSON.parse(each));
    expect(first).toEqual({
      id: `${SERVICE.webServiceId}/1700000000000-42`,
      timestamp: '2026-01-02T03:04:05.678Z',
      message: 'ready',
      stream: 'stdout',
      instance: 'web-1',
      web_service_id: SERVICE.webServiceId,
      web_service_name: 'Online shop',
      deployment_id: DEPLOYMENT,
    });
    expect(second).toMatchObject({ stream: 'stderr', message: 'a\nb "c"', deployment_id: null });
  });
});

describe('a line as a syslog message', () => {
  it('has the header and structured data of RFC 5424', () => {
    expect(syslog()).toBe(
      `<14>1 2026-01-02T03:04:05.678Z web-1 Online-shop - stdout [postern@32473 id="${SERVICE.webServiceId}/1700000000000-42" web_service_id="${SERVICE.webServiceId}" deployment_id="${DEPLOYMENT}"] ready`,
    );
  });

  it('has the severity error if it was written to standard error', () => {
    expect(syslog({ stream: 'stderr' })).toMatch(/^<11>1 /);
  });

  it('is framed by its length in bytes', () => {
    const lines = ['ä€😀', '', 'last'].map(message => line({ message }));
    const messages = messagesIn(syslogFrames(lines, SERVICE));
    expect(messages.map(each => each.split('] ')[1])).toEqual(['ä€😀', '', 'last']);
  });

  it('has no control characters except the tab, so that no receiver reads one line as two', () => {
    expect(syslog({ message: 'a\r\nb\0c\u001b[31md\te' })).toMatch(/\] a {2}b c \[31md\te$/);
  });

  it.each([
    ['', '-'],
    ['läden und mehr', 'l-den-und-mehr'],
    ['x'.repeat(60), 'x'.repeat(48)],
  ])('names the web service %j in printable ASCII', (name, expected) => {
    expect(messagesIn(syslogFrames([line()], { ...SERVICE, name }))[0]!.split(' ')[3]).toBe(expected);
  });

  it('leaves out a deployment that is not known', () => {
    expect(syslog({ deploymentId: undefined })).not.toContain('deployment_id');
  });
});

describe('lines as OTLP', () => {
  it('are log records of a resource for each instance, with times in nanoseconds', () => {
    const lines = [
      line(),
      line({ id: '1-2', instance: 'web-2', stream: 'stderr' }),
      line({ id: '1-3', message: 'more' }),
    ];
    const { resourceLogs } = JSON.parse(otlpLogs(lines, SERVICE));
    const attributesOf = ({ attributes }: { attributes: { key: string; value: { stringValue: string } }[] }) =>
      Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));
    expect(resourceLogs.map(({ resource }: never) => attributesOf(resource))).toEqual(
      ['web-1', 'web-2'].map(instance => ({
        'service.name': 'Online shop',
        'service.instance.id': instance,
        'postern.web_service.id': SERVICE.webServiceId,
        'postern.deployment.id': DEPLOYMENT,
      })),
    );
    const records = resourceLogs.map(
      ({ scopeLogs }: { scopeLogs: { logRecords: unknown[] }[] }) => scopeLogs[0]!.logRecords,
    );
    expect(records.map((of: unknown[]) => of.length)).toEqual([2, 1]);
    expect(records[0][0]).toEqual({
      timeUnixNano: '1767323045678000000',
      observedTimeUnixNano: '1767323045678000000',
      severityNumber: 9,
      severityText: 'INFO',
      body: { stringValue: 'ready' },
      attributes: [
        { key: 'log.record.uid', value: { stringValue: `${SERVICE.webServiceId}/1700000000000-42` } },
        { key: 'log.iostream', value: { stringValue: 'stdout' } },
      ],
    });
    expect(records[1][0]).toMatchObject({ severityNumber: 17, severityText: 'ERROR' });
  });
});

describe('the deployment of a line', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
  const deployments = [
    { id: 'building', wasLive: false, startedAt: at(40), finishedAt: null },
    { id: 'failed', wasLive: false, startedAt: at(30), finishedAt: at(32) },
    { id: 'second', wasLive: true, startedAt: at(20), finishedAt: at(25) },
    { id: 'first', wasLive: true, startedAt: at(1), finishedAt: at(5) },
  ];
  const deploymentAt = (minute: number, stream: 'stdout' | 'build') =>
    withDeployments([line({ timestamp: at(minute), stream })], deployments)[0]!.deploymentId;

  it.each([
    [3, undefined],
    [5, 'first'],
    [22, 'first'],
    [31, 'second'],
    [45, 'second'],
  ])('of an instance is the one that was live in minute %d: %s', (minute, expected) => {
    expect(deploymentAt(minute, 'stdout')).toBe(expected);
  });

  it.each([
    [0, undefined],
    [22, 'second'],
    [31, 'failed'],
    [35, undefined],
    [45, 'building'],
  ])('of a build is the one in progress in minute %d: %s', (minute, expected) => {
    expect(deploymentAt(minute, 'build')).toBe(expected);
  });
});
