import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { writePrivately } from './config-file.js';

/** Cookies by URL and address. They grant no access, so a sign-out keeps them. */
const devices = z.record(z.string(), z.string());

/** A sign-in of a user at an installation. */
export interface DeviceKey {
  readonly url: string;
  readonly email: string;
}

/** `devices.json` beside the stored credentials. */
const pathOf = (configPath: string): string => join(dirname(configPath), 'devices.json');
const nameOf = ({ url, email }: DeviceKey): string => `${url} ${email.toLowerCase()}`;

/**
 * The cookie that marks this machine as a known device of the user, so that failed attempts of others do not delay its
 * sign-in. Undefined before the first sign-in, and if the file is damaged.
 */
export const deviceCookieOf = (configPath: string, key: DeviceKey): string | undefined =>
  devicesIn(configPath)[nameOf(key)];

/** Stores the cookie that a sign-in returned. */
export const storeDeviceCookie = (configPath: string, key: DeviceKey, cookie: string): void =>
  writePrivately(pathOf(configPath), { ...devicesIn(configPath), [nameOf(key)]: cookie });

const devicesIn = (configPath: string): Readonly<Record<string, string>> => {
  try {
    return devices.parse(JSON.parse(readFileSync(pathOf(configPath), 'utf8')));
  } catch {
    return {};
  }
};
