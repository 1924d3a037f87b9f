/**
 * `node tools/setup/pack-clients.mjs <folder>`: packs what users install from this installation, without a package registry:
 * `sdk.tgz`, the library; `python.tgz`, `go.tgz`, `php.tgz` and `ruby.tgz`, the libraries in other languages; and `command.tgz`,
 * the command with everything that it imports in one file.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT, toolEnvironment } from './prepare.mjs';

const [target] = process.argv.slice(2);
if (!target) throw new Error('usage: node tools/setup/pack-clients.mjs <folder>');
const folder = resolve(target);
const work = mkdtempSync(join(tmpdir(), 'postern-clients-'));

/** Packs the package in `source` as `name`. */
const pack = (source, name) => {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', work];
  const printed = execFileSync('npm', args, { cwd: source, env: toolEnvironment(), encoding: 'utf8' });
  const [{ filename }] = JSON.parse(printed.slice(printed.indexOf('[')));
  cpSync(join(work, filename), join(folder, `${name}.part`));
  // A gateway may serve the file meanwhile.
  renameSync(join(folder, `${name}.part`), join(folder, name));
};

/** Packs the sources of the library in another language, in the folder `postern`. */
const packSources = language => {
  const source = join(work, language);
  const filter = path => !path.includes('__pycache__');
  cpSync(join(ROOT, 'libs/sdks', language), join(source, 'postern'), { recursive: true, filter });
  const part = join(folder, `${language}.tgz.part`);
  execFileSync('tar', ['-czf', part, '-C', source, 'postern']);
  renameSync(part, join(folder, `${language}.tgz`));
};

/** The command as a package without dependencies. */
const bundledCommand = async () => {
  const source = join(ROOT, 'tools/command');
  const made = await rolldown({
    input: { main: join(source, 'dist/main.js') },
    platform: 'node',
    // The input is JavaScript, and the build of an image lacks projects that tsconfig.json names.
    tsconfig: false,
    // Only where Postern is installed.
    external: [/\/administration\/administer\.js$/],
    onLog: (level, log) => {
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
      if (level === 'warn') console.log(log.message);
    },
  });
  const out = join(work, 'command');
  await made.write({ dir: join(out, 'dist'), format: 'esm', entryFileNames: '[name].js', codeSplitting: false });
  await made.close();
  for (const file of ['bin', 'LICENSE', 'README.md']) cpSync(join(source, file), join(out, file), { recursive: true });
  const {
    dependencies: _bundled,
    devDependencies: _development,
    nx: _nx,
    ...manifest
  } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  writeFileSync(join(out, 'package.json'), JSON.stringify({ ...manifest, files: ['bin', 'dist'] }, null, 2));
  return out;
};

mkdirSync(folder, { recursive: true });
try {
  pack(join(ROOT, 'libs/sdk'), 'sdk.tgz');
  for (const language of ['python', 'go', 'php', 'ruby']) packSources(language);
  pack(await bundledCommand(), 'command.tgz');
} finally {
  rmSync(work, { recursive: true, force: true });
}
