import { authorOf } from '../author.js';
import { childParts, type MimePart, partBytes, readPart } from '../mime-part.js';
import { REPORT_LIMITS } from './bounded-values.js';
import { readDmarcReport } from './dmarc-report.js';
import type { DomainReport } from './domain-report.js';
import { readTlsReport } from './tls-report.js';
import { unpack } from './unpack.js';

const MAX_DEPTH = 3;
const MAX_HEADER = 64 * 1024;
const DOCUMENT = /^(?:application\/|text\/(?:xml|json)$)/;

/** The only author of a mail; undefined if there is none or another one. */
export function authorOfMail(bytes: Uint8Array): string | undefined {
  return authorOf(readPart(textOf(bytes.subarray(0, MAX_HEADER)), true).fields);
}

/**
 * Reads the DMARC and TLS reports of an untrusted mail. Never throws: parts that are not a report, are malformed, or exceed
 * a limit when unpacked, are ignored.
 */
export function readDomainReports(bytes: Uint8Array): readonly DomainReport[] {
  const documents = documentsIn(readPart(textOf(bytes), true), MAX_DEPTH);
  return documents.slice(0, REPORT_LIMITS.documents).flatMap(reportsIn);
}

function documentsIn(part: MimePart, depth: number): MimePart[] {
  if (part.type.startsWith('multipart/')) {
    return depth === 0 ? [] : childParts(part).flatMap(child => documentsIn(child, depth - 1));
  }
  return part.isComplete && DOCUMENT.test(part.type) ? [part] : [];
}

function reportsIn(part: MimePart): readonly DomainReport[] {
  const document = unpack(partBytes(part), REPORT_LIMITS.documentBytes);
  const text =
    document
      ?.toString('utf8')
      .replace(/^\ufeff/, '')
      .trimStart() ?? '';
  if (text.startsWith('{')) return readTlsReport(text);
  const report = text.startsWith('<') ? readDmarcReport(text) : undefined;
  return report ? [report] : [];
}

const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1').replace(/\r\n?/g, '\n');
