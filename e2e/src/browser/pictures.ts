/// <reference lib="dom" />
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { openPage } from './page-actions.js';

const FOLDER = join(import.meta.dirname, '../../../docs/pictures');
const LARGEST_BYTES = 150_000;

/** The pictures of the README, by their file, with the page that each shows. */
const PICTURES: Readonly<Record<string, RegExp>> = {
  'home.webp': /^\/$/,
  'web-service.webp': /^\/web-services\/[^/]+$/,
};

/** Takes the pictures of the README. @throws if one is too large for a repository. */
export const takePictures = async (page: Page, base: string, paths: readonly string[]): Promise<void> => {
  await mkdir(FOLDER, { recursive: true });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
  await page.setViewport({ width: 1280, height: 800 });
  for (const [file, pattern] of Object.entries(PICTURES)) {
    const path = paths.find(each => pattern.test(each));
    if (path === undefined) throw new Error(`no page matches ${pattern}`);
    await openPage(page, `${base}/dashboard${path}`);
    await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'), { timeout: 30_000 });
    const picture = await page.screenshot({ type: 'webp', quality: 80 });
    if (picture.length > LARGEST_BYTES) throw new Error(`${file} has ${picture.length} bytes`);
    await writeFile(join(FOLDER, file), picture);
    console.log(`✓ ${file} (${Math.round(picture.length / 1_000)} kB)`);
  }
};
