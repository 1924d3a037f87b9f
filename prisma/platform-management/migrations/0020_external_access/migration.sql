-- Who may connect to a database from outside of the platform.
ALTER TABLE "databases" ADD COLUMN     "external_access" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "allowed_cidrs" TEXT[] DEFAULT ARRAY[]::TEXT[];
