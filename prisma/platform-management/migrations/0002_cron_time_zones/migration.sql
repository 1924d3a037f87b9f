-- AlterTable
ALTER TABLE "cron_jobs" ADD COLUMN     "time_zone" TEXT NOT NULL DEFAULT 'UTC';
