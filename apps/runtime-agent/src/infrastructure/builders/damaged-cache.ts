/** What package managers print about a download that is damaged in their cache. Each pattern takes linear time. */
const DAMAGED: readonly RegExp[] = [
  /\bEINTEGRITY\b/,
  /npm (?:error|ERR!) (?:code )?Z_(?:BUF|DATA)_ERROR/,
  /zlib: (?:unexpected end of file|incorrect data check)/,
  /ERR_PNPM_(?:TARBALL_INTEGRITY|UNEXPECTED_PKG_CONTENT_IN_STORE)/,
  /YN0018|the file appears to be corrupt/,
  /IntegrityCheckFailed|Integrity check failed/,
  /DO NOT MATCH THE HASHES|zipfile\.BadZipFile/,
  /[Ff]ailed to deserialize cache entry|Failed to read from the distribution cache/,
  /verifying \S+: checksum mismatch|zip: not a valid zip file/,
  /checksum for `[^`]+` changed|failed to unpack package/,
  /invalid LOC header|error in opening zip file|zip END header not found/,
  /The checksum verification of the file failed/,
];

/** Whether the output of a failed build shows a damaged package cache. A wrong checksum of the registry looks the same. */
export const showsDamagedCache = (output: string): boolean => DAMAGED.some(pattern => pattern.test(output));
