import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { deviceCookieOf, storeDeviceCookie } from './device-file.js';

const folder = mkdtempSync(join(tmpdir(), 'postern-devices-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'config.json');
const ada = { url: 'https://postern.example.com', email: 'ada@example.com' };

describe('the cookie of a device', () => {
  it('is stored for one user at one installation, for the owner of the file only', () => {
    expect(deviceCookieOf(path, ada)).toBeUndefined();
    storeDeviceCookie(path, ada, 'postern_device=a');
    storeDeviceCookie(path, { ...ada, email: 'bea@example.com' }, 'postern_device=b');
    expect(deviceCookieOf(path, { ...ada, email: 'ADA@example.com' })).toBe('postern_device=a');
    expect(deviceCookieOf(path, { ...ada, url: 'https://other.example.com' })).toBeUndefined();
    expect(statSync(join(folder, 'devices.json')).mode & 0o777).toBe(0o600);
  });

  it('is absent if the file is damaged, and can be stored again', () => {
    writeFileSync(join(folder, 'devices.json'), '{');
    expect(deviceCookieOf(path, ada)).toBeUndefined();
    storeDeviceCookie(path, ada, 'postern_device=c');
    expect(deviceCookieOf(path, ada)).toBe('postern_device=c');
  });
});
