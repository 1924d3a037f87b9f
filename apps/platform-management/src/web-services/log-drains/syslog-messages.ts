import type { LogStream } from '@postern/runtime';
import type { DrainedLine, DrainedService } from './drained-line.js';

/** Facility 1 (user-level messages) times 8 plus the severity: 6 (informational) or 3 (error). */
const PRIORITIES: Readonly<Record<LogStream, number>> = { stdout: 14, stderr: 11, build: 14, platform: 14 };

/** Without an enterprise number of its own, a product uses the one for examples (RFC 5612). */
const ELEMENT = 'postern@32473';

/** RFC 5424 messages in octet-counting frames (RFC 5425 §4.3). The message of a line is UTF-8 without a byte order mark. */
export const syslogFrames = (lines: readonly DrainedLine[], service: DrainedService): Buffer =>
  Buffer.concat(
    lines.map(line => {
      const message = Buffer.from(messageOf(line, service));
      return Buffer.concat([Buffer.from(`${message.length} `), message]);
    }),
  );

const messageOf = (
  { id, timestamp, instance, stream, message, deploymentId }: DrainedLine,
  { webServiceId, name }: DrainedService,
): string => {
  const header = [
    `<${PRIORITIES[stream]}>1`,
    timestamp.toISOString(),
    headerField(instance, 255),
    headerField(name, 48),
    '-',
    stream,
  ].join(' ');
  const parameters = Object.entries({ id: `${webServiceId}/${id}`, web_service_id: webServiceId, deploymentId })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key === 'deploymentId' ? 'deployment_id' : key}="${escaped(value!)}"`);
  return `${header} [${ELEMENT} ${parameters.join(' ')}] ${withoutControls(message)}`;
};

/** Printable ASCII without spaces, or the nil value (RFC 5424 §6). */
const headerField = (text: string, maxLength: number): string =>
  text.replace(/[^!-~]+/g, '-').slice(0, maxLength) || '-';

const escaped = (value: string): string => value.replace(/["\\\]]/g, '\\$&');

/** Receivers split or misread a message with control characters (RFC 5424 §8.2); the tab is common and harmless. */
const withoutControls = (message: string): string => message.replace(/(?!\t)\p{Cc}/gu, ' ');
