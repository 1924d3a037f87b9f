import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Files } from '@postern/runtime/testing';
import {
  dockerfileOf,
  ImageBuilds,
  LINUX,
  missingForImages,
  SERVER,
  scriptOf,
  shop,
} from './dockerfile/testing/image-builds.js';

/** Several sequential builds on a busy host. */
jest.setTimeout(90_000);

const missing = missingForImages();
if (missing !== undefined) console.warn(`Options of Dockerfiles are not tested: ${missing}`);

(missing === undefined ? describe : describe.skip)(
  'With the Dockerfile options of a web service, an image is built',
  () => {
    let builds: ImageBuilds;
    beforeAll(async () => {
      builds = await ImageBuilds.start();
    }, 60_000);
    afterAll(() => builds?.stop(), 60_000);

    const failureOf = async (files: Files, changes = {}) => {
      const order = await builds.orderOf(files, changes);
      return builds.build(order).then(
        () => 'it was built',
        (error: Error) => error.message,
      );
    };

    const stages = (...steps: readonly string[]) =>
      dockerfileOf(
        ...['FROM scratch AS linux', ...LINUX.slice(1)],
        ...['FROM linux AS production', 'ARG GREETING=none', 'ARG PLAIN', ...SERVER.slice(LINUX.length), ...steps],
        'RUN echo "$GREETING" > greeting.html && echo "$PLAIN" > plain.html',
        ...['FROM production AS test', 'RUN exit 3'],
      );
    const files = { 'docker/web.Dockerfile': stages(), run: scriptOf('env') };

    it('from a Dockerfile in a folder, up to a stage, with build arguments that refer to variables', async () => {
      const dockerfile = {
        path: 'docker/web.Dockerfile',
        target: 'production',
        buildArguments: { GREETING: `hello \${NAME}, it's "\${NAME}" $NAME`, PLAIN: '' },
      };
      const { order, get } = await builds.serve(files, { dockerfile, environment: { NAME: 'Ada & co' } });
      expect(await get('/greeting.html')).toBe(`hello Ada & co, it's "Ada & co" $NAME\n`);
      expect(await get('/plain.html')).toBe('\n');
      expect(await builds.logOf(order)).toContain('The image is built from docker/web.Dockerfile');
    });

    it('with the files of the root directory only', async () => {
      const inFolder = { 'apps/web/Dockerfile': stages(), 'apps/web/run': scriptOf('env') };
      const dockerfile = { target: 'linux', buildArguments: {} };
      expect(await failureOf(inFolder, { rootDirectory: 'apps/web', dockerfile })).toMatch(
        /^the Dockerfile failed at step `ADD linux\.tar \/`: "\/linux\.tar": not found$/,
      );
    });

    it('with 50 arguments of 4,096 characters', async () => {
      const names = Array.from({ length: 50 }, (_, at) => `A${at}`);
      const Dockerfile = dockerfileOf(
        ...SERVER,
        ...names.map(name => `ARG ${name}`),
        `RUN echo "\${#A0} \${#A49}" > lengths.html`,
      );
      const buildArguments = Object.fromEntries(names.map(name => [name, 'é'.repeat(4_096)]));
      const { get } = await builds.serve({ Dockerfile, run: scriptOf('env') }, { dockerfile: { buildArguments } });
      expect(await get('/lengths.html')).toMatch(/^(4096 4096|8192 8192)\n$/);
    });

    it.each([
      [
        { path: 'Dockerfile.web', buildArguments: {} },
        'dockerfile_path: there is no file Dockerfile.web in this commit. Dockerfiles that exist: docker/web.Dockerfile',
      ],
      [
        { target: 'production', buildArguments: {} },
        'docker_target and build_args need a Dockerfile: there is no file Dockerfile in this commit. ' +
          'Dockerfiles that exist: docker/web.Dockerfile',
      ],
      [
        { path: 'docker/web.Dockerfile', target: 'prod', buildArguments: {} },
        'docker_target: docker/web.Dockerfile has no stage prod. Stages that exist: linux, production, test',
      ],
      [
        { path: 'docker/web.Dockerfile', buildArguments: { GREETING: `\${MISSING}` } },
        `build_args: GREETING refers to \${MISSING}, but the web service has no variable MISSING`,
      ],
    ])('or refused with an error that names the setting and what exists: %j', async (dockerfile, message) => {
      expect(await failureOf(files, { dockerfile })).toBe(message);
    });

    it('but not from a Dockerfile behind a link', async () => {
      const linked = { ...shop(), docker: { link: '.' } };
      const dockerfile = { path: 'docker/Dockerfile', buildArguments: {} };
      expect(await failureOf(linked, { dockerfile })).toBe(
        'dockerfile_path: docker/Dockerfile is a symbolic link, or in a folder that is one',
      );
    });
  },
);
