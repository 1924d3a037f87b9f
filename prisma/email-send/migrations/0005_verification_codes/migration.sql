-- CreateTable
CREATE TABLE "code_mail_counts" (
    "scope" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "starts_at" TIMESTAMPTZ(6) NOT NULL,
    "sent" INTEGER NOT NULL,

    CONSTRAINT "code_mail_counts_pkey" PRIMARY KEY ("scope","subject","starts_at")
);

-- CreateTable
CREATE TABLE "code_opt_outs" (
    "mailbox_hash" TEXT NOT NULL,
    "opted_out_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "code_opt_outs_pkey" PRIMARY KEY ("mailbox_hash")
);

-- CreateTable
CREATE TABLE "mailbox_hash_keys" (
    "id" UUID NOT NULL,
    "sealed_key" TEXT NOT NULL,

    CONSTRAINT "mailbox_hash_keys_pkey" PRIMARY KEY ("id")
);
