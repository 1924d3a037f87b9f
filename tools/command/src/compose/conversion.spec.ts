import { describe, expect, it } from '@jest/globals';
import { readBlueprint, writeBlueprint } from '../blueprint/blueprint.js';
import { planOf } from '../blueprint/plan.js';
import { convertCompose } from './conversion.js';

const REPOSITORY = 'https://git.example.com/shop.git';

const convert = (
  text: string,
  { values = {}, files = {} }: { values?: Record<string, string>; files?: Record<string, Record<string, string>> } = {},
) =>
  convertCompose({
    file: 'compose.yaml',
    text,
    project: 'shop',
    repository: REPOSITORY,
    folder: 'deploy',
    lookup: name => values[name],
    envFile: path => files[path],
  });

/** The settings of the web service `web` that are not defaults. */
const web = (settings: string, rest = '', around = {}) => {
  const { blueprint, notes } = convert(`services:\n  web: ${settings}\n${rest}`, around);
  const written = readBlueprint('postern.yaml', writeBlueprint(blueprint, 'https://postern.example.com/schema.json'));
  expect(written).toEqual(blueprint);
  return { ...blueprint.services['web']!, notes };
};

describe('A Compose file becomes a blueprint', () => {
  it.each<[string, string, object]>([
    [
      'a build of a folder',
      '{build: ., ports: ["80"]}',
      { repository: REPOSITORY, root_directory: 'deploy', port: 80 },
    ],
    ['a build of a folder beside the file', '{build: ../api, expose: [3000]}', { root_directory: 'api', port: 3000 }],
    [
      'a Dockerfile, arguments and a target',
      '{build: {context: ./api, dockerfile: docker/api.Dockerfile, args: [NODE=24], target: production}, expose: [1]}',
      {
        root_directory: 'deploy/api',
        dockerfile_path: 'docker/api.Dockerfile',
        docker_target: 'production',
        build_args: { NODE: '24' },
      },
    ],
    ['arguments as a map', '{build: {context: .., args: {A: 1}}, expose: [1]}', { build_args: { A: '1' } }],
    ['an image', '{image: "ghcr.io/ada/shop:1", ports: ["8080:80"]}', { image: 'ghcr.io/ada/shop:1', port: 80 }],
    ['a port with an address', '{build: ., ports: ["127.0.0.1:8080:3000/tcp"]}', { port: 3000 }],
    ['a port in the long form', '{build: ., ports: [{target: 5000, published: 80}]}', { port: 5000 }],
    ['ports before exposed ones', '{build: ., ports: ["1:2"], expose: [3]}', { port: 2 }],
    ['the variable PORT', '{build: ., environment: {PORT: 4000, A: b}}', { port: 4000, env: { A: 'b' } }],
    [
      'variables as a map',
      '{build: ., expose: [1], environment: {A: b, C: 1, D: true, E: "", F: }}',
      { env: { A: 'b', C: '1', D: 'true', E: '' } },
    ],
    ['variables as a list', '{build: ., expose: [1], environment: [A=b=c, B]}', { env: { A: 'b=c' } }],
    ['a command', '{build: ., expose: [1], command: npm start}', { start_command: 'npm start' }],
    [
      'an entrypoint and a command as lists',
      `{build: ., expose: [1], entrypoint: [/bin/run], command: [--say, "it's $$HOME"]}`,
      { start_command: `/bin/run --say 'it'\\''s $HOME'` },
    ],
    ['replicas', '{build: ., expose: [1], deploy: {replicas: 3}}', { min_instances: 3, max_instances: 3 }],
    ['a time to stop', '{build: ., expose: [1], stop_grace_period: 1m30s}', { drain_seconds: 90 }],
    [
      'a healthcheck by curl',
      '{build: ., expose: [1], healthcheck: {test: [CMD, curl, -f, "http://localhost:8080/healthz?full=1"]}}',
      { health_check_path: '/healthz?full=1' },
    ],
    [
      'a healthcheck by wget in a shell',
      '{build: ., expose: [1], healthcheck: {test: "wget -qO- http://127.0.0.1 || exit 1"}}',
      { health_check_path: '/' },
    ],
    [
      'settings without effect',
      '{build: ., expose: [1], restart: always, container_name: a, depends_on: [web], networks: [a], network_mode: bridge, tty: true, privileged: false}',
      { port: 1, notes: [] },
    ],
  ])('with %s', (_, settings, expected) => {
    expect(web(settings)).toMatchObject(expected);
  });

  it('without settings that the default Dockerfile does not need', () => {
    expect(Object.keys(web('{build: {context: .., dockerfile: ./Dockerfile}, expose: [1]}'))).not.toEqual(
      expect.arrayContaining([expect.stringMatching('root_directory|dockerfile_path')]),
    );
  });

  it('with the name of the file, or of the folder, as its project', () => {
    expect(convert('services: {a: {image: a}}').blueprint.project).toBe('shop');
    const named = 'name: Store\nservices: {a: {image: a}}';
    expect(convert(named).blueprint.project).toBe('Store');
    expect(convert(named, { values: { COMPOSE_PROJECT_NAME: 'Other' } }).blueprint.project).toBe('Other');
  });

  it('with settings that services share by anchors', () => {
    const text = 'x-all: &all {build: ., expose: [1]}\nservices: {a: {<<: *all, expose: [2]}, b: *all}';
    const { services } = convert(text).blueprint;
    expect([services['a']?.port, services['b']?.port]).toEqual([2, 1]);
  });

  it('with a disk for the only named volume', () => {
    const { blueprint, notes } = convert(
      'services: {web: {build: ., expose: [1], volumes: ["files:/data"]}}\nvolumes: {files: }',
    );
    expect(blueprint.disks).toEqual({ web: { size_mib: 1024 } });
    expect(notes).toEqual(['The volume files becomes a disk of 1024 MiB at /data. A postern.yaml can set its size.']);
  });

  it('without the mounts of its own files, which it names', () => {
    const { notes } = web('{build: ., expose: [1], volumes: ["./src:/app/src", ".:/app:ro", /app/node_modules]}');
    expect(notes).toEqual([
      'The mount of ./src in web is ignored: the image contains the files of the repository.',
      'The mount of . in web is ignored: the image contains the files of the repository.',
      'The volume /app/node_modules of web is ignored: what an instance writes is gone when it stops.',
    ]);
  });

  it('with one port of several, naming the others', () => {
    expect(web('{build: ., ports: ["80:80", "9229:9229"]}')).toMatchObject({
      port: 80,
      notes: ['A web service has one port: web is reached at 80, and not at 9229.'],
    });
  });

  it('without a healthcheck that requests no path', () => {
    expect(web('{build: ., expose: [1], healthcheck: {test: [CMD, pg_isready]}}').notes).toEqual([
      'The healthcheck of web is ignored: a check is a request to a path. Use curl or wget with one.',
    ]);
  });
});

describe('Names of services in URLs', () => {
  it('become those of the project, and give the port of a service without one', () => {
    const { blueprint, notes } = convert(`services:
  web: {build: ., ports: ["80:3000"], environment: {API: "http://user:x@my_api:8000/v1", WS: "ws://web:3000", MODE: my_api}}
  my_api: {build: ./api}`);
    expect(blueprint.services['web']?.env).toEqual({
      API: 'http://user:x@my-api.internal:8000/v1',
      WS: 'ws://web.internal:3000',
      MODE: 'my_api',
    });
    expect(blueprint.services['my_api']?.port).toBe(8000);
    expect(notes).toEqual([
      'API of web: http://my_api:8000 becomes http://my-api.internal:8000.',
      'WS of web: ws://web:3000 becomes ws://web.internal:3000.',
    ]);
  });

  it('stay as they are in other hosts, and are named where they are no URL', () => {
    const { env, notes } = web(
      '{build: ., expose: [1], environment: {A: "https://web.example.com", B: "http://webs:1", API_HOST: web, C: "web:1"}}',
    );
    expect(env).toEqual({ A: 'https://web.example.com', B: 'http://webs:1', API_HOST: 'web', C: 'web:1' });
    expect(notes).toEqual([
      'API_HOST of web names web, whose host is web.internal here. Change it if it is a host.',
      'C of web names web, whose host is web.internal here. Change it if it is a host.',
    ]);
  });
});

describe('Values from outside of a Compose file', () => {
  const outside = {
    values: { TOKEN: 'hidden-1', PASSED: 'hidden-2', TAG: '2', ARGUMENT: 'hidden-5', API: 'http://web:1' },
    files: { '.env.web': { FROM_FILE: 'hidden-3', LEVEL: 'hidden-4' }, deploy: {} },
  };
  const text = `services:
  web:
    build: {context: ., args: [ARGUMENT]}
    image: shop:\${TAG:-1}
    expose: ["\${PORT_OF_WEB:-1}"]
    healthcheck: {test: [CMD, curl, "http://localhost/?token=$TOKEN"]}
    env_file: [.env.web, {path: missing.env, required: false}]
    environment: [LEVEL=info, "KEY=a-$TOKEN", PASSED, "API=\${API}"]`;

  it('are secrets that are neither in the blueprint nor in the plan, and are set once', () => {
    const { blueprint, notes, secrets } = convert(text, outside);
    const secret = { secret: true };
    expect(blueprint.services['web']).toMatchObject({
      env: { FROM_FILE: secret, LEVEL: 'info', KEY: secret, PASSED: secret, API: secret, ARGUMENT: secret },
      build_args: { ARGUMENT: `\${ARGUMENT}` },
    });
    expect(Object.fromEntries(secrets)).toEqual({
      'web/FROM_FILE': 'hidden-3',
      'web/KEY': 'a-hidden-1',
      'web/PASSED': 'hidden-2',
      'web/API': 'http://web.internal:1',
      'web/ARGUMENT': 'hidden-5',
    });
    const nothing = { project: undefined, services: new Map(), databases: new Map(), emailServices: new Map() };
    const plan = planOf(blueprint, nothing, { prune: false, secrets });
    expect(plan.notes).toEqual([]);
    expect(plan.steps.find(({ what }) => what === 'variables of web')?.changes).toContain('PASSED');
    expect(JSON.stringify([blueprint, notes, plan])).not.toContain('hidden');
  });
});
