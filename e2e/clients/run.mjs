/**
 * `npm run clients`: starts Postern, generates clients with openapi-generator, and runs a program with each. Run manually,
 * because the generator is a Java program: mvn dependency:get -Dartifact=org.openapitools:openapi-generator-cli:7.23.0
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare, ROOT } from '../../tools/setup/prepare.mjs';
import { keysIn, startPostern } from './postern.mjs';

const VERSION = '7.23.0';
const IN_REPOSITORY = `org/openapitools/openapi-generator-cli/${VERSION}/openapi-generator-cli-${VERSION}.jar`;
const JAR = process.env.OPENAPI_GENERATOR ?? join(homedir(), '.m2/repository', IN_REPOSITORY);
const PROGRAMS = import.meta.dirname;

const run = async (command, args, options = {}) => {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
  const [code] = await Promise.race([
    once(child, 'exit'),
    once(child, 'error').then(([error]) => Promise.reject(error)),
  ]);
  if (code !== 0) throw new Error(`${command} ${args[0]} ended with ${code}`);
};

/** How to generate each client and to run its program, in its own folder. */
const CLIENTS = {
  'typescript-fetch': {
    // Its runtime checks do not compile in strict mode.
    properties: 'importFileExtension=.js,withoutRuntimeChecks=true,modelPropertyNaming=original',
    run: async (folder, env) => {
      copyFileSync(join(PROGRAMS, 'program.ts'), join(folder, 'program.ts'));
      writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}');
      mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
      for (const types of ['@types/node', 'undici-types'])
        symlinkSync(join(ROOT, 'node_modules', types), join(folder, 'node_modules', types));
      const options = ['--ignoreConfig', '--strict', '--module', 'NodeNext', '--target', 'ES2024', '--types', 'node'];
      await run(join(ROOT, 'node_modules/.bin/tsc'), [...options, 'program.ts'], {
        cwd: folder,
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      await run('node', ['program.js'], { cwd: folder, env });
    },
  },
  python: {
    properties: 'packageName=postern',
    run: (folder, env) => {
      const path = { PYTHONPATH: join(folder, 'postern') };
      return run('python3', [join(PROGRAMS, 'program.py')], { cwd: folder, env: { ...env, ...path } });
    },
  },
  go: {
    properties: 'packageName=postern,withGoMod=false',
    run: async (folder, env) => {
      copyFileSync(join(PROGRAMS, 'program.go'), join(folder, 'program.go'));
      writeFileSync(join(folder, 'go.mod'), 'module example.com/clients\n\ngo 1.23\n');
      await run('go', ['get', './...'], { cwd: folder, stdio: ['ignore', 'ignore', 'ignore'] });
      await run('go', ['run', 'program.go'], { cwd: folder, env });
    },
  },
};

if (!existsSync(JAR)) {
  console.error(`${JAR} was not found. Fetch it:
  mvn dependency:get -Dartifact=org.openapitools:openapi-generator-cli:${VERSION} -Dtransitive=false
or set OPENAPI_GENERATOR to its path.`);
  process.exit(2);
}
await prepare(line => console.error(`▸ ${line}`));
const postern = await startPostern();
const folder = mkdtempSync(join(tmpdir(), 'postern-clients-'));
try {
  const env = { ...process.env, ...(await keysIn(postern)) };
  for (const [generator, client] of Object.entries(CLIENTS)) {
    const own = join(folder, generator);
    mkdirSync(own);
    // Responses may get fields that a client does not know yet.
    const properties = `${client.properties},disallowAdditionalPropertiesIfNotPresent=false`;
    const args = ['-g', generator, '-i', `${postern.baseUrl}/openapi.json`, '-o', join(own, 'postern')];
    await run('java', ['-jar', JAR, 'generate', ...args, `--additional-properties=${properties}`]);
    if (generator === 'go') rmSync(join(own, 'postern/test'), { recursive: true, force: true });
    const outcome = await client.run(own, env).then(
      () => 'works',
      error => `failed: ${error.message}`,
    );
    console.log(`${generator}: ${outcome}`);
    if (outcome !== 'works') process.exitCode = 1;
  }
} finally {
  postern.child.stdin.end();
  await once(postern.child, 'exit');
  rmSync(folder, { recursive: true, force: true });
}
