import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';

const maker = new URL(`../sandbox/namespaces/sandbox-root${extname(import.meta.filename)}`, import.meta.url);
const version = createHash('sha256').update(readFileSync(maker)).digest('hex').slice(0, 12);

/**
 * The folder in which all homes of a user share the root directories of sandboxes. Creating one copies the machine's
 * configuration, which takes a second. Each version of `sandbox-root` has its own folder.
 */
export const KEPT_FRAMES = join(tmpdir(), `postern-frames-${process.getuid?.() ?? 0}-${version}`);
