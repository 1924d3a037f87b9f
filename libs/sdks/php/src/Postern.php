<?php

declare(strict_types=1);

namespace Postern;

/** A client with the key of an email service (`em_live_…`). Needs no extension except openssl, for https. */
final class Postern
{
    private const FIRST_DELAY_S = 1.0;
    private const JITTER = 0.2;
    private const LISTS = ['to', 'cc', 'bcc', 'reply_to'];

    private readonly string $baseUrl;

    /**
     * @param string $baseUrl The URL of your Postern, such as https://postern.example.com.
     * @param float $timeout Time limit of one attempt in seconds.
     * @param int $maxRetries How many times a request is repeated at most.
     * @param int $maxRetryAfter The longest Retry-After in seconds that is waited for.
     */
    public function __construct(
        #[\SensitiveParameter] private readonly string $apiKey,
        string $baseUrl,
        private readonly float $timeout = 60,
        private readonly int $maxRetries = 4,
        private readonly int $maxRetryAfter = 60,
    ) {
        if ($apiKey === '') {
            throw new PosternException('The key is missing. Is the environment variable set, such as POSTERN_EMAIL_KEY?');
        }
        // A line break would add a header of its own.
        if (preg_match('/[^\x21-\x7e]/', $apiKey)) {
            throw new PosternException('The key contains a character that no key has.');
        }
        if (!preg_match('#^https?://[^\s/]#i', $baseUrl)) {
            throw new PosternException("baseUrl must be a URL such as https://postern.example.com, not \"$baseUrl\".");
        }
        $this->baseUrl = rtrim($baseUrl, '/');
    }

    /**
     * Sends one message; `to`, `cc`, `bcc` and `reply_to` may be one address. Retries never send it twice.
     *
     * @param array<string, mixed> $email
     *
     * @return array<string, mixed> The record of the message.
     * @throws ApiException|ConnectionException
     */
    public function send(array $email, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/emails', self::body($email), $idempotencyKey);
    }

    /**
     * Sends 1 to 100 messages; returns the outcome of each, in order.
     *
     * @param list<array<string, mixed>> $emails
     *
     * @return list<array<string, mixed>>
     */
    public function sendBatch(array $emails, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/emails/batch', array_map(self::body(...), array_values($emails)), $idempotencyKey);
    }

    /** @return array<string, mixed> The record of a message of this email service. */
    public function get(string $id): array
    {
        return $this->call('GET', self::path('/emails', $id));
    }

    /**
     * Schedules a message for a time between 1 minute and 30 days from now.
     *
     * @param array<string, mixed> $email
     *
     * @return array<string, mixed>
     */
    public function schedule(\DateTimeInterface $sendAt, array $email, ?string $idempotencyKey = null): array
    {
        $body = ['send_at' => $sendAt->format(\DATE_RFC3339_EXTENDED), 'email' => self::body($email)];

        return $this->call('POST', '/scheduled-emails', $body, $idempotencyKey);
    }

    /** @return array<string, mixed> */
    public function getScheduled(string $id): array
    {
        return $this->call('GET', self::path('/scheduled-emails', $id));
    }

    /**
     * Changes the time of a message that waits.
     *
     * @return array<string, mixed>
     */
    public function reschedule(string $id, \DateTimeInterface $sendAt, ?string $idempotencyKey = null): array
    {
        $body = ['send_at' => $sendAt->format(\DATE_RFC3339_EXTENDED)];

        return $this->call('PATCH', self::path('/scheduled-emails', $id), $body, $idempotencyKey);
    }

    /**
     * Cancels a message that waits.
     *
     * @return array<string, mixed>
     */
    public function cancel(string $id, ?string $idempotencyKey = null): array
    {
        return $this->call('DELETE', self::path('/scheduled-emails', $id), null, $idempotencyKey);
    }

    /** @return array<array-key, mixed> */
    private function call(string $method, string $path, ?array $body = null, ?string $idempotencyKey = null): array
    {
        $headers = ["api-key: $this->apiKey", 'accept: application/json', 'user-agent: postern-php/0.1.0'];
        if ($method !== 'GET') {
            // All attempts use one key, under which the request is carried out once.
            $key = $idempotencyKey ?? bin2hex(random_bytes(16));
            if (!preg_match('/^[\x20-\x7e]{1,255}$/D', $key)) {
                throw new PosternException('An idempotency key has 1 to 255 printable ASCII characters.');
            }
            $headers[] = "idempotency-key: $key";
        }
        $data = null;
        if ($body !== null) {
            $headers[] = 'content-type: application/json';
            $data = json_encode($body, \JSON_THROW_ON_ERROR | \JSON_UNESCAPED_SLASHES);
        }
        $lost = false;
        for ($retries = 0; ; $retries++) {
            try {
                return $this->attempt($method, $path, $data, $headers);
            } catch (ApiException | ConnectionException $error) {
                $delay = $this->delayBeforeRetry($error, $retries, $lost);
                if ($delay === null) {
                    throw $error;
                }
                $lost = $lost || !$error instanceof ApiException || $error->status >= 500;
                usleep((int) ($delay * 1_000_000));
            }
        }
    }

    /**
     * @param list<string> $headers
     *
     * @return array<array-key, mixed>
     */
    private function attempt(string $method, string $path, ?string $data, array $headers): array
    {
        $deadline = microtime(true) + $this->timeout;
        $http = [
            'method' => $method,
            'header' => implode("\r\n", $headers),
            'timeout' => $this->timeout,
            'ignore_errors' => true,
            // A redirect would carry the key to another address, or turn a POST into a GET.
            'follow_location' => 0,
            'protocol_version' => 1.1,
        ];
        $context = stream_context_create(['http' => $data === null ? $http : $http + ['content' => $data]]);
        $stream = @fopen($this->baseUrl . $path, 'rb', false, $context);
        if ($stream === false) {
            $why = error_get_last()['message'] ?? 'the connection failed';
            throw new ConnectionException("$method $path got no response: $why");
        }
        $text = '';
        while (!feof($stream)) {
            $part = fread($stream, 65_536);
            if ($part === false || stream_get_meta_data($stream)['timed_out'] || microtime(true) > $deadline) {
                fclose($stream);
                throw new ConnectionException("$method $path got no whole response within $this->timeout seconds.");
            }
            $text .= $part;
        }
        [$status, $answered] = self::answer(stream_get_meta_data($stream)['wrapper_data'] ?? []);
        fclose($stream);
        if ($status < 200 || $status > 299) {
            throw ApiException::of($status, $answered, $text);
        }
        $reply = json_decode($text, true);
        if (!is_array($reply)) {
            throw new ConnectionException("$method $path got a response that is not whole.");
        }

        return $reply;
    }

    /**
     * @param list<string> $lines
     *
     * @return array{int, array<string, string>}
     */
    private static function answer(array $lines): array
    {
        $status = 0;
        $headers = [];
        foreach ($lines as $line) {
            if (preg_match('#^HTTP/\S+ ([0-9]{3})#', $line, $found)) {
                [$status, $headers] = [(int) $found[1], []];
            } elseif (str_contains($line, ':')) {
                [$name, $value] = explode(':', $line, 2);
                $headers[strtolower($name)] = trim($value);
            }
        }

        return [$status, $headers];
    }

    private function delayBeforeRetry(ApiException|ConnectionException $error, int $retries, bool $lost): ?float
    {
        $retryAfter = $error instanceof ApiException ? $error->retryAfter ?? 0 : 0;
        if ($retries >= $this->maxRetries || $retryAfter > $this->maxRetryAfter || !self::mayRepeat($error, $lost)) {
            return null;
        }
        $random = mt_rand() / mt_getrandmax();

        return max(self::FIRST_DELAY_S * 2 ** $retries * (1 - self::JITTER + 2 * self::JITTER * $random), $retryAfter);
    }

    private static function mayRepeat(ApiException|ConnectionException $error, bool $lost): bool
    {
        if ($error instanceof ConnectionException) {
            return true;
        }
        if ($error->status === 409) {
            // After a lost connection, the first attempt may still be in progress under the same key.
            return $lost && ($error->errorCode === 'idempotency_key_in_flight' || $error->retryAfter !== null);
        }

        return $error->status === 429 || $error->status >= 500;
    }

    /**
     * @param array<string, mixed> $email
     *
     * @return array<string, mixed>
     */
    private static function body(array $email): array
    {
        foreach (self::LISTS as $name) {
            if (is_string($email[$name] ?? null)) {
                $email[$name] = [$email[$name]];
            }
        }
        // An empty array is an object here.
        foreach (['headers', 'tags', 'tracking', 'list_unsubscribe'] as $name) {
            if (($email[$name] ?? null) === []) {
                $email[$name] = new \stdClass();
            }
        }
        if (($email['template']['variables'] ?? null) === []) {
            $email['template']['variables'] = new \stdClass();
        }

        return array_filter($email, static fn (mixed $value): bool => $value !== null);
    }

    private static function path(string $collection, string $id): string
    {
        if (in_array($id, ['', '.', '..'], true)) {
            throw new PosternException('The id is empty or consists of dots.');
        }

        return $collection . '/' . rawurlencode($id);
    }
}
