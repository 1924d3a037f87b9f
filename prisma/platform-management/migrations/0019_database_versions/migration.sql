-- The major version that a database is created with.
ALTER TABLE "databases" ADD COLUMN     "version" TEXT;
