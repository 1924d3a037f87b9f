import { defineConfig } from 'prisma/config';

/** `POSTERN_DATABASE_URL=… npx prisma studio --config prisma/delivery-tracking/prisma.config.ts`; likewise `migrate dev`, `validate`. */
export default defineConfig({
  schema: 'schema.prisma',
  migrations: { path: 'migrations' },
  // Only commands that connect to the database need it.
  datasource: { url: process.env['POSTERN_DATABASE_URL'] ?? '' },
});
