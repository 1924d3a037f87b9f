import { defineConfig } from 'prisma/config';

/** For the Prisma CLI: `npx prisma studio --config prisma/platform-management/prisma.config.ts`. */
export default defineConfig({
  schema: 'schema.prisma',
  migrations: { path: 'migrations' },
  datasource: { url: process.env['POSTERN_DATABASE_URL'] ?? '' },
});
