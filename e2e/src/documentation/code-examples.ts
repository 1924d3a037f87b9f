import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export const DOCS = join(import.meta.dirname, '../../../docs');

/** A fenced code block whose info string defines how to run it, for example `js run file=send.mjs`. */
export interface CodeExample {
  readonly language: string;
  /** `run`: a program that ends; `sdk`: a program that imports the SDK. `receiver`: a webhook receiver on PORT. */
  readonly kind: 'run' | 'sdk' | 'receiver';
  readonly file: string;
  readonly code: string;
}

export interface ExamplePage {
  readonly page: string;
  readonly examples: readonly CodeExample[];
}

const FENCE = /^```(\w+) (run|sdk|receiver)(?: file=(\S+))?\n([\s\S]*?)^```$/gm;

const examplesIn = (markdown: string): readonly CodeExample[] =>
  [...markdown.matchAll(FENCE)].map(([, language = '', kind, file, code = '']) => ({
    language,
    kind: kind as CodeExample['kind'],
    file: file ?? `example.${language}`,
    code,
  }));

/** All documentation pages with runnable code examples, by file name. */
export const examplePages = (): readonly ExamplePage[] =>
  readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md'))
    .sort()
    .map(name => ({ page: relative('.', name), examples: examplesIn(readFileSync(join(DOCS, name), 'utf8')) }))
    .filter(({ examples }) => examples.length > 0);
