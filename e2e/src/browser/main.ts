/**
 * The program behind `npm run browser`: arguments are parts of paths; without any, all pages are checked. `behavior` checks what
 * pages do, and `pictures` takes the pictures of the README.
 */
import { LIFTED_REQUEST_LIMITS } from '@postern/local-start';
import type { Page } from 'puppeteer-core';
import { PlatformWorld } from '../platform/platform-world.js';
import { checkBehavior } from './check-behavior.js';
import { checkExpiredSession } from './check-expired-session.js';
import { checkPage, type Finding, THEMES, WIDTHS } from './check-page.js';
import { createContent } from './example-content.js';
import { firstPaints } from './first-paint.js';
import { logIn, openBrowser } from './open-browser.js';
import { takePictures } from './pictures.js';

const wanted = process.argv.slice(2);
const isWanted = (path: string): boolean => wanted.length === 0 || wanted.some(part => path.includes(part));

/** Verifies that the check finds known violations; otherwise a broken check would pass every page. */
const assertFindsMistakes = async (page: Page): Promise<void> => {
  const mistakes = encodeURIComponent(
    '<img src="x"><p style="width: 3000px">wide</p><button style="outline: none">quiet</button><b tabindex="0" onfocus="this.blur()">trap</b>' +
      '<main><p class="empty">No keys yet.</p><p>9 Mar 2026, 11:00:00</p><button>Submit</button>' +
      '<dialog><h2></h2><button>Close</button></dialog>' +
      '<form onsubmit="event.preventDefault(); this.innerHTML = `<input>`"><button>Save</button></form></main>',
  );
  const found = new Set((await checkPage(page, `data:text/html,${mistakes}`, '')).map(({ rule }) => rule));
  for (const rule of [
    ...['image-alt', 'scrolls sideways', 'no visible focus', 'not reached by keyboard'],
    ...['empty list without a next step', 'time without its zone', 'another word for an action'],
    // In a dialog, and in a form after it was submitted.
    ...['empty-heading', 'label'],
  ])
    if (!found.has(rule)) throw new Error(`the check does not find a page with ${rule}`);
};

const documentationPages = async (page: Page, base: string): Promise<string[]> => {
  await page.goto(`${base}/docs`, { waitUntil: 'networkidle2' });
  const links = await page.$$eval('a[href^="/docs"]', found => found.map(link => new URL(link.href).pathname));
  return [...new Set(['/docs', ...links])];
};

const browser = await openBrowser();
const platform = await PlatformWorld.start({ environment: { 'api-gateway': LIFTED_REQUEST_LIMITS } });
const base = platform.world.postern.baseUrl;
const findings: Finding[] = [];
let checked = 0;

const check = async (page: Page, path: string): Promise<void> => {
  if (!isWanted(path)) return;
  checked += 1;
  const found = await checkPage(page, base + path, path).catch((error: Error) => [
    { path, width: 0, theme: '', rule: `not checked: ${error.message}`, targets: [] },
  ]);
  findings.push(...found);
  console.log(`${found.length === 0 ? '✓' : '✕'} ${path}`);
  for (const { width, theme, rule, targets } of found)
    console.log(`    ${rule} (${width} px, ${theme}): ${targets.join(' | ')}`);
};

try {
  const [bare = 0, login = 0] = await firstPaints(browser, [`${base}/nowhere`, `${base}/dashboard/`]);
  const ratio = (login / bare).toFixed(1);
  console.log(`First paint: dashboard ${login.toFixed(0)} ms, ${ratio} times a bare page (${bare.toFixed(0)} ms)`);
  const paths = await createContent(platform);
  const page = await browser.newPage();
  await assertFindsMistakes(page);
  for (const path of ['/dashboard/', '/dashboard/password-reset', '/dashboard/invitation#x']) await check(page, path);
  await logIn(page, base, platform.world.operatorLogin);
  for (const path of paths) await check(page, `/dashboard${path}`);
  if (wanted.includes('pictures')) await takePictures(page, base, paths);
  if (wanted.length === 0 || wanted.includes('behavior')) await checkBehavior(page, base, paths);
  await checkExpiredSession(page, base, platform.world.operatorLogin);
  // Puppeteer counts the requests of a page that was left as open, so a tab that showed the dashboard never becomes idle.
  const documentation = await browser.newPage();
  for (const path of (await documentationPages(documentation, base)).filter(isWanted)) {
    // A page that is still busy, such as the reference, would fail the next one.
    const tab = await browser.newPage();
    await check(tab, path);
    await tab.close();
  }
} finally {
  await browser.close();
  await platform.stop();
}
const combinations = checked * WIDTHS.length * THEMES.length;
console.log(`\n${checked} pages, ${combinations} combinations of page, width and theme, ${findings.length} findings`);
process.exit(findings.length === 0 ? 0 : 1);
