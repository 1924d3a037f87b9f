import { gunzipSync, inflateRawSync } from 'node:zlib';

const END_OF_DIRECTORY = 0x06054b50;
const ENTRY = 0x02014b50;
const FILE = 0x04034b50;
const END_BYTES = 22;
const MAX_COMMENT = 65_535;

/**
 * Reads a document that is plain, gzip-compressed, or the first file of a zip. Undefined if it is malformed or exceeds the
 * limit, at which the decompression stops.
 */
export function unpack(bytes: Buffer, maxBytes: number): Buffer | undefined {
  try {
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) return gunzipSync(bytes, { maxOutputLength: maxBytes });
    if (bytes.length > 4 && bytes.readUInt32LE(0) === FILE) return unzipFirst(bytes, maxBytes);
  } catch {
    return undefined;
  }
  return bytes.length <= maxBytes ? bytes : undefined;
}

/** The central directory contains the offset of the file (APPNOTE 4.3); sizes before compression are not trusted. */
function unzipFirst(bytes: Buffer, maxBytes: number): Buffer | undefined {
  const from = Math.max(0, bytes.length - MAX_COMMENT - END_BYTES);
  let end = bytes.length - END_BYTES;
  while (end >= from && bytes.readUInt32LE(end) !== END_OF_DIRECTORY) end--;
  if (end < from) return undefined;
  const entry = bytes.readUInt32LE(end + 16);
  if (bytes.readUInt32LE(entry) !== ENTRY) return undefined;
  const method = bytes.readUInt16LE(entry + 10);
  const size = bytes.readUInt32LE(entry + 20);
  const file = bytes.readUInt32LE(entry + 42);
  if (bytes.readUInt32LE(file) !== FILE) return undefined;
  const start = file + 30 + bytes.readUInt16LE(file + 26) + bytes.readUInt16LE(file + 28);
  const data = bytes.subarray(start, start + size);
  if (method === 8) return inflateRawSync(data, { maxOutputLength: maxBytes });
  return method === 0 && data.length <= maxBytes ? data : undefined;
}
