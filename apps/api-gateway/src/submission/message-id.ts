const MAX_HEADER_BYTES = 256 * 1024;

/** The Message-ID in the header of a message; undefined if it has none. */
export const messageIdIn = (content: Buffer): string | undefined => {
  const start = content.subarray(0, MAX_HEADER_BYTES).toString('latin1');
  const header = start.split(/\r?\n\r?\n/, 1)[0] ?? '';
  return /^message-id[ \t]*:\s*(<[^<>\s]{1,900}>)/im.exec(header)?.[1];
};
