import type { ServiceNames } from './service-names.ts';

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** The files of a service that are no sources: packages, schema, migration, values of the chart, plan of the first release. */
export const workspaceFiles = (names: ServiceNames): Readonly<Record<string, string>> => {
  const { name } = names;
  return {
    [`apps/${name}/service.json`]: serviceJson(names),
    [`apps/${name}/package.json`]: packageJson(names),
    [`apps/${name}/tsconfig.json`]: tsconfig(),
    [`apps/${name}/README.md`]: readme(names),
    [`prisma/${name}/schema.prisma`]: schema(names),
    [`prisma/${name}/prisma.config.ts`]: prismaConfig(names),
    [`prisma/${name}/migrations/0001_init/migration.sql`]: MIGRATION,
    [`k8s/values/${name}.yaml`]: values(names),
    [`.nx/version-plans/${name}.md`]: `---\n${name}: minor\n---\n\nThe first release.\n`,
  };
};

const serviceJson = ({ name, owner, port }: ServiceNames): string =>
  json({
    name,
    owner,
    database: true,
    ports: { health: port },
    slo: {
      objective: 99.9,
      promise: 'Requests of other services are answered.',
      bad: `sum(rate(rpc_server_duration_count{service_name="${name}",outcome=~"fault|unavailable|busy|expired"}[window]))`,
      total: `sum(rate(rpc_server_duration_count{service_name="${name}"}[window]))`,
    },
  });

const packageJson = ({ name, follows, manifest }: ServiceNames): string =>
  json({
    name: `@postern/${name}`,
    version: manifest.version,
    private: true,
    description: `Counts events of ${follows}`,
    license: manifest.license,
    type: 'module',
    dependencies: manifest.dependencies,
    devDependencies: manifest.devDependencies,
    nx: {
      name,
      implicitDependencies: ['images'],
      targets: {
        generate: {},
        build: {},
        bundle: {},
        lint: {},
        'test:integration': {},
        serve: {},
        image: {
          command: `docker build -f docker/Dockerfile --build-arg APP=${name} -t postern/${name} .`,
          inputs: [
            'image',
            '^sources',
            `{workspaceRoot}/prisma/${name}/**/*`,
            `{workspaceRoot}/k8s/values/${name}.yaml`,
          ],
        },
      },
    },
  });

const tsconfig = (): string =>
  json({
    extends: '../../tsconfig.base.json',
    compilerOptions: { rootDir: 'src', outDir: 'dist', tsBuildInfoFile: 'dist/.tsbuildinfo' },
    include: ['src'],
    references: ['contracts', 'event-sourcing', 'messaging', 'service-host', 'testing'].map(library => ({
      path: `../../libs/${library}`,
    })),
  });

const readme = ({ name, follows, event }: ServiceNames): string => `# ${name}

Counts events of ${follows}.

**Owns** the counts. **Consumes** \`${event}\` from ${follows}. **Publishes** no events. **Handles** the requests of
\`libs/contracts/src/${name}\`.
`;

const schema = ({ name }: ServiceNames): string => `generator client {
  provider               = "prisma-client"
  output                 = "../../apps/${name}/src/generated/prisma"
  runtime                = "nodejs"
  compilerBuild          = "small"
  moduleFormat           = "esm"
  generatedFileExtension = "ts"
  importFileExtension    = "js"
}

datasource db {
  provider = "postgresql"
}

/// The events of each type. Written by SQL in event-counts.sql.ts.
model EventCount {
  type     String   @id
  events   Int
  latestAt DateTime @map("latest_at") @db.Timestamptz(3)

  @@map("event_counts")
}
`;

const MIGRATION = `CREATE TABLE event_counts (
    type text NOT NULL,
    events integer NOT NULL,
    latest_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT event_counts_pkey PRIMARY KEY (type)
);
`;

const prismaConfig = ({ name }: ServiceNames): string => `import { defineConfig } from 'prisma/config';

/** \`POSTERN_DATABASE_URL=… npx prisma studio --config prisma/${name}/prisma.config.ts\`; likewise \`migrate dev\`, \`validate\`. */
export default defineConfig({
  schema: 'schema.prisma',
  migrations: { path: 'migrations' },
  // Only commands that connect to the database need it.
  datasource: { url: process.env['POSTERN_DATABASE_URL'] ?? '' },
});
`;

const values = ({ name, follows }: ServiceNames): string => `# Counts events of ${follows}.
app: ${name}
autoscaling: { enabled: true }
secrets:
  POSTERN_DATABASE_URL: { name: postern-${name}, key: database-url }
  POSTERN_NATS_USER: { name: postern-nats-${name}, key: user, optional: true }
  POSTERN_NATS_PASSWORD: { name: postern-nats-${name}, key: password, optional: true }
`;
