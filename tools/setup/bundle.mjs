/**
 * `node tools/setup/bundle.mjs <service>`: makes `dist/bundle.js` of a service from its build, with everything that it imports. A
 * process that loads one file instead of 2,000 starts in a quarter of the time. `dist/main.js` is the same program. Of
 * runtime-agent, it also makes the program that stops what outlives it, those that run in images of web services, each as
 * one file, and the process that tests start and kill.
 */
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT } from './prepare.mjs';

/** Packages that Nest, Fastify and pg load only where an application uses them. */
const OPTIONAL = [
  '@fastify/multipart',
  '@fastify/view',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  'amqp-connection-manager',
  'class-transformer',
  'class-validator',
  'ioredis',
  'kafkajs',
  'mqtt',
  'pg-native',
];

/** A compiled library that is loaded from the folder of its package, and a package in UMD, whose imports a bundler does not see. */
const SEPARATE = ['@node-rs/argon2', 'jsonc-parser'];

const [service] = process.argv.slice(2);
if (!service) throw new Error('usage: node tools/setup/bundle.mjs <service>');

const dist = join(ROOT, 'apps', service, 'dist');

/** @param entries the entry point of each file. @param output what differs from the usual form. */
const bundle = async (entries, output) => {
  const made = await rolldown({
    input: Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, join(dist, entry)])),
    platform: 'node',
    external: [...OPTIONAL, ...SEPARATE].map(each => new RegExp(`^${each}(/|$)`)),
    onLog: (level, log) => {
      // A package that is not found would fail when the service needs it.
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
      if (level !== 'debug') console.log(log.message);
    },
  });
  const files = {
    entryFileNames: '[name].js',
    chunkFileNames: 'bundle-[name].js',
    assetFileNames: 'bundle-[name][extname]',
  };
  await made.write({ dir: dist, format: 'esm', ...files, ...output });
  await made.close();
};

if (service === 'runtime-agent') {
  for (const name of ['image-build', 'image-push', 'static-server'])
    await bundle({ [`program-${name}`]: `kubernetes-runtime/builds/${name}.js` }, { minify: true });
  const agent = { 'bundle-quick-agent': 'testing/quick-agent.js' };
  await bundle(agent, { keepNames: true, chunkFileNames: 'bundle-quick-[name].js' });
}
const others = service === 'runtime-agent' ? { 'bundle-stop-everything': 'stop-everything.js' } : {};
await bundle({ bundle: 'main.js', ...others }, { keepNames: true, sourcemap: true });
