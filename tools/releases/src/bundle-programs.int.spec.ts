import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it, jest } from '@jest/globals';

jest.setTimeout(120_000);

const folder = mkdtempSync(join(tmpdir(), 'postern-bundle-programs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { replacePackages } = (await import(new URL('../bundle-programs.mjs', import.meta.url).href)) as {
  replacePackages(target: string, architecture: string): void;
};
const OTHER = process.arch === 'x64' ? 'arm64' : 'x64';
/** `e_machine` of ELF programs. */
const MACHINES = { x64: 0x3e, arm64: 0xb7 };
const machineOf = (program: string) => readFileSync(program).readUInt16LE(18);

const nativeArgon2 = () => {
  const name = `@node-rs/argon2-linux-${process.arch}-gnu`;
  const argon2 = createRequire(import.meta.url).resolve('@node-rs/argon2/package.json');
  return { name, source: dirname(createRequire(argon2).resolve(`${name}/package.json`)) };
};

it('An archive for the other architecture has the same release of each native package for it', () => {
  const { name, source } = nativeArgon2();
  const target = join(folder, 'archive');
  cpSync(source, join(target, 'node_modules', name), { recursive: true });
  replacePackages(target, OTHER);
  expect(existsSync(join(target, 'node_modules', name))).toBe(false);
  const replaced = join(target, `node_modules/@node-rs/argon2-linux-${OTHER}-gnu`);
  const versionOf = (path: string) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')).version;
  expect(versionOf(replaced)).toBe(versionOf(source));
  expect(machineOf(join(replaced, `argon2.linux-${OTHER}-gnu.node`))).toBe(MACHINES[OTHER]);
});

it('A native package that does not exist for the other architecture is refused by name', () => {
  const target = join(folder, 'archive-of-one');
  mkdirSync(join(target, 'node_modules/only-here'), { recursive: true });
  const description = { name: 'only-here', version: '1.0.0', cpu: [process.arch] };
  writeFileSync(join(target, 'node_modules/only-here/package.json'), JSON.stringify(description));
  expect(() => replacePackages(target, OTHER)).toThrow(`only-here is not for ${OTHER}`);
});
