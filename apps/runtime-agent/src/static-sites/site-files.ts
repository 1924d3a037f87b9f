import { open, realpath, stat } from 'node:fs/promises';
import { basename, extname, join, sep } from 'node:path';

export interface SiteFile {
  readonly path: string;
  /** The path within the site. */
  readonly name: string;
  readonly size: number;
  readonly modified: Date;
}

export type Found = { readonly kind: 'file'; readonly file: SiteFile } | { readonly kind: 'folder' } | undefined;

const RULE_FILES = new Set(['/_redirects', '/_headers']);
const LARGEST_RULE_FILE = 512 * 1_024;

/** The files of a site; none that is hidden, and none outside its folder. */
export class SiteFiles {
  private constructor(private readonly root: string) {}

  static async of(folder: string): Promise<SiteFiles> {
    return new SiteFiles(await realpath(folder));
  }

  /** Finds `path`, `path.html` or `path.htm`; for a path with a slash at its end, the page of the folder. */
  async find(path: string): Promise<Found> {
    if (path.includes('\0') || path.split('/').some(isHidden) || RULE_FILES.has(path)) return undefined;
    const bare = path.replace(/\/+$/, '');
    const page = async () => (await this.#file(`${bare}/index.html`)) ?? (await this.#file(`${bare}/index.htm`));
    const named = bare === '' ? [] : [...(path.endsWith('/') ? [] : [bare]), `${bare}.html`, `${bare}.htm`];
    if (path.endsWith('/')) {
      const index = await page();
      if (index) return { kind: 'file', file: index };
    }
    for (const name of named) {
      const file = await this.#file(name);
      if (file) return { kind: 'file', file };
    }
    return !path.endsWith('/') && (await page()) ? { kind: 'folder' } : undefined;
  }

  /** The beginning of a file with rules; empty if there is none. */
  async rules(name: string): Promise<string> {
    const file = await this.#file(`/${name}`);
    if (!file) return '';
    const opened = await open(file.path);
    try {
      const { buffer, bytesRead } = await opened.read(Buffer.alloc(Math.min(file.size, LARGEST_RULE_FILE)));
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await opened.close();
    }
  }

  async #file(name: string): Promise<SiteFile | undefined> {
    const path = await realpath(join(this.root, name)).catch(() => undefined);
    if (!path?.startsWith(this.root + sep)) return undefined;
    const found = await stat(path);
    return found.isFile() ? { path, name, size: found.size, modified: found.mtime } : undefined;
  }
}

const isHidden = (part: string): boolean => part.startsWith('.') && part !== '.well-known';

const BUILT_FOLDERS = /\/(_next\/static|_app\/immutable|_astro|_nuxt)\//;

/** Whether a build put a hash of the content into the name, so that the content never changes. */
export const isFingerprinted = ({ name }: SiteFile): boolean => {
  if (BUILT_FOLDERS.test(name)) return true;
  const extension = extname(name);
  if (extension === '' || isPage(name)) return false;
  const parts = basename(name, extension).split(/[.-]/).slice(1);
  return parts.some(
    part =>
      (/^[0-9a-f]{8,64}$/.test(part) && /\d/.test(part) && /[a-f]/.test(part)) ||
      (/^\w{8,32}$/.test(part) && /\d/.test(part) && /[a-z]/.test(part) && /[A-Z]/.test(part)),
  );
};

const isPage = (name: string): boolean => /\.html?$/i.test(name);

const TEXT = 'charset=utf-8';
const TYPES: Readonly<Record<string, string>> = {
  html: `text/html; ${TEXT}`,
  htm: `text/html; ${TEXT}`,
  css: `text/css; ${TEXT}`,
  js: `text/javascript; ${TEXT}`,
  mjs: `text/javascript; ${TEXT}`,
  json: 'application/json',
  map: 'application/json',
  webmanifest: 'application/manifest+json',
  txt: `text/plain; ${TEXT}`,
  md: `text/markdown; ${TEXT}`,
  csv: `text/csv; ${TEXT}`,
  ics: `text/calendar; ${TEXT}`,
  xml: 'application/xml',
  rss: 'application/rss+xml',
  atom: 'application/atom+xml',
  svg: 'image/svg+xml',
  wasm: 'application/wasm',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  ico: 'image/x-icon',
  woff: 'font/woff',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
  otf: 'font/otf',
  pdf: 'application/pdf',
  zip: 'application/zip',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  mp4: 'video/mp4',
  webm: 'video/webm',
};

export const typeOf = (name: string): string =>
  TYPES[extname(name).slice(1).toLowerCase()] ?? 'application/octet-stream';

export const isCompressible = (type: string): boolean =>
  type.startsWith('text/') || /[/+](json|xml)$/.test(type) || /\/(wasm|ttf|otf|x-icon)$/.test(type);
