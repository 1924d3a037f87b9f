import { describe, expect, it } from '@jest/globals';
import { UsageError } from '../errors.js';
import { convertCompose } from './conversion.js';

const refusalOf = (text: string, repository: string | null = 'https://git.example.com/shop.git'): string => {
  try {
    convertCompose({
      ...{ file: 'compose.yaml', text, project: 'shop', repository: repository ?? undefined, folder: '' },
      lookup: name => ({ EMPTY: '', TOKEN: 'hidden' })[name],
      envFile: () => undefined,
    });
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error('the file was accepted');
};
const ofWeb = (settings: string): string => refusalOf(`services: {web: {build: ., expose: [1], ${settings}}}`);

describe('A Compose file is refused', () => {
  it.each([
    ['privileged: true', 'services.web.privileged: Instances have no rights on the machine. Remove it, or run'],
    ['devices: [/dev/dri]', 'services.web.devices: Instances have no rights'],
    ['cap_add: [NET_ADMIN]', 'services.web.cap_add: Instances have no rights'],
    ['network_mode: host', 'services.web.network_mode: Each instance has a network of its own. Remove it'],
    ['profiles: [debug]', 'services.web.profiles: Every service of the file runs. Remove profiles'],
    ['configs: [a]', 'services.web.configs: Files come from the image or a secret file. Copy it'],
    ['secrets: [a]', 'services.web.secrets: Files come from the image or a secret file.'],
    ['extends: {service: a}', 'services.web.extends: Other files are not read. Print the complete file'],
    ['runtime: kata', 'services.web.runtime: Nothing in Postern corresponds to it. Remove it, or write'],
    ['deploy: {mode: global}', 'services.web.deploy.mode: Nothing in Postern'],
    ['deploy: {replicas: 0}', 'services.web.deploy.replicas: It must be 1 to 20'],
    ['networks: {a: {aliases: [b]}}', 'services.web.networks.a: Addresses and second names'],
    [
      'depends_on: {task: {condition: service_completed_successfully}}',
      'services.web.depends_on.task: task is a task that ends, and a web service runs on. Remove it',
    ],
    ['links: ["db:database"]', 'services.web.links: A web service has no second name'],
    ['env_file: missing.env', 'services.web.env_file: There is no file missing.env. Create it'],
    ['environment: {POSTERN_X: a}', 'services.web.environment.POSTERN_X: Postern sets such a variable. Remove it'],
    ['environment: {"1A": a}', 'services.web.environment: "1A" is no name of a variable. Rename it'],
    ['environment: {A: "https://web:1"}', 'services.web.environment.A: Services reach each other over plain HTTP'],
    ['environment: {A: "http://web:2"}', 'It names port 2 of web, which answers at 1. Use one port in both.'],
    ['ports: ["53:53/udp"]', 'services.web.ports: Only TCP reaches an instance, not udp'],
    ['ports: ["3000-3005"]', 'services.web.ports: "3000-3005" is no single port. Name the port'],
    ['command: "run $TOKEN"', 'services.web.command: It contains a value of the environment or of .env'],
    ['volumes: ["a:/data", "b:/b"]', 'services.web.volumes: A web service has one disk. Keep'],
    ['volumes: ["a:/files"]', 'services.web.volumes: The disk of a web service is at /data, not at /files. Mount a'],
    ['volumes: [/var/run/docker.sock:/x]', '/var/run/docker.sock is a file or folder of your machine. Copy it'],
    ['volumes: ["../other:/x"]', 'services.web.volumes: ../other is a file or folder of your machine'],
    ['volumes: ["a:/data"], deploy: {replicas: 2}', 'A web service with a disk runs one instance. Remove one of them.'],
  ])('with %s', (settings, words) => {
    expect(ofWeb(settings)).toContain(words);
  });

  it.each([
    ['include: [a.yaml]\nservices: {a: {image: a}}', 'include: Other files are not read. Print the complete file'],
    ['services: {a: {image: a}}\nnetworks: {a: {external: true}}', 'networks.a.external: It exists outside of'],
    ['services: {a: {image: a}}\nvolumes: {a: {driver: nfs}}', 'volumes.a: Drivers and their options'],
    [
      'services: {a: {image: nginx, volumes: ["./nginx.conf:/etc/nginx.conf"]}}',
      'services.a.volumes: ./nginx.conf is a file',
    ],
    [
      'services: {a: {image: "mysql:8"}}',
      'services.a.image: Postern has PostgreSQL and key-value stores, and not mysql:8',
    ],
    ['services: {a: {image: mariadb}}', 'and not mariadb. Use one of them, or a server elsewhere'],
    [
      'services: {a: {image: postgres, volumes: ["./init.sql:/docker-entrypoint-initdb.d/a"]}}',
      'services.a.volumes: Files of your machine',
    ],
    [
      'services: {a: {image: a, environment: {Q: "amqp://b:5672"}}, b: {image: b}}',
      'over plain HTTP only, and it names b by amqp://. Use http:// if b answers it, or a server elsewhere.',
    ],
    [
      'services: {a: {build: .}}',
      'services.a: It has no port, and a web service answers requests. If it listens, add expose',
    ],
    ['services: {a: {restart: always}}', 'services.a: It has neither a build nor an image. Add one.'],
    ['services: {a: {build: ../x, expose: [1]}}', 'services.a.build.context: ../x is outside of the repository'],
    [
      'services: {a: {build: "https://a.example.com/b.git", expose: [1]}}',
      'services.a.build.context: It is another repository',
    ],
    [
      'services: {a: {build: {dockerfile: ../D}, expose: [1]}}',
      'services.a.build.dockerfile: ../D is outside of the context',
    ],
    [
      'services: {a: {build: {dockerfile_inline: FROM a}, expose: [1]}}',
      'services.a.build.dockerfile_inline: Builds have',
    ],
    [
      'services: {a: {image: a, volumes: ["v:/data"]}, b: {image: b, volumes: ["v:/data"]}}',
      'services.b.volumes: a uses v as well',
    ],
    [
      'services: {a: {image: a, depends_on: [p, q]}, p: {image: postgres}, q: {image: postgres}}',
      'services.a.environment.DATABASE_URL: The URL of q needs this variable, which is in use. Add a variable',
    ],
    [
      `services: {a: {image: "\${NO:?set NO first}"}}`,
      'compose.yaml: services.a.image: NO has no value: set NO first.',
    ],
    [`services: {a: {image: "\${EMPTY:?}"}}`, 'services.a.image: EMPTY has no value: it is required.'],
    ['services: {a: {image: postgres:9.6}}\nname: ""', 'project: '],
    ['services: [a]', 'compose.yaml has no services'],
    ['services: {a: }', 'compose.yaml: services.a has no settings'],
    ['services: [', 'compose.yaml is not valid YAML'],
    ['', 'compose.yaml has no services'],
  ])('for %s', (text, words) => {
    expect(refusalOf(text)).toContain(words);
  });

  it('without a repository to build from', () => {
    expect(refusalOf('services: {a: {build: ., expose: [1]}}', null)).toContain(
      'services.a.build: The folder has no Git remote, and Postern builds from a repository. Add one',
    );
  });

  it('with all reasons at once, and without values of the environment', () => {
    const words = refusalOf(
      'services: {a: {build: ., privileged: true, environment: {A: "amqp://u:$TOKEN@b"}}, b: {image: b, expose: [1], ipc: host}}',
    );
    expect(words).toContain('services.a.privileged');
    expect(words).toContain('services.b.ipc');
    expect(words).toContain('Keep the file for your machine, and give Postern another one with --file');
    expect(words).not.toContain('hidden');
  });
});
