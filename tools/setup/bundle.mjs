/**
 * `node tools/setup/bundle.mjs <service>`: bundles the build of a service and all its imports into `dist/bundle.js`. A process
 * that loads one file instead of 2,000 starts in a quarter of the time. `dist/main.js` is the same program. For runtime-agent,
 * it also bundles, each into one file, the programs in images of web services, the program that stops processes that outlive
 * the agent, and the process that tests start and kill.
 */
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT } from './prepare.mjs';

/** Optional packages that Nest, Fastify and pg load only if an application uses them. */
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

/** A compiled library that is loaded from its package folder, and a UMD package, whose imports bundlers do not detect. */
const SEPARATE = ['@node-rs/argon2', 'jsonc-parser'];

const [service] = process.argv.slice(2);
if (!service) throw new Error('usage: node tools/setup/bundle.mjs <service>');

const dist = join(ROOT, 'apps', service, 'dist');

/** @param entries the entry point of each file. @param output options that differ from the defaults. */
const bundle = async (entries, output) => {
  const made = await rolldown({
    input: Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, join(dist, entry)])),
    platform: 'node',
    // The input is JavaScript, and the build of an image lacks projects that tsconfig.json names.
    tsconfig: false,
    external: [...OPTIONAL, ...SEPARATE].map(each => new RegExp(`^${each}(/|$)`)),
    onLog: (level, log) => {
      // An unresolved package would only fail at run time.
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
  for (const [folder, name] of [
    ['kubernetes-runtime/builds', 'image-build'],
    ['kubernetes-runtime/builds', 'image-push'],
    ['static-sites', 'static-server'],
  ])
    await bundle({ [`program-${name}`]: `${folder}/${name}.js` }, { minify: true });
  const agent = { 'bundle-quick-agent': 'testing/quick-agent.js' };
  await bundle(agent, { keepNames: true, chunkFileNames: 'bundle-quick-[name].js' });
}
const others = service === 'runtime-agent' ? { 'bundle-stop-everything': 'stop-everything.js' } : {};
await bundle({ bundle: 'main.js', ...others }, { keepNames: true, sourcemap: true });
