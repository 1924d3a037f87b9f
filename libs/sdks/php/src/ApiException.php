<?php

declare(strict_types=1);

namespace Postern;

/** Postern answered with an error status. */
final class ApiException extends PosternException
{
    /**
     * @param ?string $errorCode From the header Error-Code, such as `recipient_not_verified`.
     * @param ?string $requestId From the header X-Request-Id; quote it when you report a problem.
     * @param ?int $retryAfter Seconds to wait before a retry, from the header Retry-After.
     * @param ?string $emailId Id of a message whose outcome is unknown, from the header Email-Id.
     */
    public function __construct(
        string $message,
        public readonly int $status,
        public readonly ?string $errorCode,
        public readonly ?string $requestId,
        public readonly ?int $retryAfter,
        public readonly ?string $emailId,
    ) {
        parent::__construct($message, $status);
    }

    /** @internal @param array<string, string> $headers */
    public static function of(int $status, array $headers, string $body): self
    {
        $problem = json_decode($body, true);
        $error = is_array($problem) ? ($problem['error'] ?? null) : null;
        $retryAfter = $headers['retry-after'] ?? '';

        return new self(
            is_string($error) ? $error : "Postern answered with status $status.",
            $status,
            $headers['error-code'] ?? null,
            $headers['x-request-id'] ?? null,
            preg_match('/^[0-9]{1,9}$/D', $retryAfter) ? (int) $retryAfter : null,
            $headers['email-id'] ?? null,
        );
    }
}
