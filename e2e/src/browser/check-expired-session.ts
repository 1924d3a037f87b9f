/// <reference lib="dom" />
import { waitFor } from '@postern/testing';
import type { Page } from 'puppeteer-core';
import { fillLogin } from './open-browser.js';
import { clickButton, fill, openForm, openPage } from './page-actions.js';

const TYPED = 'Written before the session expired';

/**
 * Fills in a form, ends the session, submits the form, and logs in again. The page must still contain the input and
 * submit it. @throws otherwise.
 */
export const checkExpiredSession = async (
  page: Page,
  base: string,
  login: { readonly email: string; readonly password: string },
): Promise<void> => {
  await openPage(page, `${base}/dashboard/projects`);
  await openForm(page, 'New project');
  await fill(page, 'name', TYPED);
  // Chromium may abort the request, as it does when a network interface appears.
  const endSession = () =>
    page.evaluate(() =>
      fetch('/dashboard/api/session', { method: 'DELETE' }).then(
        () => true,
        () => false,
      ),
    );
  await waitFor(endSession, { timeoutMs: 120_000, describe: 'the end of the session' });
  await clickButton(page, 'Create project');
  await fillLogin(page, login);
  await page.waitForFunction(() => !document.querySelector('input[name=password]'), { timeout: 30_000 });
  const kept = await page.$eval('input[name=name]', field => (field as HTMLInputElement).value);
  if (kept !== TYPED) throw new Error(`the form has “${kept}” after the login, and not what was typed`);
  await clickButton(page, 'Create project');
  await page.waitForFunction(wanted => document.querySelector('main')?.textContent?.includes(wanted), {}, TYPED);
};
