import type { Codebase } from './codebase.js';
import type { Import, SourceFile } from './source-tree.js';

/** Selects the files that it applies to, and reports violations in each of them. */
export interface Rule {
  readonly name: string;
  readonly governs: (path: string, codebase: Codebase) => boolean;
  readonly violations: (file: SourceFile, codebase: Codebase) => readonly string[];
}

export const forbidsImports = (file: SourceFile, forbidden: (imported: Import) => boolean): string[] =>
  file.imports.filter(forbidden).map(imported => `imports ${imported.specifier}`);

export const forbidsText = (file: SourceFile, patterns: Readonly<Record<string, RegExp>>): string[] =>
  Object.entries(patterns)
    .filter(([, pattern]) => pattern.test(file.text))
    .map(([name]) => `uses ${name}`);
