import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const INLINE = /<script( id="[\w-]+")?>(.+?)<\/script>/gs;

/** Moves the inline scripts of a page to files, because the Content-Security-Policy of the gateway forbids them. */
export const withExternalScripts = (html: string, base: string, site: string): string =>
  html.replace(INLINE, (_, id: string | undefined, code: string) => {
    const name = `assets/${createHash('sha256').update(code).digest('hex').slice(0, 12)}.js`;
    mkdirSync(join(site, 'assets'), { recursive: true });
    writeFileSync(join(site, name), code);
    return `<script${id ?? ''} src="${base}${name}"></script>`;
  });
