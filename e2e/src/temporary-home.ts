import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A home for one Postern; `remove` deletes it with its content. */
export const temporaryHome = (): { readonly folder: string; readonly remove: () => void } => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-story-'));
  // Web services and builds run as other users if this process runs as root.
  chmodSync(folder, 0o755);
  const remove = () => {
    // Build artefacts are read-only for their owner as well.
    execFileSync('chmod', ['-R', 'u+w', folder]);
    rmSync(folder, { recursive: true, force: true });
  };
  return { folder, remove };
};
