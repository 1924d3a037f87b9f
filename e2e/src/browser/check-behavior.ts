/// <reference lib="dom" />
import type { Page } from 'puppeteer-core';
import { checkEmailPages } from './check-email-pages.js';
import { clickButton, fill, openForm, openPage, untilText } from './page-actions.js';

const UNKNOWN = '01a20000-0000-7000-8000-000000000000';

/** What pages do, as far as only a browser shows it. @throws what they do instead. */
export const checkBehavior = async (page: Page, base: string, paths: readonly string[]): Promise<void> => {
  const pathOf = (pattern: RegExp): string => {
    const found = paths.find(path => pattern.test(path));
    if (found === undefined) throw new Error(`no page matches ${pattern}`);
    return `${base}/dashboard${found}`;
  };
  await missingPages(page, base);
  await chosenTheme(page, base);
  await unsavedChanges(page, pathOf(/^\/services\/[^/]+\/settings$/));
  await collapsedForms(page, base);
  const [delivered = '', bounced = ''] = paths.filter(path => /^\/services\/[^/]+\/messages\/./.test(path));
  await checkEmailPages(page, {
    delivered: `${base}/dashboard${delivered}`,
    bounced: `${base}/dashboard${bounced}`,
    settings: pathOf(/^\/services\/[^/]+\/settings$/),
    template: pathOf(/^\/services\/[^/]+\/templates\/./),
  });
  await searchOfAdministrators(page, base);
  await changedVariable(page, pathOf(/^\/web-services\/[^/]+\/environment$/));
  await deletionByName(page, pathOf(/^\/databases\/[^/]+$/));
};

/** Says what was saved and that it waits for a start, offers the restart, and fills the form to edit a variable. */
const changedVariable = async (page: Page, url: string): Promise<void> => {
  await openPage(page, url);
  await untilText(page, 'PORT', 'main table');
  await untilText(page, 'Postern', 'main table td');
  await fill(page, 'key', 'LEVEL');
  await fill(page, 'value', 'debug');
  await clickButton(page, 'Save variable');
  await untilText(page, 'LEVEL saved.', 'main .notice');
  await untilText(page, 'LEVEL from the next start', 'main table td');
  await clickButton(page, 'Edit', 'main table tr:has(button[aria-label="Edit LEVEL"]) button');
  await untilText(page, 'Edit LEVEL', 'main h2');
  const value = await page.$eval('main input[name=value]', field => (field as HTMLInputElement).value);
  if (value !== 'debug') throw new Error(`the form to edit a variable has the value ${JSON.stringify(value)}`);
  await clickButton(page, 'Restart', 'main .notice button');
  await page.waitForFunction(() => !document.querySelector('main .notice.warning'), { timeout: 120_000 });
};

/** Administrators find a web service by its name, and choose it for moderation. */
const searchOfAdministrators = async (page: Page, base: string): Promise<void> => {
  await openPage(page, `${base}/dashboard/moderation?search=no-such-name`);
  await untilText(page, 'Nothing matches “no-such-name”.');
  await openPage(page, `${base}/dashboard/moderation`);
  await clickButton(page, 'Moderate', 'main table button');
  await untilText(page, 'Block for policy violation', 'main select option');
  await clickButton(page, 'Email services', 'main .toggles button');
  await untilText(page, 'shop.test', 'main table td');
  await clickButton(page, 'Set daily quota', 'main table tr:has(td) button');
};

const missingPages = async (page: Page, base: string): Promise<void> => {
  for (const [path, heading] of [
    ['/databases/nope', 'Page not found'],
    [`/databases/${UNKNOWN}`, 'Database not found'],
    [`/services/${UNKNOWN}/messages`, 'Email service not found'],
    [`/web-services/${UNKNOWN}`, 'Web service not found'],
    [`/projects/${UNKNOWN}`, 'Project not found'],
    [`/platform-keys/${UNKNOWN}`, 'Platform key not found'],
  ] as const) {
    await openPage(page, `${base}/dashboard${path}`);
    await untilText(page, heading, 'main h1');
    const title = await page.title();
    if (title !== `${heading} · Postern`) throw new Error(`${path} has the title “${title}”`);
  }
};

/** The theme of the browser is the one that the user has chosen, whatever the system prefers. */
const chosenTheme = async (page: Page, base: string): Promise<void> => {
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
  await openPage(page, `${base}/dashboard/account`);
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  for (const [theme, isLight] of [
    ['dark', false],
    ['light', true],
    ['system', true],
  ] as const) {
    await page.select('.side-foot select', theme);
    await page.reload({ waitUntil: 'networkidle2' });
    if (((await paper()) === light) !== isLight) throw new Error(`the theme ${theme} does not show its colours`);
  }
};

const unsavedChanges = async (page: Page, url: string): Promise<void> => {
  await openPage(page, url);
  const messages: string[] = [];
  page.on('dialog', dialog => {
    messages.push(dialog.message());
    void dialog.dismiss();
  });
  const nameField = 'main input[name=name]';
  await page.waitForSelector(nameField);
  await page.type(nameField, ' changed');
  await clickButton(page, 'Webhooks', 'nav a');
  if (page.url() !== url) throw new Error('a link left a form with unsaved changes');
  if (messages[0] !== 'Leave this page without saving your changes?')
    throw new Error(`the dialog said ${JSON.stringify(messages)}`);
  await clickButton(page, 'Save');
  await untilText(page, 'Name saved.');
  await clickButton(page, 'Webhooks', 'nav a');
  await untilText(page, 'Webhooks', 'main h1');
  if (messages.length !== 1) throw new Error('a saved form warns again');
  page.removeAllListeners('dialog');
};

const collapsedForms = async (page: Page, base: string): Promise<void> => {
  await openPage(page, `${base}/dashboard/projects`);
  await page.waitForSelector('main table');
  const isShown = () => page.$eval('main input[name=name]', field => field.checkVisibility());
  if (await isShown()) throw new Error('the form for a new project is open though there are projects');
  await openForm(page, 'New project');
  if (!(await isShown())) throw new Error('the form for a new project does not open');
};

const deletionByName = async (page: Page, url: string): Promise<void> => {
  await openPage(page, url);
  await untilText(page, 'Delete this database', 'main h2');
  const name = (await page.$eval('main h1', heading => heading.textContent)) ?? '';
  const isEnabled = () =>
    page.$$eval('main button[type=submit]', found =>
      found.some(each => each.textContent?.trim() === 'Delete database' && !(each as HTMLButtonElement).disabled),
    );
  if (await isEnabled()) throw new Error('a database can be deleted without its name');
  const labels = await page.$$('main label');
  for (const label of labels)
    if ((await label.evaluate(each => each.textContent))?.startsWith(`Type ${name}`)) await label.click();
  await page.keyboard.type(name);
  if (!(await isEnabled())) throw new Error('a database cannot be deleted with its name');
};
