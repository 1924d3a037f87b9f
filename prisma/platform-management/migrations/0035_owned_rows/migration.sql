-- Rows of a web service, a deploy hook, a backup and a second factor are deleted with it.
-- AlterTable
ALTER TABLE "sealed_values" ADD COLUMN     "web_service_id" UUID;

-- CreateIndex
CREATE INDEX "sealed_values_web_service_id_idx" ON "sealed_values"("web_service_id");

-- The web service of each value: of a variable, of the configuration of a release, of a deploy hook, of a credential.
UPDATE sealed_values v SET web_service_id = s.web_service_id
FROM (
  SELECT id, owner_id AS web_service_id FROM named_values
  UNION SELECT configuration_id, web_service_id FROM releases
  UNION SELECT id, web_service_id FROM deployments
  UNION SELECT id, web_service_id FROM deploy_hooks
  UNION SELECT id, web_service_id FROM repository_credentials
) AS owned JOIN web_service_standings s USING (web_service_id)
WHERE v.id = owned.id;

-- Rows that a concurrent deletion has left behind.
DELETE FROM releases WHERE web_service_id NOT IN (SELECT web_service_id FROM web_service_standings);
DELETE FROM database_attachments WHERE web_service_id NOT IN (SELECT web_service_id FROM web_service_standings);
DELETE FROM metric_samples WHERE web_service_id NOT IN (SELECT web_service_id FROM web_service_standings);
DELETE FROM metric_minutes WHERE web_service_id NOT IN (SELECT web_service_id FROM web_service_standings);
DELETE FROM bandwidth_usage WHERE web_service_id NOT IN (SELECT web_service_id FROM web_service_standings);
DELETE FROM deploy_hooks WHERE web_service_id NOT IN (SELECT web_service_id FROM web_service_standings);
DELETE FROM repository_credentials WHERE web_service_id NOT IN (SELECT web_service_id FROM web_service_standings);
DELETE FROM runs WHERE web_service_id NOT IN (SELECT web_service_id FROM web_service_standings);
DELETE FROM cron_jobs WHERE web_service_id NOT IN (SELECT web_service_id FROM web_service_standings);
DELETE FROM custom_domains WHERE web_service_id NOT IN (SELECT web_service_id FROM web_service_standings);
DELETE FROM deploy_hook_deliveries WHERE hook_id NOT IN (SELECT id FROM deploy_hooks);
DELETE FROM database_restores WHERE backup_id NOT IN (SELECT id FROM database_backups);
DELETE FROM recovery_codes WHERE user_id NOT IN (SELECT user_id FROM second_factors);

-- AddForeignKey
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "second_factors"("user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "releases" ADD CONSTRAINT "releases_web_service_id_fkey" FOREIGN KEY ("web_service_id") REFERENCES "web_service_standings"("web_service_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "database_attachments" ADD CONSTRAINT "database_attachments_web_service_id_fkey" FOREIGN KEY ("web_service_id") REFERENCES "web_service_standings"("web_service_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "database_restores" ADD CONSTRAINT "database_restores_backup_id_fkey" FOREIGN KEY ("backup_id") REFERENCES "database_backups"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "metric_samples" ADD CONSTRAINT "metric_samples_web_service_id_fkey" FOREIGN KEY ("web_service_id") REFERENCES "web_service_standings"("web_service_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "metric_minutes" ADD CONSTRAINT "metric_minutes_web_service_id_fkey" FOREIGN KEY ("web_service_id") REFERENCES "web_service_standings"("web_service_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "bandwidth_usage" ADD CONSTRAINT "bandwidth_usage_web_service_id_fkey" FOREIGN KEY ("web_service_id") REFERENCES "web_service_standings"("web_service_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deploy_hooks" ADD CONSTRAINT "deploy_hooks_web_service_id_fkey" FOREIGN KEY ("web_service_id") REFERENCES "web_service_standings"("web_service_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deploy_hook_deliveries" ADD CONSTRAINT "deploy_hook_deliveries_hook_id_fkey" FOREIGN KEY ("hook_id") REFERENCES "deploy_hooks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "repository_credentials" ADD CONSTRAINT "repository_credentials_web_service_id_fkey" FOREIGN KEY ("web_service_id") REFERENCES "web_service_standings"("web_service_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sealed_values" ADD CONSTRAINT "sealed_values_web_service_id_fkey" FOREIGN KEY ("web_service_id") REFERENCES "web_service_standings"("web_service_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_web_service_id_fkey" FOREIGN KEY ("web_service_id") REFERENCES "web_service_standings"("web_service_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "cron_jobs" ADD CONSTRAINT "cron_jobs_web_service_id_fkey" FOREIGN KEY ("web_service_id") REFERENCES "web_service_standings"("web_service_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "custom_domains" ADD CONSTRAINT "custom_domains_web_service_id_fkey" FOREIGN KEY ("web_service_id") REFERENCES "web_service_standings"("web_service_id") ON DELETE CASCADE ON UPDATE CASCADE;
