-- CreateTable
CREATE TABLE "dkim_ed25519_keys" (
    "rsa_key_id" UUID NOT NULL,
    "selector" TEXT NOT NULL,
    "record" TEXT NOT NULL,
    "sealed_private_key" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "dkim_ed25519_keys_pkey" PRIMARY KEY ("rsa_key_id")
);

-- AddForeignKey
ALTER TABLE "dkim_ed25519_keys" ADD CONSTRAINT "dkim_ed25519_keys_rsa_key_id_fkey" FOREIGN KEY ("rsa_key_id") REFERENCES "dkim_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;
