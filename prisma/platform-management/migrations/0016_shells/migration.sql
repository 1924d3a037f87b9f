-- Shells are runs with a terminal.
ALTER TABLE "runs" ADD COLUMN "terminal" JSONB;
