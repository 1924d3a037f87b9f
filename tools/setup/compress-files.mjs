/**
 * `node tools/setup/compress-files.mjs <folder>`: writes a Brotli and a gzip copy beside each text file of built pages, which the
 * gateway serves to clients that accept them.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const TEXT = new Set(['.html', '.js', '.css', '.svg', '.json', '.txt', '.md', '.xml', '.webmanifest']);
/** Smaller files fit into one packet as they are. */
const AT_LEAST = 1_024;
const BROTLI = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT },
};

const [folder] = process.argv.slice(2);
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !TEXT.has(extname(entry.name))) continue;
  const path = join(entry.parentPath, entry.name);
  const content = readFileSync(path);
  if (content.length < AT_LEAST) continue;
  writeFileSync(`${path}.br`, brotliCompressSync(content, BROTLI));
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
}
