<?php

declare(strict_types=1);

namespace Postern;

/**
 * The call was not signed by Postern with this secret, or is too old. Answer it with 401. `reason` is `missing_headers`,
 * `timestamp_out_of_tolerance`, `wrong_signature` or `malformed_body`.
 */
final class WebhookVerificationException extends PosternException
{
    public function __construct(public readonly string $reason, string $message)
    {
        parent::__construct($message);
    }
}
