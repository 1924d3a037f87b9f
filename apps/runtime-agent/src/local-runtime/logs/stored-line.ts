import type { LogLine, LogStream } from '@postern/runtime';

const STREAMS: ReadonlySet<string> = new Set<LogStream>(['stdout', 'stderr', 'build', 'platform']);

/** One line on disk. JSON escapes line ends, so a line end is always the end of a stored line. */
export const encodeLine = ({ timestamp, instance, stream, message }: LogLine): string =>
  `${JSON.stringify([timestamp.getTime(), instance, stream, message])}\n`;

/** Undefined for a torn line, which a kill or a full disk has left. */
export const decodeLine = (text: string): LogLine | undefined => {
  try {
    const [time, instance, stream, message, ...rest]: unknown[] = JSON.parse(text);
    if (typeof time !== 'number' || typeof instance !== 'string' || typeof message !== 'string') return undefined;
    if (!isStream(stream) || rest.length > 0) return undefined;
    return { timestamp: new Date(time), instance, stream, message };
  } catch {
    return undefined;
  }
};

const isStream = (value: unknown): value is LogStream => typeof value === 'string' && STREAMS.has(value);
