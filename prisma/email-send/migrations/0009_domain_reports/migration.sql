-- CreateTable
CREATE TABLE "domain_reports" (
    "domain_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "reporter" TEXT NOT NULL,
    "report_id" TEXT NOT NULL,
    "reporter_domain" TEXT NOT NULL,
    "begins_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,
    "passed" BIGINT NOT NULL,
    "failed" BIGINT NOT NULL,
    "details" JSONB NOT NULL,

    CONSTRAINT "domain_reports_pkey" PRIMARY KEY ("domain_id","kind","reporter","report_id")
);

-- CreateIndex
CREATE INDEX "domain_reports_received_at" ON "domain_reports"("received_at");

-- CreateIndex
CREATE INDEX "domain_reports_ends_at" ON "domain_reports"("ends_at");
