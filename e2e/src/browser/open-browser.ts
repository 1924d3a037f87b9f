import { type Browser, launch, type Page } from 'puppeteer-core';
import { findChromium } from './chromium.js';
import { openPage } from './page-actions.js';

const LOGGED_IN_WITHIN_MS = 120_000;

/** Starts headless Chromium. */
export const openBrowser = async (): Promise<Browser> => {
  const { program, environment } = await findChromium();
  return launch({
    executablePath: program,
    env: { ...process.env, ...environment },
    // Chromium's sandbox does not run as root; the browser only opens pages of Postern.
    args: process.getuid?.() === 0 ? ['--no-sandbox', '--disable-dev-shm-usage'] : [],
    // axe takes minutes on the reference.
    protocolTimeout: 1_200_000,
  });
};

interface Login {
  readonly email: string;
  readonly password: string;
}

/** Logs in to the dashboard. */
export const logIn = async (page: Page, base: string, login: Login): Promise<void> => {
  await openPage(page, `${base}/dashboard/`);
  await fillLogin(page, login);
  await page.waitForSelector('nav', { timeout: LOGGED_IN_WITHIN_MS });
};

/** Waits for the login page, fills it in, and submits it. */
export const fillLogin = async (page: Page, { email, password }: Login): Promise<void> => {
  await page.waitForSelector('input[name=password]');
  await page.type('input[name=email]', email);
  await page.type('input[name=password]', password);
  await page.click('.login button[type=submit]');
};
