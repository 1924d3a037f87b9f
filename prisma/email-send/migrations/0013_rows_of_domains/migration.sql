-- Every sending domain has one row here; its keys and the reports about it are deleted with it.
INSERT INTO domain_checks (domain_id, due_at) SELECT DISTINCT domain_id, now() FROM dkim_keys ON CONFLICT DO NOTHING;
DELETE FROM domain_reports WHERE domain_id NOT IN (SELECT domain_id FROM domain_checks);

-- CreateIndex
CREATE INDEX "dkim_keys_domain" ON "dkim_keys"("domain_id");

-- AddForeignKey
ALTER TABLE "dkim_keys" ADD CONSTRAINT "dkim_keys_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain_checks"("domain_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "domain_reports" ADD CONSTRAINT "domain_reports_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain_checks"("domain_id") ON DELETE CASCADE ON UPDATE CASCADE;
